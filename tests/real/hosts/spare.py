# SPDX-License-Identifier: GPL-3.0-or-later
"""Guarded brokers that one test hands on to the next, as empty as a new one is: to start one costs more than most tests
compute besides.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from confluent_kafka import KafkaException
from confluent_kafka.admin import (
    AclBindingFilter,
    AclOperation,
    AclPermissionType,
    AdminClient,
    ConfigResource,
    ConfigSource,
    ResourcePatternType,
    ResourceType,
)

from tests.real.ledger.guarded import guarded
from tests.support.kafka import Kafka

ANYTHING: Any = None
EVERY_ACL = AclBindingFilter(
    ResourceType.ANY, ANYTHING, ResourcePatternType.ANY, ANYTHING, ANYTHING, AclOperation.ANY, AclPermissionType.ANY
)
# Kafka's own, which stay: what they hold is of groups and transactions that are gone.
OWN = {"__consumer_offsets", "__transaction_state", "__share_group_state"}
SECONDS = 20

Guarded = tuple[Kafka, Callable[[str], dict[str, Any]]]
Kind = tuple[Any, ...]
_spare: dict[Kind, Guarded] = {}
_kinds: dict[int, tuple[Kind, Guarded]] = {}


def taken(directory: Path, name: str, users: Iterable[str], config: dict[str, Any]) -> Guarded:
    """A guarded broker without topics, groups and ACLs: one that an earlier test gave back, or a new one.

    :param directory: of the test; a broker's own directory is beside it, since it outlives the test.
    """
    kind = (name, tuple(users), tuple(sorted(config.items())))
    found = _spare.pop(kind, None)
    if found is None or not found[0].alive():
        number = len(_kinds)
        found = guarded(directory.parent / f"spare-{name}-{number}", name, kind[1], config)
        _kinds[id(found[0])] = (kind, found)
    return found


def given_back(broker: Kafka) -> None:
    """Keep a broker for a later test; one that is not alive, or not to be emptied, is ended."""
    kind, found = _kinds[id(broker)]
    if broker.alive() and kind not in _spare and emptied(broker):
        _spare[kind] = found
    else:
        broker.stop()


def emptied(broker: Kafka) -> bool:
    """Take everything away that a test can have left, and look whether it is gone."""
    client = AdminClient({**broker.client, "log_level": 0})
    try:
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            left = _left(client)
            if not any(left):
                return not _set_meanwhile(client)
            _remove(client, *left)
            time.sleep(0.1)
    except (KafkaException, TimeoutError):
        pass
    return False


def _left(client: AdminClient) -> tuple[list[str], list[str], list[Any]]:
    """Topics, groups and ACLs."""
    topics = sorted(set(client.list_topics(timeout=SECONDS).topics) - OWN)
    groups = client.list_consumer_groups().result(SECONDS)
    if groups.errors:
        raise groups.errors[0]
    acls = client.describe_acls(EVERY_ACL).result(SECONDS)
    return topics, [group.group_id for group in groups.valid], acls


def _remove(client: AdminClient, topics: list[str], groups: list[str], acls: list[Any]) -> None:
    """Begin to; what fails, as for a group with members, is still there at the next look."""
    begun = [
        *(client.delete_consumer_groups(groups).values() if groups else []),
        *(client.delete_topics(topics).values() if topics else []),
        *(client.delete_acls([EVERY_ACL]).values() if acls else []),
    ]
    for future in begun:
        try:
            future.result(SECONDS)
        except (KafkaException, TimeoutError):
            continue


def _set_meanwhile(client: AdminClient) -> set[str]:
    """What was set on the broker while it ran, but for what Kafka itself sets of a new cluster (KIP-966)."""
    (asked,) = client.describe_configs([ConfigResource(ConfigResource.Type.BROKER, "1")]).values()
    dynamic = {ConfigSource.DYNAMIC_BROKER_CONFIG.value, ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG.value}
    found = {name for name, entry in asked.result(SECONDS).items() if entry.source in dynamic}
    return found - {"min.insync.replicas"}
