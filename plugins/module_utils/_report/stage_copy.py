# SPDX-License-Identifier: GPL-3.0-or-later
"""What a stage's entries say of the copy that it moved to: its proofs, what was lost, what was left behind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .._ledger.copies import LATE, asked_source, compared, goes_on_unplanned, with_earlier

# An entry of the ledger, see docs/architecture.md.
Entry = dict[str, Any]


def found_by(entries: list[Entry]) -> dict[str, dict[str, Any]]:
    """What was found by the steps that are done, by name."""
    done: dict[str, Entry] = {}
    for entry, forgets in _with_beginnings(entries):
        if forgets:
            done.pop(LATE, None)
        if entry["state"] in ("done", "active"):
            done[entry["step"]] = with_earlier(done.get(entry["step"]), entry)
    return {step: entry.get("found") or {} for step, entry in done.items()}


def proofs_of(entries: list[Entry]) -> list[dict[str, Any]]:
    """The proofs in order. One whose job died overrules none."""
    proofs: list[dict[str, Any]] = []
    latest: dict[tuple[str, str], int] = {}
    for entry, forgets in _with_beginnings(entries):
        if forgets:
            # What was wrong with a copy is so still.
            latest = {sides: at for sides, at in latest.items() if proofs[at]["state"] != "proven"}
        if entry["state"] in ("proven", "different", "not_provable"):
            proof = _proof(entry)
            sides = (proof["source"], proof["target"])
            if sides not in latest or compared(entry):
                latest[sides] = len(proofs)
            proofs.append(proof)
    return [{**proof, "latest": at in latest.values()} for at, proof in enumerate(proofs)]


def _with_beginnings(entries: list[Entry]) -> Iterator[tuple[Entry, bool]]:
    """Each entry, and whether it begins a run that forgets what a planned one saw of the source."""
    named = False
    for entry in entries:
        named = named or entry["state"] == "active"
        begun = (entry.get("found") or {}) if (entry["step"], entry["state"]) == ("stage", "started") else {}
        yield entry, goes_on_unplanned(begun) and not (named and begun.get("source_asked"))


def lost_of(
    found: dict[str, dict[str, Any]], planned: bool, proofs: list[dict[str, Any]], source: str
) -> dict[str, Any]:
    """What a move lost, with late records that were accepted to stay behind; ``total`` is None where it is not known.

    :param found: what was found by the steps that are done, by name. :param planned: whether its last run is.
    :param proofs: as :func:`proofs_of` gives them. :param source: the region that was left.
    """
    ends, late, ended = (found.get(step) or {} for step in ("ends", LATE, "stage"))
    lost = ends.get("lost") or {}
    if not planned:
        # It may go on with a planned one, whose source was not lost yet.
        return ended.get("lost") or ({**lost, "total": None} if ends.get("planned") else lost)
    shown = {proof["state"] for proof in proofs if proof["latest"] and proof["source"] == source}
    if found.get("gone") or shown - {"proven"} or (late.get("accepted") and not late.get("exact")):
        return {**lost, "total": None}
    if not late.get("accepted"):
        by_source = {"total": 0, "topics": {}} if asked_source(late, lost, "proven" in shown) else {}
        return ended.get("lost") or {**lost, **by_source}
    topics: dict[str, int] = {}
    for row in late.get("late") or []:
        topics[row["topic"]] = topics.get(row["topic"], 0) + int(row["records"])
    return {**lost, "total": int(late.get("total") or 0), "topics": topics}


def left_behind_of(found: dict[str, dict[str, Any]]) -> list[str]:
    """What a planned move left behind and what was gone, as a person accepted it."""
    late, sentences = found.get(LATE) or {}, []
    if late.get("accepted"):
        sentences.append(str(late.get("what") or f"{late.get('total', 'some')} late records"))
    return sentences + [str(topic) for topic in (found.get("gone") or {}).get("topics") or []]


def _proof(entry: Entry) -> dict[str, Any]:
    found = entry.get("found") or {}
    return {
        "stage": entry["stage"],
        "verdict": found.get("verdict", entry["state"].upper()),
        "report": found.get("report", ""),
        "state": entry["state"],
        "source": found.get("source", ""),
        "target": found.get("target", ""),
        "totals": found.get("totals") or {},
        "reasons": found.get("reasons") or [],
        "at": entry.get("at", ""),
    }
