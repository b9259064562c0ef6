# SPDX-License-Identifier: GPL-3.0-or-later
"""What a ledger says once it is told what others know, before anybody has told it. Pure."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from .epochs import Move
from .fold import NOBODY, OVERTAKEN, as_decided, lent, regions_of


def as_told(
    known: dict[str, Any], moves: Sequence[Move], aside: Collection[str] = (), settle: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """What a ledger says once it is told of moves that it lacks: the stage of a run that they overtook is not open.

    A run tells its own ledger what that lacks right after it began. Before its next entry, what is lacking may be older
    than the run: then the run knows of it.

    :param known: as of :func:`.fold.fold`. :param moves: as of ``lacks`` of :func:`.epochs.truth`.
    :param aside: as there; a stage that was on its way to one of these regions is not open.
    :param settle: as there: the decision that a run is about to write is no other than one that is told.
    """
    told_known = _overtaken(known, moves)
    if told_known.get("open") and _leads_to(told_known) in aside:
        told_known = _ended(told_known)
    return as_decided(told_known) if settle or any(move.get("settles") for move in moves) else told_known


def _leads_to(known: dict[str, Any]) -> str | None:
    """The region that the ledger's open stage names as the active one; None where it names none anew."""
    places = {"failover": -1, "abort_move": 0}
    stage = known.get("stage") or ""
    return regions_of(known)[places[stage]] if stage in places else None


def _overtaken(known: dict[str, Any], moves: Sequence[Move]) -> dict[str, Any]:
    """What a ledger says once its open stage does not count that these moves overtook."""
    run, stage = known.get("run"), known.get("stage") or ""
    others = [move for move in moves if move["run"] != run]
    head = known.get("head") or NOBODY
    # Times are of the same form, to the second and in UTC.
    just_begun = head["step"] == "stage" and all(move.get("at", "") <= head["at"] for move in others)
    if stage == "abort_move":
        # It may end only where its own region is still the one that is active.
        source = regions_of(known)[0]
        just_begun = just_begun and all(move["region"] == source for move in others)
    if not known.get("open") or stage not in OVERTAKEN or just_begun or not others:
        return known
    return _ended(known)


def _ended(known: dict[str, Any]) -> dict[str, Any]:
    """What a ledger says whose open stage was overtaken."""
    stage, done = known.get("stage") or "", dict(known.get("done") or {})
    return {**known, "open": False, "overtaken": known.get("run"), "done": {**done, stage: lent(done, stage)}}
