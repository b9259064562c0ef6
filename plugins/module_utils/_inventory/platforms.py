# SPDX-License-Identifier: GPL-3.0-or-later
"""What a platform means for the collection: the one place that answers for ``managed``, and that a new platform adds a
row to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._mm2.connectors import connector_names

Region = dict[str, Any]
# tasks: the directory whose tasks serve a region. creates_cluster: whether the collection creates the cluster, or its
# owner does. tells_client: whether the platform, and not the inventory, knows the client and the users' passwords.
PLATFORMS: dict[str, dict[str, Any]] = {
    "host": {"name": "host", "tasks": "host", "creates_cluster": True, "tells_client": False},
    "kubernetes": {"name": "kubernetes", "tasks": "kubernetes", "creates_cluster": True, "tells_client": True},
    "managed": {"name": "managed", "tasks": "host", "creates_cluster": False, "tells_client": False},
}


def platform(region: Region) -> dict[str, Any]:
    """The traits of a region's platform, a row of :data:`PLATFORMS`; those of ``managed`` where none is named."""
    return PLATFORMS.get(region.get("kafka_dr_platform") or "managed", PLATFORMS["managed"])


def mirror_platform(region: Region) -> str:
    """What runs the mirror into a region: ``host``, ``connect``, ``deployment`` or ``kubernetes``."""
    named = region.get("kafka_dr_mirror_platform") or region.get("kafka_dr_platform") or "managed"
    return PLATFORMS[named]["tasks"] if named in PLATFORMS else named


def mirror_on_machines(region: Region) -> bool:
    """Whether machines of the inventory keep the mirror into a region, or the witness beside it."""
    return mirror_platform(region) in ("host", "connect")


def mirror_in_cluster(region: Region) -> bool:
    """Whether a Kubernetes cluster keeps the mirror into a region."""
    return mirror_platform(region) in ("kubernetes", "deployment")


def source_connector(mirror: dict[str, Any], region: Region) -> str:
    """The name of a mirror's source connector in the keys of Connect's topic of offsets.

    An operator names connectors after both clusters; on an existing Connect cluster the mirror's name comes first.

    :param region: variables of the mirror's target.
    """
    runs_on = mirror_platform(region)
    if runs_on == "kubernetes":
        return f"{mirror['source']}->{mirror['target']}.MirrorSourceConnector"
    return connector_names(mirror)["source"] if runs_on == "connect" else "MirrorSourceConnector"


def definition_hosts(regions: Mapping[str, Region], region: str, *backups: str) -> list[str]:
    """Machines that the definition of a region is kept on: the first machine of each backup.

    :param regions: hostvars.
    :returns: none where the definition is kept in a cluster, or where a backup is no region.
    """
    kept_in = (regions[region].get("kafka_dr_kubernetes") or {}).get("backup")
    if kept_in is not None or not set(backups) <= set(regions):
        return []
    return list(dict.fromkeys((regions[backup].get("kafka_dr_mirror_hosts") or [backup])[0] for backup in backups))
