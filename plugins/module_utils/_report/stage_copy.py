# SPDX-License-Identifier: GPL-3.0-or-later
"""What a stage's entries say of the copy that it moved to: its proofs, what was lost, what was left behind."""

from __future__ import annotations

from typing import Any

from .._ledger.copies import LATE, compared, with_earlier

# An entry of the ledger, see docs/architecture.md.
Entry = dict[str, Any]


def found_by(entries: list[Entry]) -> dict[str, dict[str, Any]]:
    """What was found by the steps that are done, by name."""
    done: dict[str, Entry] = {}
    for entry in entries:
        if entry["state"] in ("done", "active"):
            done[entry["step"]] = with_earlier(done.get(entry["step"]), entry)
    return {step: entry.get("found") or {} for step, entry in done.items()}


def proofs_of(entries: list[Entry]) -> list[dict[str, Any]]:
    """The proofs in order. One whose job died overrules none."""
    judged = [entry for entry in entries if entry["state"] in ("proven", "different", "not_provable")]
    proofs = [_proof(entry) for entry in judged]
    latest: dict[tuple[str, str], int] = {}
    for at, (entry, proof) in enumerate(zip(judged, proofs, strict=True)):
        sides = (proof["source"], proof["target"])
        if sides not in latest or compared(entry):
            latest[sides] = at
    return [{**proof, "latest": at in latest.values()} for at, proof in enumerate(proofs)]


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
    if LATE not in found:
        return ended.get("lost") or lost
    # The source itself was asked. A witness counts markers of transactions too, and late records in part.
    topics: dict[str, int] = {}
    for row in (late.get("late") or []) if late.get("accepted") else []:
        topics[row["topic"]] = topics.get(row["topic"], 0) + int(row["records"])
    return {**lost, "total": int(late.get("total") or 0) if late.get("accepted") else 0, "topics": topics}


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
