# SPDX-License-Identifier: GPL-3.0-or-later
"""Which machines a stage needs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .applications import ROLES, application_batches, application_machines
from .places import mirror_connection
from .platforms import mirror_in_cluster, mirror_on_machines
from .regions import hosts_with

# What a stop did not reach is named by its machine, and by these where the workers of Connect, or the API server of the
# cluster that runs the mirror, did not answer. No machine of an inventory has a blank in its name.
CONNECT, KUBERNETES = "the Connect cluster", "the Kubernetes cluster"


def mirror_machines(regions: dict[str, dict[str, Any]], mirror: dict[str, Any]) -> list[str]:
    """Names of the machines that the mirror, or the witness beside it, is kept on; none where that is a cluster's
    affair.

    :param regions: hostvars.
    """
    target = regions[mirror["target"]]
    return list(target.get("kafka_dr_mirror_hosts") or [mirror["target"]]) if mirror_on_machines(target) else []


def mirror_clusters(regions: dict[str, dict[str, Any]], mirrors: Iterable[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """``{of_mirror: connection}`` of the API servers that mirrors need which run in a cluster.

    :param regions: hostvars. :param mirrors: empty ones count for nothing.
    """
    return {
        of_mirror(mirror["name"]): mirror_connection(regions[mirror["target"]])
        for mirror in mirrors
        if mirror and mirror_in_cluster(regions[mirror["target"]])
    }


def machines_needed(
    regions: dict[str, dict[str, Any]],
    mirrors: Sequence[dict[str, str]] = (),
    applications: bool = False,
    hosts: Sequence[str] = (),
) -> dict[str, Any]:
    """All that a stage reaches by a connection of its own.

    :param regions: hostvars.
    :param mirrors: mirrors that it starts, stops or removes.
    :param applications: whether it starts or stops the applications of the inventory.
    :param hosts: further machines.
    :returns: ``machines[]``, ``clusters{application or of_mirror: connection}``.
    """
    machines = {*hosts, *(name for mirror in mirrors if mirror for name in mirror_machines(regions, mirror))}
    clusters = mirror_clusters(regions, mirrors)
    if applications:
        found = application_machines(
            application_batches(regions, hosts_with(regions, "kafka_dr_applications"), ROLES), regions
        )
        machines.update(found["machines"])
        clusters.update(found["clusters"])
    return {"machines": sorted(machines), "clusters": clusters}


def mirror_forgotten(left: Sequence[str], regions: dict[str, dict[str, Any]], mirror: dict[str, Any]) -> list[str]:
    """Of what an earlier stop of the mirror did not reach, what the inventory has no more.

    :param left: names of machines, :data:`CONNECT` and :data:`KUBERNETES`.
    :param regions: hostvars.
    """
    target = regions[mirror["target"]]
    described = {CONNECT} if target.get("kafka_dr_connect") else set()
    if mirror_in_cluster(target):
        described.add(KUBERNETES)
    return [name for name in left if name not in regions and name not in described]


def mirror_behind(left: Iterable[str]) -> list[str]:
    """What a stop of the mirror did not reach, each as part of a sentence.

    :param left: names of machines, :data:`CONNECT` and :data:`KUBERNETES`.
    """
    return [name if name in (CONNECT, KUBERNETES) else f"machine of the mirror {name}" for name in left]


def told_silent(silent: dict[str, dict[str, str]]) -> str:
    """The machines and API servers that do not answer, as part of a sentence.

    :param silent: ``{machines: {machine: why}, clusters: {application or of_mirror: why}}``.
    """
    return "; ".join(
        [f"{name} ({why})" for name, why in sorted(silent.get("machines", {}).items())]
        + [
            f"the API server of {name if name.startswith(of_mirror('')) else f'application {name}'} ({why})"
            for name, why in sorted(silent.get("clusters", {}).items())
        ]
    )


def of_mirror(name: str) -> str:
    """By which the API server of the cluster that runs a mirror is told, beside those of applications."""
    return f"mirror {name}"
