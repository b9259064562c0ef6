# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a proof by open windows: what the watch found before belongs to it, and what was lost is named."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from .._digest.records import Records
from .._proof import report, verdict
from .._proof.bounds import given
from .._proof.found import COUNTS, no_differences
from .._proof.pairs import Pair, Topic
from .._proof.renaming import rename as renaming
from .._proof.shapes import Report
from .._values.moment import moment
from . import windows
from .not_read import add_unread, copied_through, doubt, silent, unread, unread_of
from .reasons import GONE
from .side import begin
from .state import Confirmed, Difference, Partition

if TYPE_CHECKING:
    from .closing import Closing

# Lost records of a partition, and partitions, that the report names one by one.
LOST_NAMED = 1000
LEFT_OUT_NAMED = 100


def amend(closing: Closing, topic: Topic, pair: Pair) -> None:
    """Give a partition that was compared what the watch knows of it: its differences, copies and doubts."""
    place = (topic.name, pair.number)
    part = closing.state.partitions.get(place)
    if part is None:
        return
    if topic.name in closing.standing.unseen:
        pair.reasons.append(f"the last round could not look at it: {closing.standing.unseen[topic.name]}")
    for reason in closing.standing.doubts.get(place, ()):
        doubt(pair, reason)
    pair.reasons += closing.standing.named.get(place, ())
    if place in closing.standing.deleted:
        pair.reasons.append("the last record that was matched has expired on the target since")
    # What the windows hold, and the target has deleted as well, is neither shown to be there nor to be missing.
    if pair.target_started > begin(part, place in closing.standing.deleted)[1]:
        pair.target_moved = True
    if part.older:
        pair.reasons.append(f"{part.older} records on the target are from before the first one that both sides had")
    beyond = 0 if pair.result is None else pair.result["counts"]["beyond"]
    add_unread(unread_of(closing, place, part, beyond), pair)
    # Of one that its owner deleted, nothing can have come since.
    lives, silence = closing.standing.unseen.get(topic.name) != GONE, silent(closing, part.looked_at)
    later = part.looked_at is not None and lives
    if later or beyond or unread(closing, place, part) or _unknown(closing, place, part):
        doubt(pair, silence)
    elif lives and silence and closing.wanted.seen_at:
        # As where the source got nothing: no doubt, but nobody is to take it for shown.
        pair.reasons.append(f"{silence}; what the source got since then nobody has read, and it is in no count")
    add_differences(pair, closing.differences.get(place, []), closing.options.max_differences)
    if pair.result is not None and part.duplicates:
        pair.result["counts"]["duplicated"] += part.duplicates


def _unknown(closing: Closing, place: Partition, part: Confirmed) -> bool:
    """Whether nobody knows how far the mirror came with a partition that held something."""
    unknown = "mirrored_through" not in (closing.options.bounds or {})
    return unknown or (part.source_end > 0 and copied_through(closing, place) is None)


def unseen(closing: Closing, place: Partition, part: Confirmed, reason: str, end: int) -> str | None:
    """Why nothing shows that a partition which was not looked at holds all that was copied; None where it is shown, or
    where the comparison of its windows says it.

    :param reason: why it was not looked at. :param end: where its copy ends.
    """
    beyond = unread(closing, place, part)
    if reason == GONE and beyond:
        return f"the source deleted it, and {beyond} offsets that had been copied were not compared before"
    bounds = closing.options.bounds or {}
    bounded = given(bounds.get("target"), part.target_topic, place[1])
    further = (end if bounded is None else bounded) > part.examined[1] and not part.waiting
    # Of one that was not deleted, nobody knows what the source got since, and one that is hidden may be another one.
    if reason != GONE or _unknown(closing, place, part) or (further and closing.wanted.manifest is not None):
        return silent(closing, part.looked_at) or None
    return None


def add_differences(pair: Pair, found: list[Difference], named: int) -> None:
    """Count in a partition's result what the watch had found to be wrong. It was shown when both sides were read,
    whatever becomes of the rest.

    :param named: how many the report names one by one.
    """
    accepted = sum(row.count for row in found if row.accepted is not None)
    if accepted:
        pair.reasons.append(f"{accepted} records that differ were accepted, and are not counted")
    wrong = [row for row in found if row.accepted is None]
    if not wrong:
        return
    if pair.result is None:
        reasons = [] if pair.error is None else [pair.error["message"]]
        pair.result = {**no_differences(), "reasons": reasons, "unnamed": True}
    for row in wrong:
        pair.result["counts"][row.kind if row.kind in COUNTS else "altered"] += row.count
    pair.result["differences"] = [*map(_run, wrong), *pair.result["differences"]][:named]
    pair.result["difference_runs"] += len(wrong)
    pair.reasons.append(f"{sum(row.count for row in wrong)} records differ that the watch had found before")


