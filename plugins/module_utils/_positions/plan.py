# SPDX-License-Identifier: GPL-3.0-or-later
"""The plan of a translation: where each group goes on, which groups are refused, and what is to be committed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .._kafka.client import KafkaClient
from .._kafka.groups import OTHERS, Place, describe_groups
from .._values.askable import is_sendable
from .answer import CONFIDENCES, EXACT, Answer
from .collector import EvidenceCollector
from .copies import partitions_of
from .evidence import Evidence
from .groups import Position
from .left_over import to_remove
from .translation import translate

Partition = tuple[str, int]


# Positions of groups by group, then by partition: those of the source as they were seen, and offsets on the target.
Positions = dict[str, dict[Partition, Any]]


Committed = dict[str, dict[Partition, int]]
Texts = dict[str, dict[Partition, str]]
Places = dict[str, dict[Partition, Place]]


def plan(
    mirror: EvidenceCollector, positions: Positions, before: Committed, contents: Any, limit: int, interpolate: bool
) -> list[dict[str, Any]]:
    wanted: dict[Partition, set[int]] = {}
    for places in positions.values():
        for key, position in places.items():
            wanted.setdefault(key, set()).update(seen.offset for seen in position.seen())
    evidence = mirror.evidence(wanted, limit, contents)
    existing = partitions_of(mirror.target)
    answers: dict[Any, Any] = {}
    rows = []
    for group in sorted(positions):
        for key, position in sorted(positions[group].items()):
            copy = mirror.names.copy_of(key[0])
            if (copy, key[1]) not in existing:
                continue
            row = {"group": group, "topic": key[0], "target_topic": copy, "partition": key[1]}
            answer = None
            if key in evidence:
                position = _believed(position, evidence[key])
                asked = (key, position.offset, position.at)
                answer = answers[asked] = answers.get(asked) or translate(
                    evidence[key], position.offset, interpolate, position.at
                )
            committed = before.get(group, {}).get((copy, key[1]))
            rows.append({**row, **_translated(position, committed, answer, evidence.get(key))})
    return rows


def _believed(position: Position, evidence: Evidence) -> Position:
    """What the witness saw, where a checkpoint lies beyond all that anybody else knows of the partition: whoever wrote
    it, it may be about another topic.
    """
    reach = evidence.former.reach(evidence) if evidence.former is not None else None
    beyond = reach is not None and position.offset > reach
    return position.witnessed if beyond and position.witnessed is not None else position


def _translated(
    position: Position, committed: int | None, answer: Answer | None, evidence: Evidence | None
) -> dict[str, Any]:
    """The part of a row of the plan that says where the group's position goes."""
    return {
        "source_offset": position.offset,
        "from": committed,
        "to": answer.offset if answer else None,
        "confidence": answer.confidence if answer else "unknown",
        "reprocess_at_most": answer.reprocess_at_most if answer else None,
        "unseen_at_most": _unseen(evidence, position, answer) if evidence is not None and answer else None,
        "evidence": answer.evidence if answer else "the partition does not exist on both sides",
        "metadata": bool(position.metadata) and is_sendable(position.metadata),
        "position_from": position.origin,
        "position_at": position.at,
    }


def _unseen(evidence: Evidence, position: Position, answer: Answer) -> int | None:
    """How many records a consumer may have processed after its position was seen last, and finds again: no more than
    were copied behind the answer.

    Nothing is unseen where the source itself says the position. Offsets count as records, so that markers among them
    make it an upper bound.
    """
    if answer.offset is None:
        return None
    return 0 if position.origin == "source" else max(0, evidence.target_end - answer.offset)


def moved(positions: Positions) -> list[str]:
    """Groups that have a position to be translated."""
    return [group for group, places in positions.items() if places]


