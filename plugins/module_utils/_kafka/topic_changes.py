# SPDX-License-Identifier: GPL-3.0-or-later
"""Bring topics to a described state: created, more partitions, configs, deleted."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, TypedDict

try:
    from confluent_kafka.admin import NewPartitions, NewTopic
except ImportError:
    pass

from .._errors import RefusedError, TimedOutError, UsageError
from .._values.listing import named
from .._values.portions import RECORDS_A_REQUEST, portions, records_of, requests
from .._values.sendable import sendable
from .._values.setting import alike, setting
from .._values.topic_hold import HOLD
from .client import KafkaClient
from .topic_settings import configure
from .topics import describe_topics, topic_configs

# The text of None, as a template may give it.
NONE = "None"


class WantedTopic(NamedTuple):
    """A topic as described; None is the cluster's default. The config value None takes the config away."""

    partitions: int | None
    replication_factor: int | None
    configs: dict[str, str | None]


class PresentTopic(TypedDict):
    """A topic as it is: its partitions, and the configs that were set on it."""

    partitions: int
    configs: dict[str, str | None]


@dataclass
class _Plan:
    create: list[str] = field(default_factory=list)
    widen: dict[str, int] = field(default_factory=dict)
    configure: dict[str, dict[str, str | None]] = field(default_factory=dict)


def described(topics: Iterable[Mapping[str, Any]]) -> dict[str, WantedTopic]:
    """The wanted topics by name, values of configs as text.

    :param topics: ``[{name, partitions, replication_factor, configs}]``.
    :raises UsageError: a topic has no name.
    """
    wanted = {}
    for topic in topics:
        if not topic.get("name"):
            raise UsageError("A topic has no name", found=str(topic))
        configs = {
            key: None if str(value) == NONE else setting(value) for key, value in (topic.get("configs") or {}).items()
        }
        wanted[topic["name"]] = WantedTopic(topic.get("partitions"), topic.get("replication_factor"), configs)
    return wanted


def ensure_topics(
    client: KafkaClient, topics: Iterable[Mapping[str, Any]], state: str, check_mode: bool
) -> dict[str, Any]:
    """Create, widen, reconfigure or delete topics, and wait until the cluster shows it.

    Configs that are not named are left alone; a value of None removes one. Partitions are never reduced.

    :param topics: ``[{name, partitions, replication_factor, configs, id}]``; with an ``id``, the topic of that id alone
        is deleted.
    :param state: ``present`` or ``absent``.
    :returns: ``changed``, ``created``, ``altered``, ``deleted``, ``topics`` (as they are now) and ``diff``.
    :raises RefusedError: a topic has more partitions than described, or is not the one that is to be deleted.
    """
    topics = list(topics)
    wanted = described(topics)
    client.metadata()
    before = _current(client, wanted)
    if state == "absent":
        _refuse_others(client, topics, before)
        return _delete(client, before, check_mode)
    plan = _plan(wanted, before)
    if not check_mode:
        _create(client, plan.create, wanted)
        _widen(client, plan.widen)
        configure(client, plan.configure, _configs(before))
    now = describe_topics(client, list(wanted))
    return {
        "changed": bool(plan.create or plan.widen or plan.configure),
        "created": sorted(plan.create),
        "altered": sorted({*plan.widen, *plan.configure}),
        "deleted": [],
        "topics": now,
        "diff": {"before": before, "after": _expected(wanted, before)},
    }


def _refuse_others(client: KafkaClient, topics: list[Mapping[str, Any]], present: Collection[str]) -> None:
    """:raises RefusedError: a topic has another id than it was read with: somebody made it again, and what it holds is
    theirs.
    """
    ids = {topic["name"]: topic["id"] for topic in topics if topic.get("id") and topic["name"] in present}
    found = {name: topic["id"] for name, topic in describe_topics(client, list(ids)).items()} if ids else {}
    others = sorted(name for name in found if found[name] != ids[name])
    if others:
        raise RefusedError(
            f"{named(others)} is another topic than the one that was read, so nothing is deleted",
            expected=f"id {ids[others[0]]}",
            found=f"id {found[others[0]]}",
            remedy="Find out who made it again, such as another run of the stage. Let that one finish, then run this "
            "again",
        )


