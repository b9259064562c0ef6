# SPDX-License-Identifier: GPL-3.0-or-later
"""What is to change in KafkaUsers, KafkaTopics and a Kafka that are there already, and how they are kept for a cluster
that is made again. Pure.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Sequence
from typing import Any

from .._errors import UsageError
from .._inventory.mirrors import target_topics_pattern
from .._mm2.mirror_config import connector_configs
from .._values.setting import setting
from .kafka_resources import CLUSTER_LABEL, PAUSE, acl_rule, waiting_for
from .secret_plan import NEVER_COPIED, left

UNMANAGED = "strimzi.io/managed"
# KafkaUserQuotas of Strimzi.
QUOTAS = {
    "producer_byte_rate": "producerByteRate",
    "consumer_byte_rate": "consumerByteRate",
    "request_percentage": "requestPercentage",
    "controller_mutation_rate": "controllerMutationRate",
}


def rights(rules: list[dict[str, Any]], acls: list[dict[str, Any]], how: str) -> list[dict[str, Any]]:
    """The rules of a KafkaUser after ACLs were put in or taken away.

    :param rules: ``spec.authorization.acls`` as they are.
    :param acls: ACLs of this user, as the module ``acls`` takes them.
    :param how: ``exactly`` (nothing else stays), ``add`` or ``remove``, which leave alone what others gave the user, or
        ``without_allow``, which leaves nothing but what denies.
    """
    if how == "without_allow":
        return [rule for rule in rules if (rule.get("type") or "allow") == "deny"]
    named = [acl_rule(acl) for acl in acls]
    if how == "exactly":
        return named
    if how == "remove":
        gone = {flat for rule in named for flat in _flat(rule)}
        return _only(rules, lambda flat: flat not in gone)
    have = {flat for rule in rules for flat in _flat(rule)}
    result = _only(rules, lambda flat: True)
    for rule in named:
        # The same right may be named twice, by what was kept and by what is derived.
        result += _only([rule], lambda flat: flat not in have)
        have.update(_flat(rule))
    return result


def _operations(rule: dict[str, Any]) -> list[str]:
    # v1beta2 also knew a single one.
    return rule.get("operations") or [rule[key] for key in ("operation",) if rule.get(key)]


def _flat(rule: dict[str, Any]) -> set[tuple[str, ...]]:
    resource = rule["resource"]
    kind = resource["type"]
    # A cluster has no name; a name without a pattern is meant literally.
    place = (kind,) if kind == "cluster" else (kind, resource.get("name"), resource.get("patternType") or "literal")
    return {
        (rule.get("type") or "allow", rule.get("host") or "*", operation, *place) for operation in _operations(rule)
    }


def _only(rules: list[dict[str, Any]], keeps: Callable[..., Any]) -> list[dict[str, Any]]:
    kept = []
    for rule in rules:
        operations = [
            operation
            for operation in _operations(rule)
            if any(keeps(flat) for flat in _flat({**rule, "operations": [operation]}))
        ]
        # A rule without operations allows nothing; read through v1, one that has only the older field has none, and no
        # operator that serves v1 reads that.
        if operations and operations == rule.get("operations"):
            kept.append(rule)
        elif operations:
            kept.append({**{key: value for key, value in rule.items() if key != "operation"}, "operations": operations})
    return kept


def user_quotas(quotas: list[dict[str, dict[str, Any]]], existing: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """What to apply (as a merge patch) so that KafkaUsers say of their users which quotas they have, and the User
    Operator lets them be.

    :param quotas: as the module ``client_quotas`` takes them; those of others than users alone have no place in a
        KafkaUser.
    :param existing: KafkaUsers of the cluster as read.
    :returns: one body for each KafkaUser that differs.
    :raises UsageError: a KafkaUser cannot say it.
    """
    by_principal = {_principal(resource): resource for resource in existing}
    patches = []
    for quota in quotas:
        user = by_principal.get(quota["entity"]["user"]) if set(quota["entity"]) == {"user"} else None
        if user is None:
            continue
        wanted = {QUOTAS[name]: value for name, value in (quota.get("limits") or {}).items() if name in QUOTAS}
        if (wanted.get("requestPercentage") or 0) % 1:
            raise UsageError(
                f"KafkaUser '{user['metadata']['name']}' cannot have this quota",
                expected="a request_percentage without a fraction",
                found=wanted["requestPercentage"],
            )
        has = (user.get("spec") or {}).get("quotas") or {}
        if any(has.get(name) != value for name, value in wanted.items()):
            patches.append(
                {
                    "apiVersion": user["apiVersion"],
                    "kind": user["kind"],
                    "spec": {"quotas": wanted},
                    "metadata": {"name": user["metadata"]["name"], "namespace": user["metadata"]["namespace"]},
                }
            )
    return patches


def _principal(user: dict[str, Any]) -> str:
    kind = (((user.get("spec") or {}).get("authentication")) or {}).get("type")
    return ("CN=" if kind in ("tls", "tls-external") else "") + user["metadata"]["name"]


def topic_changes(
    topics: list[dict[str, Any]],
    existing: list[dict[str, Any]],
    kept: Sequence[dict[str, Any]] = (),
    namespace: str | None = None,
) -> list[dict[str, Any]]:
    """What to apply (as a merge patch) so that KafkaTopics say of these topics what is wanted, and the Topic Operator
    does it.

    :param topics: ``[{name, partitions, configs}]``; a config of None is taken away, one that is not named stays.
    :param existing: KafkaTopics of the cluster as read.
    :param kept: KafkaTopics of a cluster that is made again, as :func:`bare` gives them.
    :returns: one body for each topic that a KafkaTopic, there or kept, is about, and that differs.
    """
    current = {topic_of(resource): resource for resource in existing if managed(resource)}
    before = {topic_of(resource): resource for resource in kept if managed(resource)}
    patches = []
    for topic in topics:
        name = topic["name"]
        body = current.get(name) or before.get(name)
        if body is None:
            continue
        is_new = name not in current
        change = _topic_change(topic, body.get("spec") or {}, is_new)
        if change.get("config") or "partitions" in change or is_new:
            copied = ("name", "labels", "annotations") if is_new else ("name",)
            metadata = {key: value for key, value in body["metadata"].items() if key in copied}
            patches.append(
                {
                    "apiVersion": body["apiVersion"],
                    "kind": "KafkaTopic",
                    "metadata": {**metadata, "namespace": namespace},
                    "spec": {key: value for key, value in change.items() if value != {}},
                }
            )
    return patches


def _topic_change(topic: dict[str, Any], spec: dict[str, Any], is_new: bool) -> dict[str, Any]:
    """What differs between a topic and the spec of its KafkaTopic; the whole spec where the KafkaTopic is new."""
    configs = {key: None if value is None else setting(value) for key, value in (topic.get("configs") or {}).items()}
    change: dict[str, Any]
    if is_new:
        set_configs = {key: value for key, value in configs.items() if value is not None}
        change = {**spec, "config": {**(spec.get("config") or {}), **set_configs}}
    else:
        now = {key: setting(value) for key, value in (spec.get("config") or {}).items()}
        change = {"config": {key: value for key, value in configs.items() if now.get(key) != value}}
    if topic.get("partitions") and int(topic["partitions"]) > int(spec.get("partitions") or 0):
        change["partitions"] = int(topic["partitions"])
    return change


def topic_of(resource: dict[str, Any]) -> str:
    """Name of the topic that a KafkaTopic is about."""
    return (resource.get("spec") or {}).get("topicName") or resource["metadata"]["name"]


def managed(resource: dict[str, Any]) -> bool:
    """Whether the Topic Operator keeps the topic as the KafkaTopic says."""
    meta = resource["metadata"]
    return (meta.get("annotations") or {}).get(UNMANAGED) != "false" and not meta.get("deletionTimestamp")


def topics_waiting_for(existing: list[dict[str, Any]], names: list[str]) -> list[str]:
    """What keeps the Topic Operator from having done what KafkaTopics say of these topics, one sentence each; those it
    is to leave alone are never Ready.

    :param existing: KafkaTopics of the cluster as read.
    :param names: of topics; others are not waited for.
    """
    wanted = set(names)
    return waiting_for([resource for resource in existing if managed(resource) and topic_of(resource) in wanted])


def contested(mirror: dict[str, Any], existing: list[dict[str, Any]]) -> list[str]:
    """Topics that both a mirror and the Topic Operator of its target would configure, each for ever putting back what
    the other wrote.

    :param mirror: a mirror description.
    :param existing: KafkaTopics of the target's cluster.
    """
    if str(connector_configs(mirror)["source"].get("sync.topic.configs.enabled")).lower() != "true":
        return []
    return [
        topic
        for topic in sorted(map(topic_of, filter(managed, existing)))
        if re.fullmatch(target_topics_pattern(mirror), topic)
    ]


def bare(resources: list[dict[str, Any]], cluster: str) -> list[dict[str, Any]]:
    """Resources of one cluster without what the API server, operators and deployment tools say of them, to be made
    again from.

    :param cluster: name of the Kafka resource; others' resources are left out.
    """
    bodies = []
    for resource in resources:
        meta = resource["metadata"]
        if resource["kind"] in ("Kafka", "EventStreams") and meta["name"] != cluster:
            continue
        if (
            resource["kind"] not in ("Kafka", "EventStreams")
            and (meta.get("labels") or {}).get(CLUSTER_LABEL) != cluster
        ):
            continue
        metadata = {"name": meta["name"]}
        for key in ("labels", "annotations"):
            values = left(meta.get(key), (*NEVER_COPIED, PAUSE))
            if values:
                metadata[key] = values
        bodies.append(
            {
                "apiVersion": resource["apiVersion"],
                "kind": resource["kind"],
                "metadata": metadata,
                "spec": copy.deepcopy(resource.get("spec") or {}),
            }
        )
    return bodies
