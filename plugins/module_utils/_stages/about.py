# SPDX-License-Identifier: GPL-3.0-or-later
"""What a stage is about, as the ledger says it, and whether a run goes on with one that was cut off."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Between the region that a stage is about and the other one.
WORDS = {
    "failback": "from",
    "failover": "to",
    "fence": "left for",
    "initial_setup": "to",
    "new_backup": "to",
    "recreate_from_backup": "from",
    "resume": "from",
}


def about(stage: str, region: str, other: str) -> str:
    """The two regions of a stage in its words, such as ``north_america to europe``."""
    return f"{region} {WORDS[stage]} {other}"


def resumes(ledger: Mapping[str, Any], stage: str, text: str) -> bool:
    """Whether this stage is open in the ledger, about these very regions: then the run goes on where it was cut off.

    :param ledger: what a ledger says, as ``ledger_info`` returns it.
    :param text: of :func:`about`.
    """
    return bool(ledger.get("open")) and (ledger.get("stage"), ledger.get("about")) == (stage, text)
