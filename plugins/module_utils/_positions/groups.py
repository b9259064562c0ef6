# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the groups of a mirror's source stand, or stood last: from the source itself, the position witness, or
MirrorMaker 2's checkpoints.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from .._errors import RefusedError, UsageError
from .._kafka.client import KafkaClient
from .._kafka.groups import group_places, list_groups, memberships
from .._kafka.mm2_topics import Row
from .._mm2.names import MirrorNames, compile_filter
from .._mm2.witness import UNWATCHED_GROUPS
from .._values.askable import is_askable
from .shapes import Known, Partition

Predicate = Callable[[str], bool]
PASSED_OVER = re.compile(UNWATCHED_GROUPS.replace(",", "|"))


class Position(NamedTuple):
    """``offset`` on the source, known from ``origin`` (``source``, ``witness`` or ``checkpoint``).

    ``at``: when it last held, in seconds since the epoch, None where the source itself was asked. ``metadata`` was
    committed with it, such as Kafka Streams' partition time; empty where it is none or not known. ``witnessed``: of a
    checkpoint, what the witness had seen before it.
    """

    offset: int
    origin: str
    at: float | None
    metadata: str = ""
    witnessed: Position | None = None

    def seen(self) -> list[Position]:
        """This one, and what the witness had seen before it."""
        return [self, *([self.witnessed] if self.witnessed else [])]


Positions = dict[str, dict[Partition, Position]]


def group_filter(params: dict[str, Any]) -> Predicate:
    """A predicate on group names from ``groups``, ``groups_regex``, ``groups_exclude_regex`` and ``groups_known``."""
    if not params["groups"] and not params["groups_regex"]:
        raise UsageError(
            "No group is named",
            expected="groups or groups_regex",
            remedy="Name the groups, or give groups_regex: '.*' for all",
        )
    named, own = set(params["groups"] or ()), own_groups(params)
    by_regex = compile_filter(params["groups_regex"], params["groups_exclude_regex"], "groups")
    return lambda name: name in named or (by_regex(name) and not own(name))


def own_groups(params: dict[str, Any]) -> Predicate:
    """A predicate on names of groups of the source: those that are its own, since the translation to it did not know
    them, and neither the caller nor an application names them.
    """
    before = params.get("groups_known")
    if before is None:
        return lambda name: False
    known = {*before, *(params["groups"] or ()), *(params["named_groups"] or ())}
    return lambda name: name not in known


def unreadable(expressions: str, names: Iterable[str] = ()) -> str:
    """Why :func:`group_filter` could not choose groups by these; empty where it can.

    :param expressions: regular expressions, separated by commas. :param names: groups that are named besides.
    """
    try:
        group_filter({"groups": list(names), "groups_regex": expressions, "groups_exclude_regex": ""})
    except UsageError as error:
        return str(error)
    return ""


def wanted_topic(params: dict[str, Any], names: MirrorNames) -> Predicate:
    """A predicate on topics of the source: users' data that the mirror copies, and that O(topics) matches."""
    matches = compile_filter(params["topics"])
    return lambda name: matches(name) and names.is_data(name)


def living_positions(
    source: KafkaClient, wanted: Predicate, topic: Predicate, known: Iterable[str] = (), stable: bool = True
) -> tuple[Positions, dict[str, int], set[str]]:
    """Positions as the source has them now:
    ``({group: {(topic, partition): Position}}, {group: members there}, groups that are not wanted and have some)``.
    Members count where the group has a position in these topics, or they are assigned one, and may commit at any time.

    :param known: groups that a witness knows. A broker whose coordinator moves lists its groups as none and calls that
        no error; they are asked for by name, but for those that nobody can ask about.
    :param stable: whether no transaction may be about to change a position.
    :raises RefusedError: one is.
    """
    every = sorted({*list_groups(source), *filter(is_askable, known)})
    groups = memberships(source, [name for name in every if wanted(name)])
    found: Positions = {}
    left = set()
    # Transactions of groups that work on others' topics are none of ours: they go on while these topics are moved.
    for name, places in group_places(source, every, topic if stable else None).items():
        mine = {
            key: Position(place.offset, "source", None, place.metadata)
            for key, place in places.items()
            if topic(key[0])
        }
        if wanted(name):
            found[name] = mine
        elif mine:
            left.add(name)
    members = {
        name: group["members"] for name, group in groups.items() if found.get(name) or any(map(topic, group["topics"]))
    }
    return found, members, left


