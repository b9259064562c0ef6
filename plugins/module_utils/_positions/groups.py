# SPDX-License-Identifier: GPL-3.0-or-later
"""Where the groups of a mirror's source stand, or stood last: from the source itself, the position witness, or
MirrorMaker 2's checkpoints.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from .._errors import RefusedError, UsageError
from .._kafka.client import KafkaClient
from .._kafka.groups import group_positions, list_groups, memberships
from .._kafka.mm2_topics import Row
from .._mm2.names import MirrorNames, compile_filter
from .shapes import Known, Partition

Predicate = Callable[[str], bool]


class Position(NamedTuple):
    """``offset`` on the source, known from ``origin`` (``source``, ``witness`` or ``checkpoint``); ``at``: when it last
    held, in seconds since the epoch, None where the source itself was asked.
    """

    offset: int
    origin: str
    at: float | None


Positions = dict[str, dict[Partition, Position]]


def group_filter(params: dict[str, Any]) -> Predicate:
    """A predicate on group names from ``groups``, ``groups_regex`` and ``groups_exclude_regex``."""
    if not params["groups"] and not params["groups_regex"]:
        raise UsageError(
            "No group is named",
            expected="groups or groups_regex",
            remedy="Name the groups, or give groups_regex: '.*' for all",
        )
    named = set(params["groups"] or ())
    by_regex = compile_filter(params["groups_regex"], params["groups_exclude_regex"], "groups")
    return lambda name: name in named or by_regex(name)


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
        no error; they are asked for by name.
    :param stable: whether no transaction may be about to change a position.
    :raises RefusedError: one is.
    """
    every = sorted({*list_groups(source), *known})
    groups = memberships(source, [name for name in every if wanted(name)])
    found: Positions = {}
    left = set()
    # Transactions of groups that work on others' topics are none of ours: they go on while these topics are moved.
    for name, places in group_positions(source, every, topic if stable else None).items():
        mine = {key: Position(offset, "source", None) for key, offset in places.items() if topic(key[0])}
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
    partition.

    :param known: fold of the witness, or None where there is no such topic.
    :param checkpoints: rows of checkpoints in log order, or None.
    """
    if known is None and not checkpoints:
        raise RefusedError(
            f"Where the groups of {names.source} stood is not known in {names.target}",
            expected="a position witness's topic, or checkpoints",
            remedy="Set positions_topic to the witness's topic, or give source_client if the source is alive",
        )
    known = known or {"groups": {}, "at": None}
    found = _witnessed(known, wanted, topic)
    for row in checkpoints or ():
        original = names.original_of(row.value.topic)
        if original is None or not wanted(row.value.group) or not topic(original) or row.value.upstream < 0:
            continue
        positions = found.setdefault(row.value.group, {})
        key, at = (original, row.value.partition), row.timestamp / 1000
        if key not in positions or _is_later(at, positions[key]):
            positions[key] = Position(row.value.upstream, "checkpoint", at)
    return found


def _witnessed(known: Known, wanted: Predicate, topic: Predicate) -> Positions:
    def held(group: dict[str, Any]) -> float:
        # A group written after the last whole round still counts; its own time is the later one then.
        return max(group["at"], 0 if group.get("seldom") else known["at"] or 0) / 1000

    return {
        name: {
            (topic_name, number): Position(offset, "witness", held(group))
            for topic_name, numbers in group["positions"].items()
            if topic(topic_name)
            for number, offset in numbers.items()
        }
        for name, group in known["groups"].items()
        if wanted(name)
    }


def _is_later(at: float, known: Position) -> bool:
    """Whether a checkpoint of that time comes after what is known; of two checkpoints the later one in the log does."""
    return known.at is None or known.at < at or (known.origin == "checkpoint" and known.at <= at)
