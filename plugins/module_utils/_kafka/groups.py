# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Positions and members of many consumer groups at once.

librdkafka takes one group a request for positions, so requests are sent side by side and awaited together; the broker answers them as they
come, and a thousand groups cost little more than the longest answer.
"""

from __future__ import annotations

import time
import warnings

try:
    from confluent_kafka import ConsumerGroupState, ConsumerGroupTopicPartitions, KafkaException
except ImportError:
    pass

from .._errors import KafkaDrError
from .client import partition

TOGETHER = 500
ABSENT = ("GROUP_ID_NOT_FOUND",)
COORDINATOR_MOVES = ("NOT_COORDINATOR", "COORDINATOR_NOT_AVAILABLE", "COORDINATOR_LOAD_IN_PROGRESS")


def list_groups(client):
    """Names of all consumer groups, sorted.

    :raises KafkaDrError: a broker did not answer; a list in part is never used.
    """
    listed = client.result(client.ask("list groups", lambda: client.admin.list_consumer_groups(request_timeout=client.timeout)), "list groups")
    if listed.errors:
        raise client.translate(KafkaException(listed.errors[0]), "list groups")
    return sorted(one.group_id for one in listed.valid)


def every_group(client):
    """``{group: number of members}`` of groups of every protocol, Connect workers' among them.

    The newer requests of librdkafka know consumer groups only (KIP-848 and before), and refuse to describe a group of workers; the older one,
    deprecated for that, is the only one that shows them.
    """
    return {one.id: len(one.members) for one in _listed(client) if one.state != "Dead"}


def workers_of(client, group):
    """``(state of the group, ids of its members)`` of Connect workers; ``("Empty", [])`` where there is no such group."""
    found = next((one for one in _listed(client, group) if one.id == group and one.state != "Dead"), None)
    return ("Empty", []) if found is None else (found.state, sorted(member.id for member in found.members))


def _listed(client, group=None):
    words = {"timeout": client.timeout} if group is None else {"group": group, "timeout": client.timeout}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        listed = client.ask("list groups", lambda: client.admin.list_groups(**words))
    for one in listed:
        if one.error is not None:
            raise client.translate(KafkaException(one.error), "describe group '%s'" % one.id)
    return listed


def delete_groups(client, groups):
    """Delete groups that have no members; those that do not exist are left out.

    :returns: names of the groups deleted.
    :raises KafkaDrError: a group has members, or the cluster refuses.
    """
    deleted = []
    for some in _batches(groups):
        for name, future in client.ask("delete groups", lambda names=some: client.admin.delete_consumer_groups(names, request_timeout=client.timeout)).items():
            try:
                client.result(future, "delete group '%s'" % name)
                deleted.append(name)
            except KafkaDrError as error:
                if error.facts.get("code") not in ABSENT:
                    raise
    return sorted(deleted)


def group_members(client, groups):
    """``{group: {state, members}}`` with the number of members; a group that does not exist is left out."""
    found = {}
    for some in _batches(groups):
        futures = client.ask("describe groups", lambda names=some: client.admin.describe_consumer_groups(names, request_timeout=client.timeout))
        for name, future in futures.items():
            one = _unless_absent(client, future, "describe group '%s'" % name)
            if one is not None and one.state != ConsumerGroupState.DEAD:
                found[name] = {"state": one.state.name, "members": len(one.members)}
    return found


def group_positions(client, groups, stable=False):
    """``{group: {(topic, partition): offset}}``; a group or partition without a committed position is left out.

    :param stable: wait for offsets that a transaction is about to commit (KIP-447), so that they do not move afterwards.
    """
    found = {}
    for some in _batches(groups):
        futures = {}
        for name in some:
            asked = [ConsumerGroupTopicPartitions(name)]
            futures.update(client.ask("read positions", lambda a=asked: client.admin.list_consumer_group_offsets(
                a, require_stable=stable, request_timeout=client.timeout)))
        for name, future in futures.items():
            what = "read the positions of group '%s'" % name
            one = _unless_absent(client, future, what)
            for place in one.topic_partitions if one is not None else ():
                if place.error is not None:
                    raise client.translate(KafkaException(place.error), what)
                if place.offset >= 0:
                    found.setdefault(name, {})[(place.topic, place.partition)] = place.offset
    return found


def commit_positions(client, positions):
    """Commit, asking again while a coordinator is being elected or loads.

    :returns: ``{group: KafkaDrError}`` of those that were not committed, or only in part.
    """
    end = time.monotonic() + client.timeout
    failed = _commit_once(client, positions)
    while time.monotonic() < end:
        again = {name: positions[name] for name, error in failed.items() if error.facts.get("code") in COORDINATOR_MOVES}
        if not again:
            break
        time.sleep(0.2)
        failed = {**{name: error for name, error in failed.items() if name not in again}, **_commit_once(client, again)}
    return failed


def _commit_once(client, positions):
    """Commit ``{group: {(topic, partition): offset}}``; groups with members are refused by the broker.

    :returns: ``{group: KafkaDrError}`` of those that were not committed, or only in part.
    """
    failed = {}
    for some in _batches(positions):
        futures = {}
        for name in some:
            places = [partition(topic, number, offset) for (topic, number), offset in sorted(positions[name].items())]
            asked = [ConsumerGroupTopicPartitions(name, places)]
            futures.update(client.ask("commit positions", lambda a=asked: client.admin.alter_consumer_group_offsets(a, request_timeout=client.timeout)))
        for name, future in futures.items():
            what = "commit the positions of group '%s'" % name
            try:
                answer = client.result(future, what)
                errors = [place.error for place in answer.topic_partitions if place.error is not None]
                if errors:
                    raise client.translate(KafkaException(errors[0]), what)
            except KafkaDrError as error:
                failed[name] = error
    return failed


def _unless_absent(client, future, what):
    try:
        return client.result(future, what)
    except KafkaDrError as error:
        if error.facts.get("code") in ABSENT:
            return None
        raise


def _batches(names):
    names = sorted(names)
    for begin in range(0, len(names), TOGETHER):
        yield names[begin:begin + TOGETHER]