def last_positions(
    names: MirrorNames, known: Known | None, checkpoints: Iterable[Row] | None, wanted: Predicate, topic: Predicate
) -> Positions:
    """Positions as they were seen last before the source was lost, the later of witness and checkpoint for each
    partition. A checkpoint that the witness knows to be taken back is none.

    :param known: fold of the witness, or None where there is no such topic.
    :param checkpoints: rows of checkpoints in log order, or None.
    """
    if known is None and not checkpoints:
        raise RefusedError(
            f"Where the groups of {names.source} stood is not known in {names.target}",
            expected="a position witness's topic, or checkpoints",
            remedy="Set positions_topic to the witness's topic, or give source_client if the source is alive",
        )
    known = known or {"groups": {}, "topics": {}, "at": None}
    found = _witnessed(known, wanted, topic)
    for group, key, upstream, at, metadata in _checkpointed(names, checkpoints, wanted, topic):
        if is_taken_back(known, group, key, at):
            continue
        positions = found.setdefault(group, {})
        before = positions.get(key)
        if before is None or _is_later(at, before):
            witnessed = before if before is None or before.origin == "witness" else before.witnessed
            positions[key] = Position(upstream, "checkpoint", at, metadata, witnessed)
    return found


def taken_back(
    names: MirrorNames, known: Known | None, checkpoints: Iterable[Row] | None, wanted: Predicate, topic: Predicate
) -> dict[str, list[str]]:
    """``{group: ["<topic>-<partition>"]}``: where a checkpoint has a position, and the witness saw later that the group
    has none: somebody deleted the group or its position. Parameters as of :func:`last_positions`.
    """
    if known is None:
        return {}
    last = {(group, key): at for group, key, dummy, at, *dummies in _checkpointed(names, checkpoints, wanted, topic)}
    found: dict[str, list[str]] = {}
    for (group, key), at in sorted(last.items()):
        if is_taken_back(known, group, key, at):
            found.setdefault(group, []).append(f"{key[0]}-{key[1]}")
    return found


def _checkpointed(
    names: MirrorNames, checkpoints: Iterable[Row] | None, wanted: Predicate, topic: Predicate
) -> Iterator[tuple[str, Partition, int, float, str]]:
    """``(group, place, position on the source, seconds since the epoch, metadata)`` of checkpoints, in log order.
    Nothing can be committed for a group that cannot be asked about.
    """
    for row in checkpoints or ():
        original, group = names.original_of(row.value.topic), row.value.group
        theirs = is_askable(group) and wanted(group)
        if original is not None and theirs and topic(original) and row.value.upstream >= 0:
            yield (group, (original, row.value.partition), row.value.upstream, row.timestamp / 1000, row.value.metadata)


def is_taken_back(known: Known, group: str, place: Partition, at: float) -> bool:
    """Whether the witness saw later than ``at`` (seconds since the epoch) that a group has no position there. Where the
    topic was made again since, Kafka took the position, and nobody meant it.
    """
    seen = known["groups"].get(group)
    if known["topics"].get(place[0], {}).get("recreated", 0) / 1000 > at:
        return False
    if seen is None:
        return not PASSED_OVER.fullmatch(group) and at < (known["at"] or 0) / 1000
    return place[1] not in seen["positions"].get(place[0], {}) and at < _held(known, seen)


def _witnessed(known: Known, wanted: Predicate, topic: Predicate) -> Positions:
    return {
        name: {
            (topic_name, number): Position(offset, "witness", _held(known, group), _metadata(group, topic_name, number))
            for topic_name, numbers in group["positions"].items()
            if topic(topic_name)
            for number, offset in numbers.items()
        }
        for name, group in known["groups"].items()
        if is_askable(name) and wanted(name)
    }


def _held(known: Known, group: dict[str, Any]) -> float:
    # A group written after the last whole round still counts; its own time is the later one then.
    return max(group["at"], 0 if group.get("seldom") else known["at"] or 0) / 1000


def _metadata(group: dict[str, Any], topic: str, number: int) -> str:
    return group.get("metadata", {}).get(topic, {}).get(number, "")


def _is_later(at: float, known: Position) -> bool:
    """Whether a checkpoint of that time comes after what is known; of two checkpoints the later one in the log does."""
    return known.at is None or known.at < at or (known.origin == "checkpoint" and known.at <= at)
