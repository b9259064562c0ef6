# SPDX-License-Identifier: GPL-3.0-or-later
"""What ``offset_translate`` is given beside its clusters."""

from __future__ import annotations

from typing import Any

from .._kafka.client import KafkaClient
from .._kafka.distinct import cluster_id, refuse_one_cluster


def opened_contents(params: dict[str, Any], source: KafkaClient | None, target: KafkaClient) -> Any:
    """The manifest that speaks for a lost source, opened before anything else is read; None where there is none. Both
    sides have to be two clusters.
    """
    target_id = cluster_id(target)
    if source is not None:
        refuse_one_cluster((source.name, cluster_id(source)), (target.name, target_id))
        return None
    if not params["manifest"]:
        return None
    # Its library takes a quarter of a second to load, which nobody else is to wait for.
    from .._manifest.scan import ManifestRecords

    records = ManifestRecords(params["manifest"], digest=params.get("manifest_digest") or "")
    refuse_one_cluster(("The manifest's region", records.side.cluster_id), (target.name, target_id))
    return records


def ends_by_partition(ends: dict[str, dict[str, int]] | None) -> dict[str, dict[int, int]]:
    """``target_ends`` with numbers as keys, which JSON does not have."""
    return {
        topic: {int(number): int(end) for number, end in partitions.items()}
        for topic, partitions in (ends or {}).items()
    }
