# SPDX-License-Identifier: GPL-3.0-or-later
"""What the ledgers of other regions say against a stage, whose own ledger knows only what went by its region. Pure.

A region that is mirrored to several has a ledger in each of them. Its applications can be moved to one of them only.
"""

from __future__ import annotations

# Stages that stop, start, or point applications; their ``about`` begins with the region that they leave, set up or make
# again.
MOVING = ("failover", "initial_setup", "recreate_from_backup", "resume")


def others(mirrors: list[dict], left: str, here: str) -> list[str]:
    """Regions beside ``here`` that this region is mirrored to, and where a ledger may speak of its applications."""
    return sorted({mirror["target"] for mirror in mirrors or [] if mirror["source"] == left} - {left, here})


def against(found: dict[str, dict], left: str, known: dict, stage: str = "", here: str = "") -> dict[str, str]:
    """``{region: why}`` where another ledger says that the applications of a region are elsewhere, or on their way, and
    where a ledger is gone.

    :param found: by region, what ``ledger_info`` returned or failed with.
    :param left: the region that the stage leaves, sets up or makes again; its own ledger may be among those found.
    :param known: what the stage's own ledger says. :param stage: its name. :param here: the region of that ledger.
    """
    made: dict[str, str] = {}
    for region, one in found.items():
        why = _why(region, one, left, known, stage)
        if why:
            made[region] = why
    every = {**found, here: known} if here else found
    made.update({region: _gone(region, every) for region in every if _gone(region, every)})
    return made


def _gone(region: str, every: dict[str, dict]) -> str:
    """Why a ledger without an entry was not always so. A region that stages have never used has none."""
    if every[region].get("present", True):
        return ""
    told = sorted(name for name, one in every.items() if one.get("moved_to") == region)
    lost = "it was deleted, or kafka_dr_ledger_topic names another"
    if every[region].get("witnessed"):
        return f"it has no ledger, although the topic of its position witness is there: {lost}"
    if told:
        return (
            f"it has no ledger, although the ledger of {', '.join(told)} says that a failover moved the applications "
            f"there: {lost}"
        )
    return ""


def _why(region: str, one: dict, left: str, known: dict, stage: str) -> str:
    if "active_region" not in one:
        return f"its ledger cannot be read: {' '.join(str(one.get('msg') or 'no answer').split())}"
    if region == left:
        # What it said before the applications were there is old; only where the stage's own ledger sends them away is
        # there a question who is right.
        away = known.get("active_region") not in ("", left)
        if away and one["active_region"] == left and one.get("active_at", "") > known.get("active_at", ""):
            return f"its own ledger names it as active since {one['active_at']}, later than the other one"
        return ""
    if one["active_region"] not in ("", left):
        return f"its ledger names {one['active_region']} as the active region"
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