def refusals(
    params: dict[str, Any], target: KafkaClient, rows: list[dict[str, Any]], positions: Positions, busy: dict[str, int]
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """What may not be committed, and the groups that are done already:
    ``([{group, kind, reason}], {group: why it is left alone})``.

    :param busy: how many live members a group has on the source.
    """
    switched = set(params["switched_groups"] or ())
    left = {group: "switched before, as the ledger says" for group in positions if group in switched}
    refused = []

    def refuse(group: str, kind: str, reason: str) -> None:
        if group not in left:
            refused.append({"group": group, "kind": kind, "reason": reason})

    # A group that only has positions in others' topics is none of ours, on either side.
    for group, found in sorted(describe_groups(target, moved(positions), others=True).items()):
        if found["state"] == OTHERS:
            refuse(group, "members", f"on {target.name} it is no consumer group, but one such as of Connect's workers")
        if found["members"]:
            refuse(group, "members", f"{len(found['members'])} live members on {target.name} ({found['state']})")
    for group, count in sorted(busy.items()):
        refuse(group, "members", f"{count} live members on the source: its position moves, or a session has not ended")
    accepted = set(EXACT) | set(params["accept"] or ())
    for row in rows:
        if row["confidence"] not in accepted:
            place = f"{row['topic']}-{row['partition']}"
            reason = f"{place} is {row['confidence']} ({row['evidence']}), which is not accepted"
            refuse(row["group"], "confidence", reason)
    return refused, left


def metadata_of(rows: list[dict[str, Any]], positions: Positions) -> Texts:
    """What is committed with the positions, by the target's topics; where there is none, or none that can be sent, it
    is left out.
    """
    found: Texts = {}
    for group, place, text in _texts(rows, positions):
        if is_sendable(text):
            found.setdefault(group, {})[place] = text
    return found


def texts_left_out(rows: list[dict[str, Any]], positions: Positions) -> dict[str, list[Partition]]:
    """Where groups had committed a text that cannot be sent, by the target's topics."""
    found: dict[str, list[Partition]] = {}
    for group, place, text in _texts(rows, positions):
        if not is_sendable(text):
            found.setdefault(group, []).append(place)
    return found


def _texts(rows: list[dict[str, Any]], positions: Positions) -> Iterator[tuple[str, Partition, str]]:
    for row in rows:
        known = positions[row["group"]][(row["topic"], row["partition"])].seen()
        # Of the position that the row goes by.
        text = {seen.origin: seen.metadata for seen in known}[row["position_from"]]
        if text:
            yield row["group"], (row["target_topic"], row["partition"]), text


def to_commit(rows: list[dict[str, Any]], left: dict[str, str], texts: Texts, held: Places) -> Committed:
    """What the target does not have yet. ``held``: what it has."""
    todo: Committed = {}
    for row in rows:
        group, key = row["group"], (row["target_topic"], row["partition"])
        if group in left or row["to"] is None:
            continue
        text, there = texts.get(group, {}).get(key, ""), held.get(group, {}).get(key)
        if row["to"] != row["from"] or (text and there is not None and there.metadata != text):
            todo.setdefault(group, {})[key] = row["to"]
    return todo


def plan_result(
    params: dict[str, Any],
    positions: Positions,
    before: Committed,
    rows: list[dict[str, Any]],
    refused: list[dict[str, Any]],
    left: dict[str, str],
    todo: Committed,
    beside: Iterable[dict[str, Any]] = (),
) -> dict[str, Any]:
    """The result as far as the plan says it. ``beside``: positions that only the target has."""
    beside = list(beside)
    away = to_remove(beside)
    groups = _groups(rows, refused, left, todo)
    return {
        "changed": bool(todo or away) and not refused,
        "plan": rows,
        "left_over": beside,
        "groups": groups,
        "refused": refused,
        "committed": 0,
        "positions": _placed(rows),
        "absent": sorted(set(params["groups"] or ()) - set(positions)),
        "summary": {
            "groups": len(groups),
            "partitions": len(rows),
            "to_commit": sum(len(places) for places in todo.values()),
            "to_remove": sum(len(places) for places in away.values()),
            **_summary(rows),
        },
        "diff": _diff(before, todo, away),
    }


def _diff(before: Committed, todo: Committed, away: Committed) -> dict[str, dict[str, dict[str, int | None]]]:
    places = {group: {**away.get(group, {}), **todo.get(group, {})} for group in {*todo, *away}}
    return {
        "before": _by_partition(places, lambda group, key: before.get(group, {}).get(key)),
        "after": _by_partition(places, lambda group, key: todo.get(group, {}).get(key)),
    }


def _placed(rows: list[dict[str, Any]]) -> dict[str, dict[str, dict[str, int]]]:
    """Where the groups go on, ``{group: {topic: {partition: offset}}}``, by the target's topics."""
    found: dict[str, dict[str, dict[str, int]]] = {}
    for row in rows:
        if row["to"] is not None:
            found.setdefault(row["group"], {}).setdefault(row["target_topic"], {})[str(row["partition"])] = row["to"]
    return found


def _groups(
    rows: list[dict[str, Any]], refused: list[dict[str, Any]], left: dict[str, str], todo: Committed
) -> list[dict[str, Any]]:
    by_group: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_group.setdefault(row["group"], []).append(row)
    refused_groups = {refusal["group"] for refusal in refused}
    return [
        {
            "group": group,
            "state": "left" if group in left else "refused" if group in refused_groups else "planned",
            "reason": left.get(group, ""),
            "partitions": len(of_group),
            "to_commit": len(todo.get(group, {})),
            "confidence": max((row["confidence"] for row in of_group), key=CONFIDENCES.index),
            "reprocess_at_most": sum(row["reprocess_at_most"] or 0 for row in of_group),
            "unseen_at_most": sum(row["unseen_at_most"] or 0 for row in of_group),
        }
        for group, of_group in sorted(by_group.items())
    ]


def _summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    counts = dict.fromkeys(CONFIDENCES, 0)
    for row in rows:
        counts[row["confidence"]] += 1
    seen = [row["position_at"] for row in rows if row["position_at"] is not None]
    return {
        "confidence": counts,
        "reprocess_at_most": sum(row["reprocess_at_most"] or 0 for row in rows),
        "unseen_at_most": sum(row["unseen_at_most"] or 0 for row in rows),
        "positions_at": max(seen, default=None),
        "oldest_position_at": min(seen, default=None),
    }


def _by_partition(places: Committed, value: Callable[[str, Partition], int | None]) -> dict[str, dict[str, int | None]]:
    return {
        group: {f"{key[0]}-{key[1]}": value(group, key) for key in sorted(mine)}
        for group, mine in sorted(places.items())
    }
