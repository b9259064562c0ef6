# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Where the groups of a mirror's source stand, or stood last: from the source itself, the position witness, or MirrorMaker 2's checkpoints."""

from __future__ import annotations

from typing import NamedTuple

from ._errors import RefusedError, UsageError
from ._kafka.groups import group_members, group_positions, list_groups
from ._mm2.names import compile_filter


class Position(NamedTuple):
    """``offset`` on the source, said by ``source``, ``witness`` or ``checkpoint``; ``at``: when it last held, seconds since the epoch."""

    offset: int
    said_by: str
    at: float | None


def group_filter(params):
    """A predicate on group names from ``groups``, ``groups_regex`` and ``groups_exclude_regex``."""
    if not params["groups"] and not params["groups_regex"]:
        raise UsageError("No group is named", expected="groups or groups_regex", remedy="Name the groups, or give groups_regex: '.*' for all")
    named = set(params["groups"] or ())
    by_regex = compile_filter(params["groups_regex"], params["groups_exclude_regex"], "groups")
    return lambda name: name in named or by_regex(name)


def wanted_topic(params, names):
    """A predicate on topics of the source: users' data that the mirror copies, and that O(topics) matches."""
    matches = compile_filter(params["topics"])
    return lambda name: matches(name) and names.is_data(name)


def living_positions(source, wanted, topic, known=()):
    """Positions as the source has them now: ``({group: {(topic, partition): Position}}, {group: members there}, groups that are not wanted and have some)``.

    :param known: groups that a witness knows. A broker whose coordinator moves lists its groups as none and calls that no error; they are asked for by name.
    """
    every = sorted({*list_groups(source), *known})
    names = [name for name in every if wanted(name)]
    members = {name: one["members"] for name, one in group_members(source, names).items() if one["members"]}
    found, left = {}, set()
    for name, places in group_positions(source, every, stable=True).items():
        mine = {key: Position(offset, "source", None) for key, offset in places.items() if topic(key[0])}
        if wanted(name):
            found[name] = mine
        elif mine:
            left.add(name)
    return found, members, left


def last_positions(names, known, checkpoints, wanted, topic):
    """Positions as they were seen last before the source was lost, the later of witness and checkpoint for each partition.

    :param known: fold of the witness, or None where there is no such topic.
    :param checkpoints: rows of checkpoints in log order, or None.
    """
    if known is None and not checkpoints:
        raise RefusedError(
            "Where the groups of %s stood is not known in %s" % (names.source, names.target), expected="a position witness's topic, or checkpoints",
            remedy="Set positions_topic to the witness's topic, or give source_client if the source is alive",
        )
    known = known or {"groups": {}, "at": None}
    # A group written after the last whole round still counts; its own time is the later one then.
    found = {}
    for name, one in known["groups"].items():
        if wanted(name):
            at = max(one["at"], known["at"] or 0) / 1000
            places = ((name_, number, offset) for name_, numbers in one["positions"].items() for number, offset in numbers.items())
            found[name] = {(name_, number): Position(offset, "witness", at) for name_, number, offset in places if topic(name_)}
    for row in checkpoints or ():
        original = names.original_of(row.value.topic)
        if original is None or not wanted(row.value.group) or not topic(original) or row.value.upstream < 0:
            continue
        places = found.setdefault(row.value.group, {})
        key, at = (original, row.value.partition), row.timestamp / 1000
        if key not in places or places[key].at < at or (places[key].said_by == "checkpoint" and places[key].at <= at):
            places[key] = Position(row.value.upstream, "checkpoint", at)
    return found
