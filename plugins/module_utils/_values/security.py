# SPDX-License-Identifier: GPL-3.0-or-later
"""The security protocols and SASL mechanisms that a client may name, and what leaves its connection unverified."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
BY_PASSWORD = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
MECHANISMS = (*BY_PASSWORD, "OAUTHBEARER")
NOT_TRUE = ("false", "f", "0", "no")


def mechanism_of(client: Mapping[str, Any]) -> str:
    """The SASL mechanism of a client in capitals, by either of librdkafka's names for it; empty where it has none."""
    return str(client.get("sasl.mechanism") or client.get("sasl.mechanisms") or "").upper()


def unverified(client: Mapping[str, Any]) -> list[str]:
    """Settings by which a certificate, or the name in it, is not verified, or a password goes without TLS."""
    settings = []
    if str(client.get("enable.ssl.certificate.verification", True)).lower() in NOT_TRUE:
        settings.append("enable.ssl.certificate.verification=false")
    if str(client.get("ssl.endpoint.identification.algorithm", "https")).lower() in ("none", ""):
        settings.append("ssl.endpoint.identification.algorithm=none")
    if str(client.get("security.protocol") or "").upper() == "SASL_PLAINTEXT" and mechanism_of(client) in MECHANISMS:
        settings.append("security.protocol=SASL_PLAINTEXT sends a password, or what stands for one, without TLS")
    return settings


def warnings(clients: Iterable[Mapping[str, Any]]) -> list[str]:
    """One sentence for each cluster that a client of these reaches without verifying it."""
    sentences = {
        f"The connection to {client.get('bootstrap.servers')} is not verified ({', '.join(unverified(client))}): "
        "whoever stands on the way can pose as this cluster and learn what is sent. Give the certificate authority "
        "(ssl.ca.pem) and remove that."
        for client in clients
        if unverified(client)
    }
    return sorted(sentences)
