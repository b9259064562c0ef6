# SPDX-License-Identifier: GPL-3.0-or-later
"""The stages: what each is about, as the ledger says it, and whether a run resumes one that was cut off."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Stage(NamedTuple):
    """A stage that writes to the ledger, by the two regions that it is about.

    :ivar region: what its variable of the first region is called after the stage's own name, such as ``source``.
    :ivar word: what stands between the two regions in the ledger's ``about``.
    :ivar other: as ``region``, of the second region.
    """

    region: str
    word: str
    other: str


# In the order in which pages name them.
STAGES = {
    "initial_setup": Stage("source", "to", "target"),
    "failover": Stage("source", "to", "target"),
    "abort_move": Stage("source", "to", "target"),
    "failback": Stage("region", "from", "from"),
    "recreate_from_backup": Stage("region", "from", "from"),
    "resume": Stage("region", "from", "from"),
    "new_backup": Stage("region", "to", "to"),
    "fence": Stage("region", "left for", "survivor"),
}


def about(stage: str, region: str, other: str) -> str:
    """The two regions of a stage in its words, such as ``north_america to europe``."""
    return f"{region} {STAGES[stage].word} {other}"


def resumes(ledger: Mapping[str, Any], stage: str, text: str) -> bool:
    """Whether this stage is open in the ledger, about these very regions: then the run goes on where it was cut off.

    :param ledger: what a ledger says, as ``ledger_info`` returns it.
    :param text: of :func:`about`.
    """
    return bool(ledger.get("open")) and (ledger.get("stage"), ledger.get("about")) == (stage, text)


def turned_to(ledger: Mapping[str, Any], region: str, active: str) -> str:
    """Name of the mirror that a planned move from ``region`` to ``active``, or a failback since, turned round: it
    writes to ``region``. Empty where there is none.

    :param ledger: that of ``active``, as ``ledger_info`` returns it.
    """
    turned = ((ledger.get("done") or {}).get("failover") or {}).get("turned")
    # The entry is about the region that the move left; a further copy of that region has a mirror of its own.
    if turned is not None and turned.get("about", region) != region:
        turned = None
    if turned is None:
        turned = brought_back_entry(ledger, region, active)
    return str(((turned or {}).get("found") or {}).get("mirror") or "")


def brought_back(ledger: Mapping[str, Any], text: str) -> bool:
    """Whether a failback about these regions has ended since the last failover: the mirror from the active region to
    the one that is back runs, which no inventory describes.

    :param ledger: that of the active region, as ``ledger_info`` returns it.
    :param text: of :func:`about`.
    """
    return _ended_since(ledger, text) is not None


def brought_back_entry(ledger: Mapping[str, Any], region: str, active: str) -> Mapping[str, Any] | None:
    """The entry with which a failback of ``region`` from ``active`` has ended since the last failover; None where there
    is none.

    :param ledger: that of ``active``, as ``ledger_info`` returns it.
    """
    return _ended_since(ledger, about("failback", region, active))


def _ended_since(ledger: Mapping[str, Any], text: str) -> Mapping[str, Any] | None:
    ended: Mapping[str, Any] | None = (ledger.get("brought_back") or {}).get(text)
    left = (ledger.get("last") or {}).get("failover") or {"offset": -1}
    return ended if ended is not None and int(ended["offset"]) > int(left.get("moved", left["offset"])) else None
