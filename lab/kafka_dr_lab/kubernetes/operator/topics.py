# SPDX-License-Identifier: GPL-3.0-or-later
"""``KafkaTopic``: a topic in real Kafka with exactly the partitions and configuration of the resource."""

from __future__ import annotations

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.client import (
    ConflictError,
    NotFoundError,
    object_path,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.topic_changes import ensure_topics
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.topics import topic_configs
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._values.setting import setting

from .context import MERGE_PATCH, Context, Resource, Status

FINALIZER = "strimzi.io/topic-operator"


def reconcile(context: Context, resource: Resource) -> Status | None:
    """The status of a KafkaTopic, or None while its cluster is not up."""
    broker = context.running_broker(resource)
    if broker is None:
        return None
    name, spec = _topic_name(resource), resource["spec"]
    if not _managed(resource):
        # As since Strimzi 0.44.
        _set_finalizers(context, resource, None)
        return {"topicName": name, "conditions": [{"type": "Unmanaged", "status": "True"}]}
    _set_finalizers(context, resource, [FINALIZER])
    client = broker.admin()
    wanted: dict[str, str | None] = {key: setting(value) for key, value in (spec.get("config") or {}).items()}
    # The resource is the only truth: a setting that was made in Kafka alone is taken away again.
    for key in topic_configs(client, [name]).get(name, {}) if name in client.metadata().topics else ():
        wanted.setdefault(key, None)
    topic = {
        "name": name,
        "partitions": spec.get("partitions"),
        "replication_factor": spec.get("replicas"),
        "configs": wanted,
    }
    result = ensure_topics(client, [topic], "present", False)
    return {"topicName": name, "topicId": (result["topics"].get(name) or {}).get("topic_id", "")}


def release(context: Context, resource: Resource) -> None:
    """Delete the topic of a KafkaTopic that is being deleted, then remove the finalizer.

    In a namespace that is being deleted nothing happens: there the Topic Operator's pod ends first.
    """
    namespace = context.client.get(object_path("v1", "namespaces", name=resource["metadata"]["namespace"])) or {}
    broker = context.running_broker(resource)
    if broker is None or (namespace.get("status") or {}).get("phase") != "Active":
        return
    if _managed(resource):
        ensure_topics(broker.admin(), [{"name": _topic_name(resource)}], "absent", False)
    _set_finalizers(context, resource, None)


def _topic_name(resource: Resource) -> str:
    return resource["spec"].get("topicName") or resource["metadata"]["name"]


def _managed(resource: Resource) -> bool:
    return (resource["metadata"].get("annotations") or {}).get("strimzi.io/managed") != "false"


def _set_finalizers(context: Context, resource: Resource, wanted: list[str] | None) -> None:
    meta = resource["metadata"]
    if (meta.get("finalizers") or None) == wanted:
        return
    path = object_path(resource["apiVersion"], "kafkatopics", meta["namespace"], meta["name"])
    try:
        context.client.request("PATCH", path, {"metadata": {"finalizers": wanted}}, content_type=MERGE_PATCH)
    except (ConflictError, NotFoundError):
        return
