# SPDX-License-Identifier: GPL-3.0-or-later
"""Configs of a topic under which nothing in it is deleted or compacted away."""

from __future__ import annotations

DELETING = {"retention.ms": "-1", "retention.bytes": "-1"}
# KIP-354: with it the cleaner leaves every record of a compacted topic alone.
COMPACTING = {"min.compaction.lag.ms": "9223372036854775807"}
HOLD = {**DELETING, **COMPACTING}
