# SPDX-License-Identifier: GPL-3.0-or-later
"""What the ledgers of other regions say against a stage, whose own ledger knows only what went by its region. Pure.

Regions that mirrors connect hold the same records, and their applications work in one of them. Which one, the epochs
say (:mod:`.epochs`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from .._mm2.mirror_config import policy_name
from .as_told import as_told
from .epochs import Move
from .fold import regions_of

# Stages that stop, start, or point applications; their ``about`` begins with the region that they leave, set up or make
# again.
MOVING = ("failover", "failback", "abort_move", "initial_setup", "recreate_from_backup", "resume")
# Those whose ``about`` ends with the region where the applications work, or are to work.
ENDING = ("failover", "failback")


def others(
    mirrors: list[dict], left: str, own_region: str, answers: bool = False, further: Iterable[str] = ()
) -> list[str]:
    """Regions beside ``own_region`` whose ledgers speak of the applications of ``left``.

    These are all that mirrors connect with either of the two, directly or by further regions. A mirror that puts the
    name of its source before those of topics makes no copy that applications could move to as they are: it connects
    ``left`` with its targets alone, whose own applications are others.

    :param mirrors: ``kafka_dr_mirrors``.
    :param answers: whether ``left`` answers, so that its own ledger is among them.
    :param further: regions that are described by no mirror.
    """
    direct = {mirror["target"] for mirror in mirrors or [] if mirror["source"] == left}
    joined = [{mirror["source"], mirror["target"]} for mirror in mirrors or [] if not _renames(mirror)]
    reached = {left, own_region}
    while True:
        more = reached.union(*(pair for pair in joined if pair & reached))
        if more == reached:
            break
        reached = more
    own = {left} if answers and any(left in pair for pair in joined) else set()
    return sorted(((reached | direct | set(further)) - {left, own_region}) | (own - {own_region}))


def _renames(mirror: dict) -> bool:
    return policy_name(mirror.get("policy")) == "default"


def against(
    found: dict[str, dict],
    left: str,
    known: dict,
    stage: str = "",
    own_region: str = "",
    lacks: dict[str, list[Move]] | None = None,
    gives_up: str = "",
    aside: Collection[str] = (),
) -> dict[str, str]:
    """``{region: why}`` where another ledger cannot be read, or is gone, or has a stage that moves the same
    applications and has not ended.

    :param found: by region, what ``ledger_info`` returned or failed with.
    :param left: the region that the stage leaves, sets up or makes again; its own ledger may be among those found.
    :param known: what the stage's own ledger says. :param stage: its name.
    :param own_region: the region of that ledger.
    :param lacks: moves that ledgers were not told of yet, as of :func:`.epochs.truth`; a stage that they overtook will
        never end.
    :param gives_up: what a failover is about that the stage itself gives up.
    :param aside: as of :func:`.epochs.truth`; what leads to one of these regions will never end either.
    """
    reasons: dict[str, str] = {}
    for region, ledger in found.items():
        ledger = as_told(ledger, (lacks or {}).get(region, ()), aside)
        given_up = bool(gives_up) and (ledger.get("stage"), ledger.get("about")) == ("failover", gives_up)
        why = "" if given_up else _why(region, ledger, left, stage, own_region)
        if why:
            reasons[region] = why
    every = {**found, own_region: known} if own_region else found
    reasons.update({region: _gone(region, every) for region in every if _gone(region, every)})
    for region, named in _may_be_named(every).items():
        reasons[region] = f"{reasons[region]}; {named}" if region in reasons else named
    return reasons


def _may_be_named(every: dict[str, dict]) -> dict[str, str]:
    """Regions whose ledger nobody can read, and that a move was about to name: applications may work there."""
    epoch = max((ledger.get("epoch") or 0 for ledger in every.values()), default=0)
    return {
        region: (
            f"the ledger of {teller} says that a move was about to name it as the active region (epoch {named}), so "
            "that applications may work there"
        )
        for teller, ledger in every.items()
        for region, named in (ledger.get("naming") or {}).items()
        if named > epoch and "active_region" not in every.get(region, {})
    }


def _gone(region: str, every: dict[str, dict]) -> str:
    """Why a ledger without an entry was not always so. A region that stages have never used has none."""
    if every[region].get("present", True):
        return ""
    lost = "it was deleted, or kafka_dr_ledger_topic names another"
    if every[region].get("witnessed"):
        return f"it has no ledger, although the topic of its position witness is there: {lost}"
    regions = sorted(name for name, ledger in every.items() if ledger.get("moved_to") == region)
    if regions:
        return (
            f"it has no ledger, although the ledger of {', '.join(regions)} says that a failover moved the "
            f"applications there: {lost}"
        )
    regions = sorted(name for name, ledger in every.items() if _written_to(ledger) == region)
    if regions:
        return f"it has no ledger, although the ledger of {', '.join(regions)} repeats its last epoch: {lost}"
    return ""


def _written_to(ledger: dict) -> str:
    """The region whose ledger the move was written to that counts in this one; empty for its own."""
    moves = ledger.get("moves") or []
    region: str = max(moves, key=lambda move: move["epoch"])["ledger"] if moves else ""
    return region


def _why(region: str, ledger: dict, left: str, stage: str, own_region: str) -> str:
    if "active_region" not in ledger:
        return f"its ledger cannot be read: {' '.join(str(ledger.get('msg') or 'no answer').split())}"
    # Mirrors to several regions may be set up at the same time: both leave the applications where they are.
    both_set_up = stage == ledger.get("stage") == "initial_setup"
    about = regions_of(ledger)
    # One that moves applications to the region that this stage leaves is to end first, too. A failback needs both of
    # its regions as they are.
    concerned = {left, own_region} if stage == "failback" else {left}
    speaks = about[0] in concerned or (ledger.get("stage") in ENDING and about[-1] in concerned)
    if ledger.get("open") and ledger.get("stage") in MOVING and not both_set_up and speaks:
        return "%s has not ended in its ledger" % (
            ledger.get("owner") or f"stage {ledger['stage']} ({ledger['about']})"
        )
    return ""
