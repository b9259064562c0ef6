# SPDX-License-Identifier: GPL-3.0-or-later
"""Mirrors to lint, and the rules that they break."""

from __future__ import annotations

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.mirror_resource import mirror_resource
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._lint import lint

MIRROR = {"name": "backup", "source": "a", "target": "b"}
CLIENTS = {
    "a": {"bootstrap.servers": "a:9092"},
    "b": {"bootstrap.servers": "b:9092"},
    "c": {"bootstrap.servers": "c:9092"},
}
IDENTITY = "org.apache.kafka.connect.mirror.IdentityReplicationPolicy"
DEFAULT = "org.apache.kafka.connect.mirror.DefaultReplicationPolicy"


def rules(subject, severity=None):
    return {one["rule"] for one in lint(subject) if severity in (None, one["severity"])}


def resource(version="kafka.strimzi.io/v1", **more):
    return mirror_resource(MIRROR, CLIENTS, api_version=version, **more)
