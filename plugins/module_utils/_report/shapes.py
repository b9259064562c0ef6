# SPDX-License-Identifier: GPL-3.0-or-later
"""Names for what the functions of a report hand on to each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

# A report.json of a drill or of a proof, or a stage as :func:`.stage.report_of` gives it.
Report = dict[str, Any]
# Proofs that a report names: the stage that asked for each, and its whole report.
Proven = Iterable[tuple[str, Report]]
# Moments to be marked: label, and seconds since the epoch (None where it never came).
Marks = Sequence[tuple[str, "float | None"]]
# Values over time: seconds since the epoch, and the value (None where there was none to see).
Series = Mapping[str, Sequence[tuple[float, "float | None"]]]
