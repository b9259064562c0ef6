# SPDX-License-Identifier: GPL-3.0-or-later
"""Names for what the evidence of positions consists of."""

from __future__ import annotations

from typing import Any

Partition = tuple[str, int]
Span = tuple[int, int]  # the first offset, and the one after the last
Pair = tuple[int, int]  # upstream (source offset), downstream (the offset of its copy on the target)
TimedPair = tuple[int, int, float]  # the same, with the seconds since the epoch at which it was written
Run = tuple[int, int, int]  # of an offset map: source offset, target offset, count
Offsets = dict[str, dict[int, int]]  # of topics, by partition
# What a position witness has seen, see :func:`.witness.fold`.
Known = dict[str, Any]
