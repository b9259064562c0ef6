# SPDX-License-Identifier: GPL-3.0-or-later
"""What the ledgers of other regions say against a stage, whose own ledger knows only what went by its region. Pure.

Regions that mirrors connect hold the same records, and their applications work in one of them. Which one, the epochs
say (:mod:`.epochs`).
"""

from __future__ import annotations

from collections.abc import Iterable

from .._mm2.mirror_config import policy_name

# Stages that stop, start, or point applications; their ``about`` begins with the region that they leave, set up or make
# again.
MOVING = ("failover", "initial_setup", "recreate_from_backup", "resume")


def others(mirrors: list[dict], left: str, here: str, answers: bool = False, further: Iterable[str] = ()) -> list[str]:
    """Regions beside ``here`` whose ledgers speak of the applications of ``left``.

    These are all that mirrors connect with either of the two, directly or by further regions. A mirror that puts the
    name of its source before those of topics makes no copy that applications could move to as they are: it connects
    ``left`` with its targets alone, whose own applications are others.

    :param mirrors: ``kafka_dr_mirrors``.
    :param answers: whether ``left`` answers, so that its own ledger is among them.
    :param further: regions that are described by no mirror.
    """
    direct = {mirror["target"] for mirror in mirrors or [] if mirror["source"] == left}
    joined = [{mirror["source"], mirror["target"]} for mirror in mirrors or [] if not _renames(mirror)]
    reached = {left, here}
    while True:
        more = reached.union(*(pair for pair in joined if pair & reached))
        if more == reached:
            break
        reached = more
    own = {left} if answers and any(left in pair for pair in joined) else set()
    return sorted(((reached | direct | set(further)) - {left, here}) | (own - {here}))


def _renames(mirror: dict) -> bool:
    return policy_name(mirror.get("policy")) == "default"


def against(found: dict[str, dict], left: str, known: dict, stage: str = "", here: str = "") -> dict[str, str]:
    """``{region: why}`` where another ledger cannot be read, or is gone, or has a stage that moves the same
    applications and has not ended.

    :param found: by region, what ``ledger_info`` returned or failed with.
    :param left: the region that the stage leaves, sets up or makes again; its own ledger may be among those found.
    :param known: what the stage's own ledger says. :param stage: its name. :param here: the region of that ledger.
    """
    made: dict[str, str] = {}
    for region, one in found.items():
        why = _why(region, one, left, stage)
        if why:
            made[region] = why
    every = {**found, here: known} if here else found
    made.update({region: _gone(region, every) for region in every if _gone(region, every)})
    return made


def _gone(region: str, every: dict[str, dict]) -> str:
    """Why a ledger without an entry was not always so. A region that stages have never used has none."""
    if every[region].get("present", True):
        return ""
    lost = "it was deleted, or kafka_dr_ledger_topic names another"
    if every[region].get("witnessed"):
        return f"it has no ledger, although the topic of its position witness is there: {lost}"
    told = sorted(name for name, one in every.items() if one.get("moved_to") == region)
    if told:
        return (
            f"it has no ledger, although the ledger of {', '.join(told)} says that a failover moved the applications "
            f"there: {lost}"
        )
    told = sorted(name for name, one in every.items() if _written_to(one) == region)
    if told:
        return f"it has no ledger, although the ledger of {', '.join(told)} repeats its last epoch: {lost}"
    return ""


def _written_to(one: dict) -> str:
    """The region whose ledger the move was written to that counts in this one; empty for its own."""
    moves = one.get("moves") or []
    ledger: str = max(moves, key=lambda move: move["epoch"])["ledger"] if moves else ""
    return ledger


def _why(region: str, one: dict, left: str, stage: str) -> str:
    if "active_region" not in one:
        return f"its ledger cannot be read: {' '.join(str(one.get('msg') or 'no answer').split())}"
    # Mirrors to several regions may be set up at the same time: both leave the applications where they are.
    both_set_up = stage == one.get("stage") == "initial_setup"
    if (
        one.get("open")
        and one.get("stage") in MOVING
        and not both_set_up
        and str(one.get("about") or "").partition(" ")[0] == left
    ):
        return "%s has not ended in its ledger" % (one.get("owner") or f"stage {one['stage']} ({one['about']})")
    return ""
