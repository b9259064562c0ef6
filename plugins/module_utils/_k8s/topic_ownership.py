# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the Topic Operator owns topics that a mirror has made: it does when their region is the active one, and not
while a mirror configures them. Pure.
"""

from __future__ import annotations

import re
from typing import Any

from .kafka_changes import UNMANAGED, contested, managed, topic_of
from .kafka_resources import kafka_topic

# Marks what a stage has left, so that another stage may let go of it without asking.
LEFT_BY = "kafka-dr.streamsafe/left-by"


def has_topic_operator(kafka: dict[str, Any] | None) -> bool:
    """Whether a Topic Operator works for this ``Kafka``, or ``EventStreams``, resource; it may be missing."""
    spec = (kafka or {}).get("spec") or {}
    operators = (spec.get("strimziOverrides") or spec).get("entityOperator") or {}
    # An empty object is an operator with defaults.
    return operators.get("topicOperator") is not None


def topics_to_own(
    topics: list[dict[str, Any]],
    existing: list[dict[str, Any]],
    cluster: str,
    namespace: str,
    api_version: str,
    stage: str = "failover",
) -> list[dict[str, Any]]:
    """What to apply (as a merge patch) so that there is a managed KafkaTopic for each topic, which says of it what is
    so.

    :param topics: ``[{name, partitions, replication_factor, configs}]``, as they are in Kafka.
    :param existing: KafkaTopics of the cluster as read. What others made, managed or not, is left alone.
    """
    by_topic = {topic_of(resource): resource for resource in existing}
    bodies = []
    for topic in topics:
        resource = by_topic.get(topic["name"])
        body = kafka_topic(topic, cluster, namespace, api_version)
        body["metadata"]["labels"][LEFT_BY] = stage
        if resource is None:
            bodies.append(body)
        elif _is_left(resource) and not managed(resource) and not resource["metadata"].get("deletionTimestamp"):
            bodies.append(_managed_again(resource, body, namespace))
    return bodies


def _managed_again(resource: dict[str, Any], body: dict[str, Any], namespace: str) -> dict[str, Any]:
    config = body["spec"].setdefault("config", {})
    # What is no longer set on the topic has to leave the resource, or the operator would set it again.
    config.update({key: None for key in ((resource.get("spec") or {}).get("config") or {}) if key not in config})
    return {
        "apiVersion": resource.get("apiVersion") or body["apiVersion"],
        "kind": "KafkaTopic",
        "spec": body["spec"],
        "metadata": {"name": resource["metadata"]["name"], "namespace": namespace, "annotations": {UNMANAGED: None}},
    }


def topics_to_let_go(
    mirror: dict[str, Any], existing: list[dict[str, Any]], everything: bool = False, stage: str = "failover"
) -> list[dict[str, Any]]:
    """What to apply (as a merge patch) so that the Topic Operator leaves alone what this mirror configures and a stage
    had given it.

    :param everything: whether KafkaTopics that others made are meant too. They are marked, so that
        :func:`topics_to_own` gives them back.
    """
    names = set(contested(mirror, existing))
    return [
        _unmanaged(resource, stage)
        for resource in existing
        if topic_of(resource) in names and (everything or _is_left(resource))
    ]


def topics_to_disown(existing: list[dict[str, Any]], pattern: str, stage: str = "failover") -> list[dict[str, Any]]:
    """What to apply (as a merge patch) so that the Topic Operator leaves alone every topic whose whole name the pattern
    matches, such as those that a stage deletes. They are marked, so that :func:`topics_to_own` gives them back.
    """
    return [
        _unmanaged(resource, stage)
        for resource in existing
        if managed(resource) and re.fullmatch(pattern, topic_of(resource))
    ]


def _unmanaged(resource: dict[str, Any], stage: str) -> dict[str, Any]:
    return {
        "apiVersion": resource["apiVersion"],
        "kind": "KafkaTopic",
        "metadata": {
            "name": resource["metadata"]["name"],
            "namespace": resource["metadata"]["namespace"],
            "annotations": {UNMANAGED: "false"},
            **({} if _is_left(resource) else {"labels": {LEFT_BY: stage}}),
        },
    }


def _is_left(resource: dict[str, Any]) -> bool:
    return LEFT_BY in (resource["metadata"].get("labels") or {})
