# SPDX-License-Identifier: GPL-3.0-or-later
"""A whole cluster: its state by aspect."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from .._values.holding import HOLD, holds
from .acls import acls_or_none, as_dict
from .brokers import broker_settings
from .client import KafkaClient
from .groups import describe_groups, list_groups
from .offsets import topic_offsets
from .topics import (
    RETENTION,
    config_entries,
    describe_topics,
    matching,
    of_coordinators,
    own_values,
    topic_names,
    values,
)

ASPECTS = ("topics", "configs", "retention", "offsets", "groups", "acls", "quotas", "deletion")


def cluster_state(
    client: KafkaClient, aspects: Collection[str], topics: str = ".*", groups: str = ".*"
) -> dict[str, Any]:
    """What the cluster holds, by aspect.

    :param aspects: any of :data:`ASPECTS`; ``configs``, ``retention`` and ``offsets`` imply ``topics``.
    :param topics: regular expression for whole names; ``__consumer_offsets`` and ``__transaction_state`` are left out.
    :param groups: regular expression for whole names.
    :returns: ``cluster_id``, ``brokers``,
        ``topics{name: {id, partitions, replication_factor, configs{}, retention{config in effect: limit},
        offsets{partition: {start, end, stable}}}}``,
        ``groups{name: {state, members[]}}``, ``acls[]`` in the form that :func:`.acls.flatten` reads,
        ``acls_bind`` (whether there is an authorizer), ``quotas[]`` in that of :func:`.quotas.flatten`,
        ``deletion_held{broker: whether it was started so that it deletes nothing}``.
    """
    metadata = client.metadata()
    state: dict[str, Any] = {"cluster_id": metadata.cluster_id, "brokers": len(metadata.brokers)}
    if {"topics", "configs", "retention", "offsets"} & set(aspects):
        state["topics"] = _topics_state(client, topic_names(client, topics, of_coordinators), aspects)
    if "groups" in aspects:
        state["groups"] = describe_groups(client, matching(list_groups(client), groups, "groups"), others=True)
    if "acls" in aspects:
        acls = acls_or_none(client)
        state.update(acls=[as_dict(acl) for acl in acls or ()], acls_bind=acls is not None)
    if "quotas" in aspects:
        # kafka-python takes a quarter of a second to load; no other aspect needs it.
        from .quotas import describe_quotas

        state["quotas"] = describe_quotas(client)
    if "deletion" in aspects:
        state["deletion_held"] = {str(number): deletion_held(client, number) for number in sorted(metadata.brokers)}
    return state


def _topics_state(client: KafkaClient, names: list[str], aspects: Collection[str]) -> dict[str, dict[str, Any]]:
    topics: dict[str, dict[str, Any]] = {name: dict(topic) for name, topic in describe_topics(client, names).items()}
    asked = {"configs", "retention"} & set(aspects)
    for name, entries in config_entries(client, names).items() if asked else ():
        if "configs" in asked:
            topics[name]["configs"] = own_values(entries)
        if "retention" in asked:
            topics[name]["retention"] = {key: int(limit) for key, limit in values(entries, RETENTION).items()}
    if "offsets" in aspects:
        for name, offsets in topic_offsets(
            client, {name: topic["partitions"] for name, topic in topics.items()}
        ).items():
            topics[name]["offsets"] = offsets
    return topics


def deletion_held(client: KafkaClient, broker: int) -> bool:
    """Whether a broker was started so that it deletes no expired segment and compacts nothing.

    Kafka tells the delay only where it was set.
    """
    settings = broker_settings(client, broker)
    return holds({key: settings[key].value for key in HOLD if key in settings})
