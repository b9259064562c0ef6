# SPDX-License-Identifier: GPL-3.0-or-later
"""What a ledger's entries say of copies: whether one is proven, whole, and what a mirror can go on from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

# Steps of a planned move that say that source and target are equal, and those of the mirror that goes on from that.
# The second of the former is no step of its own: the latest proof that compared anything and showed no complete copy.
COMPARED, TURNED = ("proof", "disproven", "late_records"), ("turned", "protecting", "protected")
# From this step on, what was seeded for that mirror before stands no more.
TURNING = "turning"
# What a stage that fills a region tells that region's ledger, where it owns another one.
COPY_BEGUN, COPY_DONE = "copy_begun", "copy_done"
PROVEN, LATE = ("proof", "proven"), "late_records"


def follow_copies(state: dict[str, Any], entry: Mapping[str, Any], regions: Sequence[str]) -> None:
    """Follow an entry that is done, or a proof with whatever verdict.

    :param regions: what the open stage is about, as :func:`.fold.regions_of` gives it.
    """
    found, stage, step = entry.get("found") or {}, entry["stage"], entry["step"]
    proven, done = (step, entry["state"]) == PROVEN, state["done"].setdefault(stage, {})
    if proven:
        # Only who asked the source itself knows better than all others; who could not tell knows nothing better.
        shown = done.get("disproven") or {}
        stronger = found.get("source") in ((shown.get("found") or {}).get("source"), regions[0])
        if stronger or shown.get("state") == "not_provable":
            done.pop("disproven", None)
    elif step == "proof" and compared(entry):
        done["disproven"] = entry
        # Of other sides it says nothing.
        if (done.get(step, {}).get("found") or {}).get("source") == found.get("source"):
            done.pop(step, None)
    if stage == "failover" and _has_parted(state["active_region"], entry, regions, proven):
        for turned in TURNED:
            done.pop(turned, None)
    if (stage, step) == ("failover", TURNING):
        done.pop(TURNED[0], None)
    if step == COPY_BEGUN:
        state["filling"] = {"to": str(found.get("to") or ""), "from": str(found.get("from") or ""), "stage": stage}
    elif step == COPY_DONE or (stage == "new_backup" and proven):
        state["filling"] = {}


def goes_on_unplanned(found: Mapping[str, Any]) -> bool:
    """Whether an entry that begins a failover begins an unplanned one that moves the applications. It may go on with a
    planned one that was cut off, and nobody knows whether the source was used since that one saw it.

    :param found: of that entry.
    """
    return found.get("planned") is False and not found.get("catches_up")


def compared(proof: Mapping[str, Any]) -> bool:
    """Whether the entry of a proof stands for a comparison: a job that died has no report."""
    return proof["state"] != "not_provable" or bool((proof.get("found") or {}).get("report"))


def asked_source(late: Mapping[str, Any], lost: Mapping[str, Any], proven: bool) -> bool:
    """Whether what was found of late records shows that nothing is missing: the source itself was asked, and a witness
    counts markers of transactions too.

    :param late: what ``late_records_info`` found, as the ledger has it: nothing where records may have expired unseen.
    :param lost: what the ends say.
    :param proven: whether a proof shows that the copy is complete; without one, what nobody knows stays unknown.
    """
    return bool(late.get("exact")) and not late.get("accepted") and (proven or lost.get("total") is not None)


def with_earlier(former: Mapping[str, Any] | None, entry: dict[str, Any]) -> dict[str, Any]:
    """The entry of a step that is done; that of late records with what an earlier one of the move was accepted to leave
    behind. That the source has nothing more to show brings none of it to the target: it may have deleted it, or been
    written to where it was cut.
    """
    before, now = ((known or {}).get("found") or {} for known in (former, entry))
    if entry["step"] != LATE or not before.get("accepted"):
        return entry
    rows = {(row["topic"], row["partition"]): row for row in before.get("late") or []}
    for row in now.get("late") or []:
        key = (row["topic"], row["partition"])
        if key not in rows or int(row["records"]) > int(rows[key]["records"]):
            rows[key] = row
    what = [str(found["what"]) for found in (before, now) if found.get("what")]
    merged = {
        **now,
        "accepted": True,
        "late": list(rows.values()),
        "total": max(int(before.get("total") or 0), sum(int(row["records"]) for row in rows.values())),
        # Some may have been counted in neither.
        "exact": bool(before.get("exact") and now.get("exact")) and now.get("late") == before.get("late"),
        "what": "; ".join(dict.fromkeys(what)),
    }
    return {**entry, "found": merged}


def _has_parted(active_region: str, entry: Mapping[str, Any], regions: Sequence[str], proven: bool) -> bool:
    """Whether an entry of a planned move shows that the source has what the target never gets, or lacks what the target
    has, so that no mirror can go on from the copy.
    """
    found = entry.get("found") or {}
    if active_region == regions[-1]:
        # What is compared once the target is in use, after a loss, says nothing of a mirror that may run by then.
        return False
    if entry["step"] == LATE:
        return bool(found.get("accepted"))
    if entry["step"] == "proof" and found.get("source") == regions[0]:
        return not found.get("complete", True) if proven else compared(entry)
    return entry["step"] == "gone"
