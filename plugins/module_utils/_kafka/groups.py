# SPDX-License-Identifier: GPL-3.0-or-later
"""Consumer groups: their names, members and positions, many at once. A partial answer is never returned.

librdkafka takes one group a request for positions, so requests are sent side by side and awaited together: a thousand
groups cost little more than the longest answer.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Mapping
from concurrent.futures import Future
from functools import partial
from typing import Any, NamedTuple, TypedDict

try:
    from confluent_kafka import ConsumerGroupTopicPartitions, KafkaException
except ImportError:
    pass

from .._errors import KafkaDrError, RefusedError
from .._values.askable import is_askable
from .client import KafkaClient
from .coordinators import ABSENT, await_coordinators, batches, described, once_loaded, unless_absent
from .offsets import Partition

UNSETTLED = "UNSTABLE_OFFSET_COMMIT"
# The state of a group that is none of consumers, such as that of Connect's workers.
OTHERS = "OF_ANOTHER_PROTOCOL"


class Member(TypedDict):
    """One member of a group."""

    id: str
    host: str


class GroupDescription(TypedDict):
    """One group: ``state`` is the name of a ``ConsumerGroupState``, such as ``STABLE``, or :data:`OTHERS`."""

    state: str
    members: list[Member]


class Membership(TypedDict):
    """How many live members a group has, and the topics that these are assigned."""

    members: int
    topics: set[str]


def list_groups(client: KafkaClient) -> list[str]:
    """Names of all consumer groups that can be asked about, sorted. librdkafka cuts names off at a NUL, so that one may
    come twice.

    :raises KafkaDrError: a broker did not answer, or still loads its groups when the client's time is over.
    """
    return once_loaded(client, lambda: _list_groups(client))


def _list_groups(client: KafkaClient) -> list[str]:
    listed = client.result(
        client.ask("list groups", lambda: client.admin.list_consumer_groups(request_timeout=client.timeout)),
        "list groups",
    )
    if listed.errors:
        raise client.translate(KafkaException(listed.errors[0]), "list groups")
    return sorted({group.group_id for group in listed.valid if is_askable(group.group_id)})


def every_group(client: KafkaClient, named: Iterable[str] = ()) -> dict[str, int]:
    """``{group: number of members}`` of groups of every protocol, including those of Connect workers.

    The newer requests of librdkafka know consumer groups only (KIP-848 and before), and refuse to describe a group of
    workers. The older request, deprecated for that, is the only one that shows them.

    :param named: groups that must be seen if they exist.
    :raises AuthorizationError: this principal may not describe one of them, so that Kafka does not list it.
    """
    found: dict[str, int] = {}
    for group in _listed(client):
        if group.state != "Dead":
            # Of two names that are cut off to this one, neither hides the other's members.
            found[group.id] = max(found.get(group.id, 0), len(group.members))
    once_loaded(client, lambda: describe_groups(client, set(named) - set(found)))
    return found


def unlike_consumers(client: KafkaClient, consumers: Iterable[str]) -> list[str]:
    """Names of groups that are neither consumer groups nor Connect workers: share groups and streams groups; and of
    those that cannot be asked about.

    librdkafka's list of consumer groups leaves them out; its older request names them and calls them dead.
    """
    listed = _listed(client)
    return sorted({group.id for group in listed if group.state == "Dead" or not is_askable(group.id)} - set(consumers))


def workers_of(client: KafkaClient, group: str) -> tuple[str, list[str]]:
    """``(state, ids of the members)`` of a group of Connect workers; ``("Empty", [])`` if it does not exist.

    :raises AuthorizationError: this principal may not describe it, so that Kafka does not list it.
    """
    await_coordinators(client, [group])
    found = next((row for row in _listed(client, group) if row.id == group and row.state != "Dead"), None)
    if found is None:
        describe_groups(client, [group])
        return "Empty", []
    return found.state, sorted(member.id for member in found.members)


def _listed(client: KafkaClient, group: str | None = None) -> list[Any]:
    options: dict[str, Any] = {"timeout": client.timeout}
    if group is not None:
        options["group"] = group
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        listed = client.ask("list groups", lambda: client.admin.list_groups(**options))
    for row in listed:
        if row.error is not None:
            raise client.translate(KafkaException(row.error), f"describe group '{row.id}'")
    return listed


def delete_groups(client: KafkaClient, groups: Iterable[str]) -> list[str]:
    """Delete groups that have no members; groups that do not exist are left out.

    :returns: names of the groups deleted.
    :raises KafkaDrError: a group has members, or the cluster refuses.
    """
    deleted = []
    for some in batches(groups):
        futures = client.ask(
            "delete groups", partial(client.admin.delete_consumer_groups, some, request_timeout=client.timeout)
        )
        for name, future in futures.items():
            try:
                client.result(future, f"delete group '{name}'")
                deleted.append(name)
            except KafkaDrError as error:
                if error.facts.get("code") not in ABSENT:
                    raise
    return sorted(deleted)


def describe_groups(client: KafkaClient, groups: Iterable[str], others: bool = False) -> dict[str, GroupDescription]:
    """``{group: description}`` of consumer groups; groups that do not exist are left out.

    :param others: whether groups of another protocol may be among them: without members, in the state :data:`OTHERS`.
    :raises KafkaDrError: a group has no answer, or is of another protocol and may not be.
    """
    return {name: _description(group) for name, group in described(client, groups, others)}


def _description(group: Any) -> GroupDescription:
    if group is None:
        return {"state": OTHERS, "members": []}
    members: list[Member] = [{"id": member.member_id, "host": member.host} for member in group.members]
    return {"state": group.state.name, "members": members}


def memberships(client: KafkaClient, groups: Iterable[str]) -> dict[str, Membership]:
    """``{group: membership}`` of the consumer groups that have members; groups of another protocol are left out.

    :raises KafkaDrError: a group has no answer.
    """
    return {
        name: {
            "members": len(group.members),
            "topics": {
                place.topic
                for member in group.members
                for place in (member.assignment.topic_partitions if member.assignment is not None else ())
            },
        }
        for name, group in described(client, groups, others=True)
        if group is not None and group.members
    }


class Place(NamedTuple):
    """A committed position, and the text that was committed with it; empty where there is none."""

    offset: int
    metadata: str


def offsets_of(places: Mapping[str, Mapping[Partition, Place]]) -> dict[str, dict[Partition, int]]:
    """The same without metadata."""
    return {group: {key: place.offset for key, place in mine.items()} for group, mine in places.items()}


def group_positions(
    client: KafkaClient, groups: Iterable[str], stable: Callable[[str], bool] | None = None
) -> dict[str, dict[Partition, int]]:
    """``{group: {(topic, partition): offset}}``, as :func:`group_places` reads them."""
    return offsets_of(group_places(client, groups, stable))


def group_places(
    client: KafkaClient, groups: Iterable[str], stable: Callable[[str], bool] | None = None
) -> dict[str, dict[Partition, Place]]:
    """``{group: {(topic, partition): Place}}``; a group or partition without a committed position is left out.

    :param stable: of a topic's name, whether no transaction may be about to change a position there (KIP-447), so that
        it does not move afterwards; one elsewhere that is about to change is left out. None takes them as they are.
    :raises KafkaDrError: a group or a partition has no answer. :raises RefusedError: a transaction that commits
        positions of a group in such a topic is open.
    """
    found: dict[str, dict[Partition, Place]] = {}
    for some in batches(groups):
        futures: dict[str, Future] = {}
        await_coordinators(client, some)
        for name in some:
            asked = [ConsumerGroupTopicPartitions(name)]
            futures.update(
                client.ask(
                    "read positions",
                    partial(
                        client.admin.list_consumer_group_offsets,
                        asked,
                        require_stable=stable is not None,
                        request_timeout=client.timeout,
                    ),
                )
            )
        for name, future in futures.items():
            what = f"read the positions of group '{name}'"
            group = unless_absent(client, future, what)
            for place in group.topic_partitions if group is not None else ():
                if place.error is not None and not _about_to_change(client, place, what, stable):
                    raise client.translate(KafkaException(place.error), what)
                if place.offset >= 0 and place.error is None:
                    text = getattr(place, "metadata", None) or ""
                    found.setdefault(name, {})[(place.topic, place.partition)] = Place(place.offset, text)
    return found


def _about_to_change(client: KafkaClient, place: Any, what: str, stable: Callable[[str], bool] | None) -> bool:
    """Whether a place has no answer since a transaction is about to commit it; refused where that may not be."""
    if stable is None or place.error.name() != UNSETTLED:
        return False
    if stable(place.topic):
        raise RefusedError(
            f"Cannot {what} on {client.name}",
            expected="positions at rest",
            found=f"a transaction that commits its positions, that in {place.topic}-{place.partition} among them",
            remedy="Stop these consumers, or wait for their transaction.timeout.ms, and run this again",
        )
    return True


def positions_in(client: KafkaClient, topics: Collection[str]) -> dict[str, dict[str, dict[str, int]]]:
    """``{group: {topic: {partition as text: offset}}}``: the committed positions of every group in these topics.

    :raises KafkaDrError: a broker, a group or a partition has no answer.
    """
    found: dict[str, dict[str, dict[str, int]]] = {}
    for group, places in group_positions(client, list_groups(client)).items():
        for (topic, number), offset in places.items():
            if topic in topics:
                found.setdefault(group, {}).setdefault(topic, {})[str(number)] = offset
    return found
