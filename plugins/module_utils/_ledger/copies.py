# SPDX-License-Identifier: GPL-3.0-or-later
"""What a ledger's entries say of copies: whether one is proven, whole, and what a mirror can go on from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# Steps of a planned move that say that source and target are equal, and those of the mirror that goes on from that.
COMPARED, TURNED = ("proof", "late_records"), ("turned", "protecting", "protected")
# What a stage that fills a region tells that region's ledger, where it owns another one.
COPY_BEGUN, COPY_DONE = "copy_begun", "copy_done"
PROVEN = ("proof", "proven")


def follow_copies(state: dict[str, Any], entry: Mapping[str, Any]) -> None:
    """Follow an entry that is done, or a proof with whatever verdict."""
    found, stage, step = entry.get("found") or {}, entry["stage"], entry["step"]
    proven = (step, entry["state"]) == PROVEN
    if step == "proof" and _withdraws(state["done"].get(stage, {}).get(step), entry, found):
        del state["done"][stage][step]
    if stage == "failover" and _has_parted(state, entry, found, proven):
        for turned in TURNED:
            state["done"].get(stage, {}).pop(turned, None)
    if step == COPY_BEGUN:
        state["filling"] = {"to": str(found.get("to") or ""), "from": str(found.get("from") or ""), "stage": stage}
    elif step == COPY_DONE or (stage == "new_backup" and proven):
        state["filling"] = {}


def _withdraws(former: Mapping[str, Any] | None, entry: Mapping[str, Any], found: Mapping[str, Any]) -> bool:
    """Whether a proof shows that what an earlier one of the same sides proved is so no longer."""
    same = former is not None and (former.get("found") or {}).get("source") == found.get("source")
    return same and entry["state"] != "proven" and _compared(entry, found)


def _compared(entry: Mapping[str, Any], found: Mapping[str, Any]) -> bool:
    """Whether a proof that is not proven compared anything: a job that died has no report."""
    return entry["state"] == "different" or (entry["state"] == "not_provable" and bool(found.get("report")))


def _has_parted(state: Mapping[str, Any], entry: Mapping[str, Any], found: Mapping[str, Any], proven: bool) -> bool:
    """Whether an entry of a planned move shows that the source has what the target never gets, or lacks what the target
    has, so that no mirror can go on from the copy.
    """
    regions = str(state["about"] or "").split(" ")
    if state["active_region"] == regions[-1]:
        # What is compared once the target is in use, after a loss, says nothing of a mirror that may run by then.
        return False
    if entry["step"] == "late_records":
        return bool(found.get("accepted"))
    if entry["step"] == "proof" and found.get("source") == regions[0]:
        return not found.get("complete", True) if proven else _compared(entry, found)
    return entry["step"] == "gone"
