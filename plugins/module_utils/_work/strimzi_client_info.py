# SPDX-License-Identifier: GPL-3.0-or-later
"""The work of the module ``strimzi_client_info``."""

from __future__ import annotations

import base64
from typing import Any

from .._errors import AuthenticationError, AuthorizationError, RefusedError, TimedOutError, UnreachableError
from .._k8s import kafka_access, kafka_resources
from .._k8s.client import KubernetesClient, object_path
from .._k8s.strimzi import kinds_version

CLUSTERS = {"eventstreams.ibm.com": "eventstreams"}


def strimzi_client_info(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """Client, secrets and users of a cluster; see the module ``strimzi_client_info``."""
    known: dict[str, Any] = {"api_version": None, "served": []}
    try:
        client = KubernetesClient(params["connection"], params["timeout"])
        known["api_version"], known["served"] = kinds_version(client, params["group"])
        return {**_client_info(client, known["api_version"], params), "served": known["served"]}
    except (UnreachableError, TimedOutError, AuthenticationError, AuthorizationError) as error:
        # With a namespace go the rights in it, and often the service account: to whom has no others, gone and forbidden
        # look alike.
        if not params["allow_unreachable"]:
            raise
        return {
            "reachable": False,
            "exists": False,
            "ready": False,
            "waiting_for": [str(error)],
            "client": {},
            "client_secrets": {},
            "passwords": {},
            **known,
        }


def _client_info(client: KubernetesClient, version: str, params: dict[str, Any]) -> dict[str, Any]:
    namespace, name = params["namespace"], params["cluster"]
    kafka = client.get(
        object_path(version, CLUSTERS.get(params["group"], "kafkas"), namespace, name),
        what=f"read Kafka '{namespace}/{name}'",
    )
    found: dict[str, Any] = {
        "reachable": True,
        "exists": kafka is not None,
        "api_version": version,
        "client": {},
        "client_secrets": {},
        "passwords": {},
        "ready": False,
    }
    if kafka is None:
        return {**found, "waiting_for": [f"Kafka '{namespace}/{name}' to exist"]}
    kafka.setdefault("kind", "Kafka")
    waiting = kafka_resources.waiting_for([kafka])
    user = params["user"]
    secrets = {known: _secret(client, namespace, known) for known in params["users"]}
    found["passwords"] = _passwords(secrets)
    if user not in secrets:
        secrets[user] = _secret(client, namespace, user)
    authority = client.get(
        object_path("v1", "secrets", namespace, name + "-cluster-ca-cert"),
        what=f"read the CA of Kafka '{namespace}/{name}'",
    )
    try:
        access = kafka_access.kafka_client(kafka, params["listener"], user, secrets[user], authority)
        found.update({"client": access["client"], "client_secrets": access["secrets"]})
    except RefusedError as error:
        waiting.append(str(error))
        # Where it is can be told without a user: who knows that asks whether it lives.
        found["client"] = kafka_access.kafka_address(kafka, params["listener"], authority, params["user"])
    return {**found, "ready": not waiting, "waiting_for": waiting}


def _secret(client: KubernetesClient, namespace: str, user: str) -> dict[str, Any] | None:
    return client.get(object_path("v1", "secrets", namespace, user), what=f"read Secret '{namespace}/{user}'")


def _passwords(secrets: dict[str, dict[str, Any] | None]) -> dict[str, str]:
    data = {user: (secret or {}).get("data") or {} for user, secret in secrets.items()}
    return {
        user: base64.b64decode(values["password"]).decode("utf-8")
        for user, values in data.items()
        if values.get("password")
    }