def _delete(client: KafkaClient, before: Mapping[str, PresentTopic], check_mode: bool) -> dict[str, Any]:
    names = sendable(sorted(before), "topic")
    if names and not check_mode:
        configure(client, {name: held for name in names if (held := _held(before[name]))}, _configs(before))
        timeouts = {"request_timeout": client.timeout, "operation_timeout": client.timeout}
        for some in portions(names, RECORDS_A_REQUEST):
            futures = client.ask("delete topics", partial(client.admin.delete_topics, some, **timeouts))
            for name, future in futures.items():
                client.result(future, f"delete topic '{name}'")
        await_topics(client, names, present=False)
    return {
        "changed": bool(names),
        "created": [],
        "altered": [],
        "deleted": names,
        "topics": {},
        "diff": {"before": before, "after": {}},
    }


def _expected(wanted: Mapping[str, WantedTopic], before: Mapping[str, PresentTopic]) -> dict[str, PresentTopic]:
    """The topics as they are once the changes are made."""
    after = dict(before)
    for name, topic in wanted.items():
        present = before.get(name, {"partitions": topic.partitions or 1, "configs": {}})
        configs: dict[str, str | None] = {
            key: value for key, value in {**present["configs"], **topic.configs}.items() if value is not None
        }
        after[name] = {"partitions": max(topic.partitions or 1, present["partitions"]), "configs": configs}
    return after


def _current(client: KafkaClient, names: Collection[str]) -> dict[str, PresentTopic]:
    found = describe_topics(client, names)
    configs = topic_configs(client, list(found))
    return {name: {"partitions": topic["partitions"], "configs": configs[name]} for name, topic in found.items()}


def _configs(topics: Mapping[str, PresentTopic]) -> dict[str, dict[str, str | None]]:
    return {name: topic["configs"] for name, topic in topics.items()}


def _plan(wanted: Mapping[str, WantedTopic], before: Mapping[str, PresentTopic]) -> _Plan:
    plan = _Plan()
    for name, topic in wanted.items():
        if name not in before:
            plan.create.append(name)
            continue
        present = before[name]
        if topic.partitions and present["partitions"] > topic.partitions:
            raise RefusedError(
                f"Topic '{name}' has more partitions than described",
                expected=topic.partitions,
                found=present["partitions"],
                remedy="Partitions cannot be taken away; correct the description",
            )
        if topic.partitions and present["partitions"] < topic.partitions:
            plan.widen[name] = topic.partitions
        changes = {key: value for key, value in topic.configs.items() if not alike(present["configs"].get(key), value)}
        if changes:
            plan.configure[name] = changes
    return plan


def _create(client: KafkaClient, names: list[str], wanted: Mapping[str, WantedTopic]) -> None:
    if not names:
        return
    for some in requests(names, lambda name: records_of(wanted[name].partitions, wanted[name].configs)):
        _create_some(client, some, wanted)
    await_topics(client, names, present=True)


def _create_some(client: KafkaClient, names: list[str], wanted: Mapping[str, WantedTopic]) -> None:
    new = [
        NewTopic(
            name,
            num_partitions=wanted[name].partitions or -1,
            replication_factor=wanted[name].replication_factor or -1,
            config={key: value for key, value in wanted[name].configs.items() if value is not None},
        )
        for name in names
    ]
    futures = client.ask(
        "create topics",
        lambda: client.admin.create_topics(new, request_timeout=client.timeout, operation_timeout=client.timeout),
    )
    for name, future in futures.items():
        client.result(future, f"create topic '{name}'")


def _held(topic: PresentTopic) -> dict[str, None]:
    """What holds off deletion in a topic, to be taken away, so that no topic that is made again under its name shows
    it: see :func:`configure`.
    """
    return {key: None for key, value in topic["configs"].items() if HOLD.get(key) == value}


def _widen(client: KafkaClient, partitions: Mapping[str, int]) -> None:
    for some in requests(partitions.items(), lambda topic: topic[1]):
        asked = [NewPartitions(name, count) for name, count in some]
        for name, future in client.ask("add partitions", partial(client.admin.create_partitions, asked)).items():
            client.result(future, f"add partitions to topic '{name}'")


def await_topics(client: KafkaClient, names: Collection[str], present: bool) -> None:
    """Wait until the cluster shows that these topics exist, or do not. Thousands of partitions take a broker minutes.

    :raises TimedOutError: it shows no further one within the client's timeout.
    """
    end, before = time.monotonic() + client.timeout, len(names)
    while True:
        existing = set(describe_topics(client, names))
        late = [name for name in names if (name in existing) != present]
        if not late:
            return
        if len(late) < before:
            end, before = time.monotonic() + client.timeout, len(late)
        if time.monotonic() > end:
            action = "created" if present else "deleted"
            raise TimedOutError(
                f"{client.name} has not {action} {len(late)} topics, and none of them for {client.timeout} s",
                found=named(late),
                remedy="Look at the controller's log and run this again",
            )
        time.sleep(0.1)
