# SPDX-License-Identifier: GPL-3.0-or-later
"""``KafkaUser`` and ``KafkaTopic``: users with exactly the ACLs and quotas of the resource, in real Kafka."""

from __future__ import annotations

import re
import secrets

from confluent_kafka.admin import ScramCredentialInfo, ScramMechanism, UserScramCredentialUpsertion

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.client import ConflictError, NotFoundError, object_path
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import as_dict, describe_acls, ensure_acls, flatten
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.cluster import topic_configs
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.quotas import ensure_quotas
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.topics import ensure_topics
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.users import _alter, existing_users
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._setting import setting
from kafka_dr_lab.pki import new_certificate

QUOTAS = {"producerByteRate": "producer_byte_rate", "consumerByteRate": "consumer_byte_rate", "requestPercentage": "request_percentage",
          "controllerMutationRate": "controller_mutation_rate"}
FINALIZER = "strimzi.io/topic-operator"
RESOURCES = {"topic": "topic", "group": "group", "cluster": "cluster", "transactionalId": "transactional_id"}


def _broker(operator, resource: dict):
    """The broker of the cluster named by the label, or None while it is not up."""
    name = (resource["metadata"].get("labels") or {}).get("strimzi.io/cluster")
    for key, broker in operator.brokers.items():
        if key[:2] == (resource["metadata"]["namespace"], name) and broker.alive() and broker.answers():
            return broker
    return None


def user(operator, resource: dict) -> dict | None:
    """The status of a KafkaUser, or None while its cluster is not up."""
    broker = _broker(operator, resource)
    if broker is None:
        return None
    meta, spec = resource["metadata"], resource["spec"]
    client, name = broker.admin(), meta["name"]
    kind = (spec.get("authentication") or {}).get("type")
    if kind == "scram-sha-512":
        password = _password(operator, resource)
        remembered = broker.__dict__.setdefault("passwords", {})
        if remembered.get(name) != password or not existing_users(client, [name]):
            _alter(client, [UserScramCredentialUpsertion(name, ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096), password.encode())])
            remembered[name] = password
        data = {"password": password, "sasl.jaas.config":
                f'org.apache.kafka.common.security.scram.ScramLoginModule required username="{name}" password="{password}";'}
    else:
        data = _certificate(operator, resource)
    cluster = meta["labels"]["strimzi.io/cluster"]
    operator.keep_secret(resource, name, data, {"strimzi.io/cluster": cluster, "strimzi.io/kind": "KafkaUser"})
    wanted = [_acl(name, rule) for rule in (spec.get("authorization") or {}).get("acls") or []]
    have = set(describe_acls(client, [name]))
    surplus = have - set(flatten(wanted))
    if surplus:
        ensure_acls(client, [as_dict(one) for one in surplus], "absent", False)
    if set(flatten(wanted)) - have:
        ensure_acls(client, wanted, "present", False)
    username = name if kind == "scram-sha-512" else f"CN={name}"
    limits = {QUOTAS[key]: value for key, value in (spec.get("quotas") or {}).items()}
    limited = broker.__dict__.setdefault("limited", set())
    # Strimzi also takes away what it never gave; asking for each user without quotas would cost a connection.
    if limits or username in limited:
        ensure_quotas(client, [{"entity": {"user": username}, "limits": limits}], "exact" if limits else "absent", False)
        limited.add(username)
    return {"username": username, "secret": name}


def _password(operator, resource: dict) -> str:
    from .loop import Refusal

    meta = resource["metadata"]
    reference = ((resource["spec"]["authentication"].get("password") or {}).get("valueFrom") or {}).get("secretKeyRef")
    if reference:
        data = operator.secret(meta["namespace"], reference["name"])
        if data is None or reference["key"] not in data:
            raise Refusal(f"Secret {reference['name']} with requested user password does not exist.", "InvalidResourceException")
        return data[reference["key"]]
    found = operator.secret(meta["namespace"], meta["name"])
    return found["password"] if found and "password" in found else secrets.token_urlsafe(24)


def _certificate(operator, resource: dict) -> dict:
    meta = resource["metadata"]
    found = operator.secret(meta["namespace"], meta["name"])
    if found and "user.crt" in found:
        return found
    cluster = meta["labels"]["strimzi.io/cluster"]
    authority = {"certificate": operator.secret(meta["namespace"], f"{cluster}-clients-ca-cert")["ca.crt"],
                 "key": operator.secret(meta["namespace"], f"{cluster}-clients-ca")["ca.key"]}
    made = new_certificate(authority, meta["name"], [meta["name"]])
    return {"ca.crt": authority["certificate"], "user.crt": made["certificate"], "user.key": made["key"]}


def _acl(name: str, rule: dict) -> dict:
    resource = rule["resource"]
    return {
        "principal": name, "resource": RESOURCES[resource["type"]], "name": resource.get("name"),
        "pattern": "prefixed" if resource.get("patternType") == "prefix" else "literal", "host": rule.get("host", "*"), "permission": rule.get("type", "allow"),
        "operations": [re.sub(r"(?<!^)(?=[A-Z])", "_", one).upper() for one in rule["operations"]],
    }


def topic(operator, resource: dict) -> dict | None:
    """The status of a KafkaTopic, or None while its cluster is not up."""
    broker = _broker(operator, resource)
    if broker is None:
        return None
    spec = resource["spec"]
    name = spec.get("topicName") or resource["metadata"]["name"]
    if (resource["metadata"].get("annotations") or {}).get("strimzi.io/managed") == "false":
        # As since Strimzi 0.44.
        _finalizers(operator, resource, None)
        return {"topicName": name, "conditions": [{"type": "Unmanaged", "status": "True"}]}
    _finalizers(operator, resource, [FINALIZER])
    wanted = {key: setting(value) for key, value in (spec.get("config") or {}).items()}
    # The resource is the only truth: what was set in Kafka alone is taken away again.
    for key in topic_configs(broker.admin(), [name]).get(name, {}) if name in broker.admin().metadata().topics else ():
        wanted.setdefault(key, None)
    made = ensure_topics(broker.admin(), [{"name": name, "partitions": spec.get("partitions"), "replication_factor": spec.get("replicas"),
                                           "configs": wanted}], "present", False)
    return {"topicName": name, "topicId": (made["topics"].get(name) or {}).get("topic_id", "")}


def release(operator, resource: dict) -> None:
    """Delete the topic of a KafkaTopic that is being deleted, then let go of it. In a namespace that ends the Topic Operator's pod ends first."""
    namespace = operator.client.get(object_path("v1", "namespaces", name=resource["metadata"]["namespace"])) or {}
    broker = _broker(operator, resource)
    if broker is None or (namespace.get("status") or {}).get("phase") != "Active":
        return
    if (resource["metadata"].get("annotations") or {}).get("strimzi.io/managed") != "false":
        ensure_topics(broker.admin(), [{"name": resource["spec"].get("topicName") or resource["metadata"]["name"]}], "absent", False)
    _finalizers(operator, resource, None)


def _finalizers(operator, resource: dict, wanted: list[str] | None) -> None:
    meta = resource["metadata"]
    if (meta.get("finalizers") or None) == wanted:
        return
    path = object_path(resource["apiVersion"], "kafkatopics", meta["namespace"], meta["name"])
    try:
        operator.client.request("PATCH", path, {"metadata": {"finalizers": wanted}}, content_type="application/merge-patch+json")
    except (ConflictError, NotFoundError):
        return
