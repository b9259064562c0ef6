# SPDX-License-Identifier: GPL-3.0-or-later
"""Positions on the target, in copies of the mirror's topics, for which the source has none. MirrorMaker 2's group sync
leaves them there when a group is deleted on the source so that it processes everything again. Pure.

Only a position that the group sync is shown to have committed, and that the source is known not to have, may be taken
away. Any other may be the group's own work on the target.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from .._kafka.mm2_topics import Row
from .._mm2.names import MirrorNames
from .._values.listing import named as named_of
from .groups import is_taken_back
from .other_groups import NONE, UNKNOWN, UNSEEN
from .shapes import Known, Partition

# A row's ``state``: to be taken away, taken away, of unknown origin, or the group's own.
PLANNED, REMOVED, DOUBTFUL, KEPT = "planned", "removed", "doubtful", "kept"
# What ``accept`` names so that positions of unknown origin stop nothing.
ACCEPTED = "left_over"
REASONS = {
    PLANNED: "the source has no position there, and the mirror's group sync had committed this one",
    DOUBTFUL: "the source has no position there, and nothing shows that the mirror brought this one",
}
WORKS = "the group has members on the target"
ALONE = "the group is left alone"
NOT_WANTED = "the mirror's patterns leave the group out"
NO_TOPIC = "the source does not have the partition any more"
NOT_KNOWN = "nobody saw whether the source has a position there"
AWAY = (
    "the source has no position of it in {}, and the one that the mirror's group sync had left on the target is taken "
    "away",
    "Its consumers begin there where their auto.offset.reset says, as they do on the source; commit a position on the "
    "target to decide it",
)
STAYS = (
    "the target has a position of it that the source has none for, and it stays: {}",
    "Its consumers go on there. Where that is not the group's own work on the target, take it away with "
    "kafka-consumer-groups.sh --delete-offsets before they start",
)


class Source(NamedTuple):
    """What is known of the source.

    :ivar partitions: those that it has, or had when it was seen last.
    :ivar lacks: whether it is known that a group has no position in a partition of it; the last argument is when the
        mirror said otherwise, in seconds since the epoch.
    """

    partitions: Collection[Partition]
    lacks: Callable[[str, Partition, float], bool]


Synced = dict[tuple[str, str, int], dict[int, float]]


def synced(checkpoints: Iterable[Row] | None) -> Synced:
    """``{(group, target's topic, partition): {offset: when it was said, in seconds}}``: what the mirror's group sync
    may have committed. It commits what a checkpoint says and nothing else.
    """
    found: Synced = {}
    for row in checkpoints or ():
        value = row.value
        if value.upstream >= 0:
            found.setdefault((value.group, value.topic, value.partition), {})[value.downstream] = row.timestamp / 1000
    return found


def lacks_as_seen(known: Known | None) -> Callable[[str, Partition, float], bool]:
    """As :class:`Source` has it, of a source that is lost: the position witness watched the topic, and later than the
    mirror's word it saw no position of the group there.

    :param known: fold of the witness, or None where there is no such topic.
    """

    def lacks(group: str, key: Partition, since: float) -> bool:
        if known is None or str(key[1]) not in ((known.get("ends") or {}).get(key[0]) or {}):
            return False
        return not known["groups"].get(group, {}).get("seldom") and is_taken_back(known, group, key, since)

    return lacks


def left_over(
    names: MirrorNames,
    on_target: Mapping[str, Mapping[Partition, int]],
    positions: Mapping[str, Collection[Partition]],
    brought: Synced,
    source: Source,
    topic: Callable[[str], bool],
    wanted: Callable[[str], bool],
) -> list[dict[str, Any]]:
    """A row for each position on the target that the source has none for.

    :param on_target: positions on the target, by its topics. :param positions: those of the source, by the source's.
    :param brought: :func:`synced`. :param topic: predicate on the source's topics that are copied.
    :param wanted: predicate on groups that are translated.
    :returns: ``[{group, topic, target_topic, partition, offset, state, reason}]``, sorted.
    """
    found = []
    for group, places in sorted(on_target.items()):
        for (copy, number), offset in sorted(places.items()):
            original = names.original_of(copy)
            if original is None or names.copy_of(original) != copy or not topic(original):
                continue
            key, claims = (original, number), brought.get((group, copy, number), {})
            if key in positions.get(group, ()) or (key not in source.partitions and offset not in claims):
                continue  # a topic of the target alone is none of the mirror's
            state, reason = _state(group, key, offset, claims, source, wanted)
            row = {"group": group, "topic": original, "target_topic": copy, "partition": number, "offset": offset}
            found.append({**row, "state": state, "reason": reason})
    return found


def _state(
    group: str, key: Partition, offset: int, claims: Mapping[int, float], source: Source, wanted: Callable[[str], bool]
) -> tuple[str, str]:
    if not wanted(group):
        return KEPT, NOT_WANTED
    if key not in source.partitions:
        return KEPT, NO_TOPIC
    if not source.lacks(group, key, max(claims.values(), default=0.0)):
        return KEPT, NOT_KNOWN
    state = PLANNED if offset in claims else DOUBTFUL
    return state, REASONS[state]


def keep(rows: Iterable[dict[str, Any]], groups: Collection[str], reason: str) -> None:
    """Mark the rows of these groups as their own."""
    for row in rows:
        if row["group"] in groups:
            row.update(state=KEPT, reason=reason)


def doubts(
    rows: Iterable[dict[str, Any]], moving: Collection[str], accepted: Collection[str]
) -> Iterator[dict[str, Any]]:
    """Refusals of positions of unknown origin, of groups that go on in the target after this."""
    for row in rows:
        if row["state"] == DOUBTFUL and row["group"] in moving and ACCEPTED not in accepted:
            reason = f"{_place(row)} of the target is at {row['offset']}: {row['reason']}"
            yield {"group": row["group"], "kind": ACCEPTED, "reason": reason}


def to_remove(rows: Iterable[dict[str, Any]]) -> dict[str, dict[Partition, int]]:
    """``{group: {(target's topic, partition): offset}}``: what is to be taken away."""
    found: dict[str, dict[Partition, int]] = {}
    for row in rows:
        if row["state"] == PLANNED:
            found.setdefault(row["group"], {})[(row["target_topic"], row["partition"])] = row["offset"]
    return found


def with_left_over(
    others: Iterable[dict[str, Any]], rows: Iterable[dict[str, Any]], named: Collection[str]
) -> list[dict[str, Any]]:
    """What is said of groups that have no answer, or not all of it, with what the target has beside the source."""
    found = {row["group"]: row for row in others}
    by_group: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        by_group.setdefault(row["group"], []).append(row)
    for group, mine in by_group.items():
        why, remedy = _said(mine)
        before = found.get(group)
        if before is None:
            found[group] = {"group": group, "kind": "consumer", "named": group in named, "why": why, "remedy": remedy}
            continue
        # Where a position stands, it is not for auto.offset.reset to say where consumers start.
        alone = before["why"] in (NONE[0], UNSEEN[0], UNKNOWN[0])
        remedy = remedy if alone else f"{before['remedy']}. {remedy}"
        found[group] = {**before, "why": f"{before['why']}; {why}", "remedy": remedy}
    return sorted(found.values(), key=lambda row: row["group"])


def _said(rows: list[dict[str, Any]]) -> tuple[str, str]:
    gone = [row for row in rows if row["state"] in (PLANNED, REMOVED)]
    stay = [row for row in rows if row["state"] in (DOUBTFUL, KEPT)]
    parts = []
    if gone:
        parts.append((AWAY[0].format(named_of(f"{_place(row)} ({row['offset']})" for row in gone)), AWAY[1]))
    if stay:
        places = named_of(f"{_place(row)} at {row['offset']} ({row['reason']})" for row in stay)
        parts.append((STAYS[0].format(places), STAYS[1]))
    return "; ".join(why for why, dummy in parts), ". ".join(remedy for dummy, remedy in parts)


def _place(row: Mapping[str, Any]) -> str:
    return f"{row['target_topic']}-{row['partition']}"
