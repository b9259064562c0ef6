# SPDX-License-Identifier: GPL-3.0-or-later
"""The configuration of a position witness, wherever it runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .._mm2.witness import UNWATCHED_GROUPS, owner
from .mirrors import groups_pattern, topics_pattern
from .regions import whole_client
from .turning import succeeded

Region = dict[str, Any]
INTERVAL_SECONDS = 2


def witness_config(
    mirror: dict[str, Any],
    regions: Mapping[str, Region],
    topic: str,
    cluster_id: str | None,
    inside: bool = False,
    mirrors: Sequence[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    """What ``position_witness.py`` reads: clients with their secrets, what it watches, and where it writes.

    :param regions: hostvars.
    :param topic: the witness's topic in the target.
    :param cluster_id: of the source; empty where it is not known.
    :param inside: whether the witness runs in Kubernetes.
    :param mirrors: ``kafka_dr_mirrors``, which say whose records it may find there.
    """
    return {
        "source": whole_client(regions[mirror["source"]], "witness", inside),
        "target": whole_client(regions[mirror["target"]], "witness", inside),
        "groups": groups_pattern(mirror),
        "topic": topic,
        "source_cluster": cluster_id or "",
        "mirror": owner(mirror["source"], mirror["target"]),
        "succeeds": succeeded(mirror, mirrors),
        "groups_exclude": UNWATCHED_GROUPS,
        "topics": topics_pattern(mirror),
        "interval_seconds": INTERVAL_SECONDS,
    }
