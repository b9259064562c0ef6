# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Traps in how the two clusters are reached and how safely their topics are kept."""

from __future__ import annotations

import re

from .finding import finding, number

SECRET_KEYS = ("ssl.keystore.password", "ssl.key.password", "ssl.truststore.password", "ssl.keystore.key")
IN_JAAS = re.compile(r'(password|clientSecret)\s*=\s*"?([^"\s;]+)')


def addresses(flow):
    for name, cluster in flow.clusters.items():
        if flow.kind != "connect" and not cluster.get("bootstrap.servers"):
            yield finding("no-address", "error", "%s.bootstrap.servers" % name, "not set", "Cluster '%s' cannot be reached" % name,
                          "%s.bootstrap.servers: host:port" % name)


def same_cluster(flow):
    servers = [str(cluster.get("bootstrap.servers")) for cluster in flow.clusters.values() if cluster.get("bootstrap.servers")]
    if len(servers) == 2 and servers[0] == servers[1] and not servers[0].startswith("not-looked-at"):
        yield finding("same-cluster", "error", flow.name, servers[0], "Source and target are one cluster: it is copied into itself",
                      "The address of the other cluster")


def secrets_in_clear(flow):
    if flow.kind == "resource":
        return
    for name, cluster in flow.clusters.items():
        for key, value in cluster.items():
            value = str(value)
            inside = IN_JAAS.search(value) if key.endswith("jaas.config") else None
            text = inside.group(2) if inside else value if key.endswith(SECRET_KEYS) else ""
            if text and not text.startswith("${"):
                # What was found is the secret: never show it.
                yield finding("secret-in-clear", "warning", "%s.%s" % (name, key), "a secret",
                              "The secret is readable for everybody who reads this configuration, and MirrorMaker 2 writes it into its own topics",
                              "${file:/path/secrets.properties:%s.%s} with config.providers: file (KIP-297)" % (name, "sasl.password" if inside else key))


def verification(flow):
    for name, cluster in flow.clusters.items():
        if "ssl.endpoint.identification.algorithm" in cluster and not str(cluster["ssl.endpoint.identification.algorithm"] or "").strip():
            yield finding("name-not-verified", "warning", "%s.ssl.endpoint.identification.algorithm" % name, "empty",
                          "Anybody with a certificate of the same authority can stand between", "Leave it out, and put the names into the certificates")


def replication(flow):
    for side, settings in flow.settings.items():
        for key, value in settings.items():
            if key.endswith("replication.factor") and number(value) == 1:
                yield finding("replication-factor", "info", flow.where(side, key), value, "The copies, or what translates positions, are lost with one broker",
                              "%s: 3" % key)


def uncertain_reverse(flow):
    """``MirrorMakerConfig.clusterPairs``: each pair runs for its heartbeats unless that is switched off."""
    if flow.kind != "properties":
        return
    back = "%s->%s" % (flow.target, flow.source)
    beats = flow.raw.get(back + ".emit.heartbeats.enabled", flow.raw.get("emit.heartbeats.enabled", "true"))
    if str(flow.raw.get(back + ".enabled", "false")).lower() != "true" and str(beats).lower() == "true":
        yield finding("reverse-heartbeats", "info", back + ".emit.heartbeats.enabled", "not set, so true",
                      "A worker for %s runs too and writes topics into cluster '%s', which needs rights there" % (back, flow.source),
                      "%s.emit.heartbeats.enabled: false, unless heartbeats shall travel through the mirror" % back)


RULES = [addresses, same_cluster, secrets_in_clear, verification, replication, uncertain_reverse]
