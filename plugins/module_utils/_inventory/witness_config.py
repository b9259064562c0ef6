# SPDX-License-Identifier: GPL-3.0-or-later
"""The configuration of a position witness, wherever it runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .mirrors import groups_pattern, topics_pattern
from .regions import client_of, secrets_of

Region = dict[str, Any]
# Groups of people who look, of Kafka itself, and of the collection.
GROUPS_EXCLUDE = "console-consumer-.*,__.*,streamsafe-kafka-dr-.*"
INTERVAL_SECONDS = 2


def _client(region: Region, inside: bool) -> dict[str, Any]:
    """The witness's client with its secrets; inside Kubernetes at ``mirror_bootstrap``, where there is one."""
    client = {**client_of(region, "witness"), **secrets_of(region, "witness")}
    address = (region.get("kafka_dr_kubernetes") or {}).get("mirror_bootstrap") if inside else None
    return {**client, "bootstrap.servers": address} if address else client


def witness_config(
    mirror: dict[str, Any], regions: Mapping[str, Region], topic: str, cluster_id: str | None, inside: bool = False
) -> dict[str, Any]:
    """What ``position_witness.py`` reads: clients with their secrets, what it watches, and where it writes.

    :param regions: hostvars.
    :param topic: the witness's topic in the target.
    :param cluster_id: of the source; empty where it is not known.
    :param inside: whether the witness runs in Kubernetes.
    """
    return {
        "source": _client(regions[mirror["source"]], inside),
        "target": _client(regions[mirror["target"]], inside),
        "groups": groups_pattern(mirror),
        "topic": topic,
        "source_cluster": cluster_id or "",
        "groups_exclude": GROUPS_EXCLUDE,
        "topics": topics_pattern(mirror),
        "interval_seconds": INTERVAL_SECONDS,
    }
