# SPDX-License-Identifier: GPL-3.0-or-later
"""A Kafka client from the environment: ``KAFKA_BROKERS``, ``KAFKA_USER``, ``KAFKA_PWD``, ``KAFKA_CERT`` and others."""

from __future__ import annotations

import os
from typing import Any


def client_config() -> dict[str, Any]:
    """librdkafka settings from the environment.

    ``KAFKA_CERT`` is the path of the cluster's CA in PEM. ``KAFKA_SECURITY_PROTOCOL`` defaults to what the other
    variables imply, ``KAFKA_SASL_MECHANISM`` to SCRAM-SHA-512.
    """
    env = os.environ
    brokers = env.get("KAFKA_BROKERS")
    if not brokers:
        raise SystemExit("KAFKA_BROKERS is not set; give the cluster's address, e.g. KAFKA_BROKERS=localhost:9092")
    user, certificate = env.get("KAFKA_USER"), env.get("KAFKA_CERT")
    protocol = env.get("KAFKA_SECURITY_PROTOCOL") or ("SASL_" if user else "") + ("SSL" if certificate else "PLAINTEXT")
    config = {
        "bootstrap.servers": brokers,
        "security.protocol": protocol,
        "socket.connection.setup.timeout.ms": 5000,
        "reconnect.backoff.max.ms": 1000,
    }
    if "SASL" in protocol:
        if not user or "KAFKA_PWD" not in env:
            raise SystemExit(f"{protocol} needs KAFKA_USER and KAFKA_PWD in the environment")
        config.update(
            {
                "sasl.mechanism": env.get("KAFKA_SASL_MECHANISM", "SCRAM-SHA-512"),
                "sasl.username": user,
                "sasl.password": env["KAFKA_PWD"],
            }
        )
    if "SSL" in protocol and certificate:
        if not os.path.exists(certificate):
            raise SystemExit(
                f"KAFKA_CERT names {certificate}, which does not exist; give the path of the cluster's CA in PEM"
            )
        config["ssl.ca.location"] = certificate
    return config


def region() -> str:
    """The region that the journal records: ``KAFKA_REGION``, else the brokers' address."""
    return os.environ.get("KAFKA_REGION") or os.environ["KAFKA_BROKERS"]
