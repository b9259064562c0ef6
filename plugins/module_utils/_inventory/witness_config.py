# SPDX-License-Identifier: GPL-3.0-or-later
"""The configuration of a position witness, wherever it runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .mirrors import groups_pattern, topics_pattern
from .regions import whole_client

Region = dict[str, Any]
# Groups of people who look, of Kafka itself, and of the collection.
GROUPS_EXCLUDE = "console-consumer-.*,__.*,streamsafe-kafka-dr-.*"
INTERVAL_SECONDS = 2


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
        "source": whole_client(regions[mirror["source"]], "witness", inside),
        "target": whole_client(regions[mirror["target"]], "witness", inside),
        "groups": groups_pattern(mirror),
        "topic": topic,
        "source_cluster": cluster_id or "",
        "groups_exclude": GROUPS_EXCLUDE,
        "topics": topics_pattern(mirror),
        "interval_seconds": INTERVAL_SECONDS,
    }
