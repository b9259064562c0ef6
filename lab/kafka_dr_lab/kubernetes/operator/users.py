# SPDX-License-Identifier: GPL-3.0-or-later
"""``KafkaUser``: a user in real Kafka with exactly the ACLs and quotas of the resource, its credentials in a Secret."""

from __future__ import annotations

import re
import secrets
from typing import Any

from confluent_kafka.admin import ScramCredentialInfo, ScramMechanism, UserScramCredentialUpsertion

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import (
    as_dict,
    describe_acls,
    ensure_acls,
    flatten,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.quotas import ensure_quotas
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.users import alter_users, existing_users

from ...pki import new_certificate
from .broker import Broker
from .context import Context, Resource, Status
from .refusal import Refusal

QUOTAS = {
    "producerByteRate": "producer_byte_rate",
    "consumerByteRate": "consumer_byte_rate",
    "requestPercentage": "request_percentage",
    "controllerMutationRate": "controller_mutation_rate",
}
RESOURCES = {"topic": "topic", "group": "group", "cluster": "cluster", "transactionalId": "transactional_id"}


def reconcile(context: Context, resource: Resource) -> Status | None:
    """The status of a KafkaUser, or None while its cluster is not up."""
    broker = context.running_broker(resource)
    if broker is None:
        return None
    meta, spec = resource["metadata"], resource["spec"]
    name = meta["name"]
    if (spec.get("authentication") or {}).get("type") == "scram-sha-512":
        username, credentials = name, _password_credentials(context, resource, broker)
    else:
        username, credentials = f"CN={name}", _certificate_credentials(context, resource)
    labels = {"strimzi.io/cluster": meta["labels"]["strimzi.io/cluster"], "strimzi.io/kind": "KafkaUser"}
    context.keep_secret(resource, name, credentials, labels)
    _ensure_exact_acls(broker, name, (spec.get("authorization") or {}).get("acls") or [])
    _ensure_exact_quotas(broker, username, spec.get("quotas") or {})
    return {"username": username, "secret": name}


def _password_credentials(context: Context, resource: Resource, broker: Broker) -> dict[str, str]:
    """Data of the user's Secret; the password is in Kafka afterwards."""
    name, password = resource["metadata"]["name"], _password(context, resource)
    client = broker.admin()
    if broker.passwords.get(name) != password or not existing_users(client, [name]):
        scram = ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096)
        alter_users(client, [UserScramCredentialUpsertion(name, scram, password.encode())])
        broker.passwords[name] = password
    login = "org.apache.kafka.common.security.scram.ScramLoginModule"
    return {"password": password, "sasl.jaas.config": f'{login} required username="{name}" password="{password}";'}


def _password(context: Context, resource: Resource) -> str:
    meta = resource["metadata"]
    reference = ((resource["spec"]["authentication"].get("password") or {}).get("valueFrom") or {}).get("secretKeyRef")
    if reference:
        data = context.secret(meta["namespace"], reference["name"])
        if data is None or reference["key"] not in data:
            raise Refusal(
                f"Secret {reference['name']} with requested user password does not exist.", "InvalidResourceException"
            )
        return data[reference["key"]]
    found = context.secret(meta["namespace"], meta["name"])
    return found["password"] if found and "password" in found else secrets.token_urlsafe(24)


def _certificate_credentials(context: Context, resource: Resource) -> dict[str, str]:
    """Data of the user's Secret, made once."""
    meta = resource["metadata"]
    found = context.secret(meta["namespace"], meta["name"])
    if found and "user.crt" in found:
        return found
    cluster = meta["labels"]["strimzi.io/cluster"]
    certificate = context.secret(meta["namespace"], f"{cluster}-clients-ca-cert")
    key = context.secret(meta["namespace"], f"{cluster}-clients-ca")
    if certificate is None or key is None:
        raise Refusal(f"Clients CA of cluster {cluster} not found in namespace {meta['namespace']}")
    authority = {"certificate": certificate["ca.crt"], "key": key["ca.key"]}
    issued = new_certificate(authority, meta["name"], [meta["name"]])
    return {"ca.crt": authority["certificate"], "user.crt": issued["certificate"], "user.key": issued["key"]}


def _ensure_exact_acls(broker: Broker, name: str, rules: list[dict[str, Any]]) -> None:
    client, wanted = broker.admin(), [_acl(name, rule) for rule in rules]
    existing = set(describe_acls(client, [name]))
    surplus = existing - set(flatten(wanted))
    if surplus:
        ensure_acls(client, [as_dict(acl) for acl in surplus], "absent", False)
    if set(flatten(wanted)) - existing:
        ensure_acls(client, wanted, "present", False)


def _ensure_exact_quotas(broker: Broker, username: str, quotas: dict[str, float]) -> None:
    limits = {QUOTAS[key]: value for key, value in quotas.items()}
    # Strimzi also takes away what it never gave; asking for each user without quotas would cost a connection.
    if limits or username in broker.limited:
        quota = {"entity": {"user": username}, "limits": limits}
        ensure_quotas(broker.admin(), [quota], "exact" if limits else "absent", False)
        broker.limited.add(username)


def _acl(name: str, rule: dict[str, Any]) -> dict[str, Any]:
    resource = rule["resource"]
    return {
        "principal": name,
        "resource": RESOURCES[resource["type"]],
        "name": resource.get("name"),
        "pattern": "prefixed" if resource.get("patternType") == "prefix" else "literal",
        "host": rule.get("host", "*"),
        "permission": rule.get("type", "allow"),
        "operations": [re.sub(r"(?<!^)(?=[A-Z])", "_", operation).upper() for operation in rule["operations"]],
    }
