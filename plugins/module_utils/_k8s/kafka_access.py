# SPDX-License-Identifier: GPL-3.0-or-later
"""The Kafka client that a ``Kafka`` resource and its Secrets describe. Pure."""

from __future__ import annotations

import base64
from typing import Any

from .._errors import RefusedError
from .kafka_resources import waiting_for


def kafka_client(
    kafka: dict[str, Any],
    listener: str | None = None,
    user: str | None = None,
    user_secret: dict[str, Any] | None = None,
    ca_secret: dict[str, Any] | None = None,
) -> dict[str, dict[str, str]]:
    """The client of a cluster as its ``Kafka`` resource and Secrets describe it.

    :param kafka: the resource as read.
    :param listener: its listener's name; the only one with an address where it is not given.
    :param user: name of the ``KafkaUser``.
    :param user_secret: that user's Secret; ``ca_secret``: ``<cluster>-cluster-ca-cert``, used where the status names no
        certificate.
    :returns: ``{"client": {...}, "secrets": {...}}`` in librdkafka keys.
    :raises RefusedError: the cluster has no such listener, no address of it yet, or there is no such user.
    """
    name, found, described = _listener(kafka, listener)
    client, mechanism = _address(found, described, user, ca_secret)
    secrets = {}
    if mechanism == "scram-sha-512":
        secrets["sasl.password"] = _needed(user_secret, "password", user, kafka)
    elif mechanism == "tls":
        client["ssl.certificate.pem"] = _needed(user_secret, "user.crt", user, kafka)
        secrets["ssl.key.pem"] = _needed(user_secret, "user.key", user, kafka)
    elif mechanism is not None:
        raise RefusedError(
            f"Listener '{name}' of Kafka '{kafka['metadata']['name']}' asks for authentication '{mechanism}'",
            expected="scram-sha-512, tls or none",
            remedy="Name another listener, or give kafka_dr_client in the inventory",
        )
    return {"client": client, "secrets": secrets}


def kafka_address(
    kafka: dict[str, dict[str, Any]],
    listener: str | None = None,
    ca_secret: dict[str, Any] | None = None,
    user: str | None = None,
) -> dict[str, str]:
    """Where the cluster is, in librdkafka keys, without anything secret and whether or not there is a user; empty where
    it has no address yet.
    """
    try:
        dummy, found, described = _listener(kafka, listener)
    except RefusedError:
        return {}
    client, mechanism = _address(found, described, user or "unknown", ca_secret)
    return client if mechanism in (None, "scram-sha-512", "tls") else {}


def _listener(kafka: dict[str, Any], listener: str | None) -> tuple[str | None, dict[str, Any], dict[str, Any]]:
    """Name of the listener, its status, and how it is described.

    :raises RefusedError: the cluster has no such listener, or no address of it yet.
    """
    name, status = kafka["metadata"]["name"], kafka.get("status") or {}
    known = {
        listener_status.get("name") or listener_status.get("type"): listener_status
        for listener_status in status.get("listeners") or status.get("kafkaListeners") or []
    }
    if listener is None and len(known) == 1:
        listener = next(iter(known))
    found = known.get(listener)
    if not found or not found.get("bootstrapServers"):
        words = "; ".join(waiting_for([{"kind": "Kafka", **kafka}]))
        raise RefusedError(
            f"Kafka '{name}' has no address for listener '{listener}'{f' ({words})' if words else ''}",
            expected="one of status.listeners",
            found=", ".join(sorted(str(listener_name) for listener_name in known)) or "none yet",
            remedy="Name the listener in kafka_dr_kubernetes.listener, or wait until it is Ready",
        )
    return (
        listener,
        found,
        next(
            (
                described
                for described in kafka["spec"]["kafka"].get("listeners") or []
                if described.get("name") == listener
            ),
            {},
        ),
    )


def _address(
    found: dict[str, Any], described: dict[str, Any], user: str | None, ca_secret: dict[str, Any] | None
) -> tuple[dict[str, str], str | None]:
    """The client without secrets, and the mechanism that the listener asks for."""
    tls = described.get("tls", bool(found.get("certificates")))
    mechanism = (described.get("authentication") or {}).get("type")
    client = {"bootstrap.servers": found["bootstrapServers"]}
    if tls:
        # The CA itself, where it can be read: the status may name a listener certificate that is renewed sooner.
        authority = _data(ca_secret, "ca.crt") or "".join(found.get("certificates") or [])
        if authority:
            client["ssl.ca.pem"] = authority
    if mechanism == "scram-sha-512":
        client.update(
            {
                "security.protocol": "SASL_SSL" if tls else "SASL_PLAINTEXT",
                "sasl.mechanism": "SCRAM-SHA-512",
                "sasl.username": user,
            }
        )
    else:
        client["security.protocol"] = "SSL" if tls else "PLAINTEXT"
    return client, mechanism


def _data(secret: dict[str, Any] | None, key: str) -> str | None:
    text = ((secret or {}).get("data") or {}).get(key)
    return base64.b64decode(text).decode("utf-8") if text else None


def _needed(secret: dict[str, Any] | None, key: str, user: str | None, kafka: dict[str, Any]) -> str:
    value = _data(secret, key)
    if value is None:
        meta = kafka["metadata"]
        raise RefusedError(
            f"The Secret of user '{user}' has no {key}",
            expected="a KafkaUser that is Ready",
            found="no such Secret or key",
            remedy=f"Create KafkaUser '{user}' of cluster '{meta['name']}' in namespace {meta.get('namespace')} "
            "first: the playbook streamsafe.kafka_dr.rbac writes the one of the stages beside the Roles, for "
            "kubectl apply -f. Where it is there, look at the User Operator",
        )
    return value
