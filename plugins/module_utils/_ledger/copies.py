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
    if step == "proof" and not proven:
        # What an earlier run of the stage proved is so no longer.
        state["done"].get(stage, {}).pop(step, None)
    if stage == "failover" and _parts(state, entry, found, proven):
        for turned in TURNED:
            state["done"].get(stage, {}).pop(turned, None)
    if step == COPY_BEGUN:
        state["filling"] = {"to": str(found.get("to") or ""), "from": str(found.get("from") or ""), "stage": stage}
    elif step == COPY_DONE or (stage == "new_backup" and proven):
        state["filling"] = {}


def _parts(state: Mapping[str, Any], entry: Mapping[str, Any], found: Mapping[str, Any], proven: bool) -> bool:
    """Whether an entry of a planned move shows that the source has what the target never gets, or lacks what the target
    has, so that no mirror can go on from the copy.
    """
    if entry["step"] == "late_records":
        return bool(found.get("accepted"))
    if entry["step"] == "proof":
        # One against a manifest, after a loss, compares no region.
        between = found.get("source") == str(state["about"] or "").split(" ")[0]
        return between and not (proven and found.get("complete", True))
    return entry["step"] == "gone"
