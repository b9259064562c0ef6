# SPDX-License-Identifier: GPL-3.0-or-later
"""Traps in how the two clusters are reached and how safely their topics are kept."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .finding import Finding, finding, number
from .flows import Flow

SECRET_KEYS = ("ssl.keystore.password", "ssl.key.password", "ssl.truststore.password", "ssl.keystore.key")
IN_JAAS = re.compile(r'(password|clientSecret)\s*=\s*"?([^"\s;]+)')


def addresses(flow: Flow) -> Iterator[Finding]:
    for name, cluster in flow.clusters.items():
        if flow.kind != "connect" and not cluster.get("bootstrap.servers"):
            yield finding(
                "no-address",
                "error",
                f"{name}.bootstrap.servers",
                "not set",
                f"Cluster '{name}' cannot be reached",
                f"{name}.bootstrap.servers: host:port",
            )


def same_cluster(flow: Flow) -> Iterator[Finding]:
    servers = [
        str(cluster.get("bootstrap.servers")) for cluster in flow.clusters.values() if cluster.get("bootstrap.servers")
    ]
    if len(servers) == 2 and servers[0] == servers[1] and not servers[0].startswith("not-looked-at"):
        yield finding(
            "same-cluster",
            "error",
            flow.name,
            servers[0],
            "Source and target are one cluster: it is copied into itself",
            "The address of the other cluster",
        )


def secrets_in_clear(flow: Flow) -> Iterator[Finding]:
    if flow.kind == "resource":
        return
    for name, cluster in flow.clusters.items():
        for key, value in cluster.items():
            value = str(value)
            inside = IN_JAAS.search(value) if key.endswith("jaas.config") else None
            text = inside.group(2) if inside else value if key.endswith(SECRET_KEYS) else ""
            if text and not text.startswith("${"):
                # What was found is the secret: never show it.
                yield finding(
                    "secret-in-clear",
                    "warning",
                    f"{name}.{key}",
                    "a secret",
                    "The secret is readable for everybody who reads this configuration, and MirrorMaker 2 writes it "
                    "into its own topics",
                    f"${{file:/path/secrets.properties:{name}.{'sasl.password' if inside else key}}} with "
                    "config.providers: file (KIP-297)",
                )


def verification(flow: Flow) -> Iterator[Finding]:
    for name, cluster in flow.clusters.items():
        if (
            "ssl.endpoint.identification.algorithm" in cluster
            and not str(cluster["ssl.endpoint.identification.algorithm"] or "").strip()
        ):
            yield finding(
                "name-not-verified",
                "warning",
                f"{name}.ssl.endpoint.identification.algorithm",
                "empty",
                "Anybody with a certificate of the same authority can stand between",
                "Leave it out, and put the names into the certificates",
            )


def replication(flow: Flow) -> Iterator[Finding]:
    for side, settings in flow.settings.items():
        for key, value in settings.items():
            if key.endswith("replication.factor") and number(value) == 1:
                yield finding(
                    "replication-factor",
                    "info",
                    flow.where(side, key),
                    value,
                    "The copies, or what translates positions, are lost with one broker",
                    f"{key}: 3",
                )


def uncertain_reverse(flow: Flow) -> Iterator[Finding]:
    """``MirrorMakerConfig.clusterPairs``: each pair runs for its heartbeats unless that is switched off."""
    if flow.kind != "properties":
        return
    back = f"{flow.target}->{flow.source}"
    beats = flow.raw.get(back + ".emit.heartbeats.enabled", flow.raw.get("emit.heartbeats.enabled", "true"))
    if str(flow.raw.get(back + ".enabled", "false")).lower() != "true" and str(beats).lower() == "true":
        yield finding(
            "reverse-heartbeats",
            "info",
            back + ".emit.heartbeats.enabled",
            "not set, so true",
            f"A worker for {back} runs too and writes topics into cluster '{flow.source}', which needs rights there",
            f"{back}.emit.heartbeats.enabled: false, unless heartbeats shall travel through the mirror",
        )


RULES = [addresses, same_cluster, secrets_in_clear, verification, replication, uncertain_reverse]