def _run(row: Difference) -> dict[str, Any]:
    names = ("kind", "source_offset", "target_offset", "timestamp", "field", "count")
    return {name: getattr(row, name) for name in names}


def merged(closing: Closing, found: list[Report]) -> Report:
    """One report of all comparisons, and of the topics that nothing stands for."""
    topics = [topic for part in found for topic in part["topics"]]
    for topic in topics:
        for part in topic["partitions"]:
            _name_proven(closing, topic["topic"], part)
    topics += [_not_provable(closing, name, reason) for name, reason in closing.left.items()]
    outcome = verdict.worst([part["verdict"] for part in found] + [topic["verdict"] for topic in topics])
    return {
        "verdict": outcome,
        "complete": verdict.complete(outcome),
        "reasons": _reasons(closing, found),
        "totals": report.summed(part["totals"] for part in found),
        "miss_probability": report.BOUND,
        "source": f"the source of mirror {closing.wanted.mirror}",
        "target": closing.target.name,
        "began": moment(closing.began),
        "seconds": round(time.time() - closing.began, 3),
        "options": report.asked(closing.options),
        "topics": sorted(topics, key=lambda topic: topic["topic"]),
        "watch": _watch(closing),
    }


def _reasons(closing: Closing, found: list[Report]) -> list[str]:
    reasons = [f"the watch cannot be used: {closing.unusable}"] if closing.unusable else []
    reasons += [reason for part in found for reason in part["reasons"] if reason != "empty"]
    reasons += [f"{name}: the watch does not stand for it: {reason}" for name, reason in closing.left.items()]
    compared = {topic["topic"] for part in found for topic in part["topics"]}
    absent = [name for name in closing.standing.absent if name not in compared]
    return [*reasons, *(f"{name}: neither side has it any more, and it is not judged" for name in absent)]


def _not_provable(closing: Closing, name: str, reason: str) -> dict[str, Any]:
    return {
        "topic": name,
        "target_topic": renaming(closing.options.rename)(name),
        "mode": "",
        "verdict": "NOT_PROVABLE",
        "reasons": [f"the watch does not stand for it: {reason}"],
        "source_topic_id": None,
        "target_topic_id": None,
        "timestamps_compared": False,
        "partitions": [],
    }


def _name_proven(closing: Closing, topic: str, part: dict[str, Any]) -> None:
    """What was proven before, and each record that was lost: its offset, digest and timestamp."""
    known = closing.state.partitions.get((topic, part["partition"]))
    if known is None or topic not in closing.topics:
        return
    part["proven_before"] = known.records
    part["proven_through"] = list(known.through)
    if part["lost"]:
        rows = _lost(closing, (topic, part["partition"]), known, part)
        held = part["lost"] - unread_of(closing, (topic, part["partition"]), known, part["beyond"]).lost
        # Where something else differs at the very end, the differences name it.
        part["lost_records"] = rows[:LOST_NAMED] if len(rows) == held else []
        part["lost_records_left_out"] = part["lost"] - len(part["lost_records"])


def _lost(closing: Closing, place: Partition, known: Confirmed, part: dict[str, Any]) -> list[list[Any]]:
    """``[[source offset, digest, timestamp]]`` of the records that no copy follows and the mirror had not reached."""
    held: Records = windows.records(place, known, closing.state.windows.get(place, []))
    copied = max((row["source_offset"] + row["count"] for row in part["offset_map"]), default=0)
    lost = held.take(held.offset >= max(copied, part["mirrored_through"] or 0))
    digests = lost.digest().tolist()
    return [
        [offset, f"{digest:016x}", stamp]
        for offset, digest, stamp in zip(lost.offset.tolist(), digests, lost.timestamp.tolist(), strict=True)
    ]


def _watch(closing: Closing) -> dict[str, Any]:
    """What a report and the ledger keep of the watch that was used."""
    state = closing.state
    if closing.unusable:
        return {"mirror": state.mirror, "used": False, "reason": closing.unusable}
    compared = set(closing.topics)
    held = {place: part for place, part in state.partitions.items() if place[0] in compared}
    lacking = closing.standing.lacking()
    return {
        "mirror": state.mirror,
        "used": bool(compared),
        "source_cluster": state.source_cluster,
        "round": state.round,
        "at": state.at,
        "topics": len(compared),
        "proven_records": sum(part.records for part in held.values()),
        "open_records": sum(part.waiting for part in held.values()),
        "not_compared": sum(unread(closing, place, part) for place, part in held.items()),
        "left_out": [{"topic": name, "reason": reason} for name, reason in list(lacking.items())[:LEFT_OUT_NAMED]],
        "left_out_more": max(0, len(lacking) - LEFT_OUT_NAMED),
        "by_manifest": [] if closing.manifest is None else [topic.name for topic in closing.manifest.topics],
    }
