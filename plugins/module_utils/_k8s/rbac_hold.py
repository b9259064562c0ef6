# SPDX-License-Identifier: GPL-3.0-or-later
"""The ``Role`` of whoever holds deletion off in the brokers of a region that comes back. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._inventory.turning import turned_mirrors
from .kafka_resources import GROUP
from .rbac import bound, places
from .rbac_clusters import of_cluster
from .rbac_rules import rule_for
from .region import kubernetes_region


def hold_roles(
    regions: dict[str, dict[str, Any]],
    mirrors: Sequence[dict[str, Any]],
    name: str = "kafka-dr-hold",
    subjects: Sequence[dict[str, str]] = (),
    region: str = "",
) -> list[dict[str, Any]]:
    """A ``Role`` for the namespace of each region on Kubernetes that a mirror copies from, since such a region may come
    back. It stands apart from what every stage needs: whoever changes a Kafka decides over its pods.

    :param regions: ``{region: its variables}``. :param mirrors: ``kafka_dr_mirrors``.
    :param subjects: of the bindings, as Kubernetes has them. :param region: only what belongs into the cluster of this
        region.
    """
    every = [*mirrors, *turned_mirrors(regions, mirrors)]
    sources = {mirror.get("source") for mirror in every}
    returning = {key: regions[key] for key in sorted(regions) if key in sources and _is_held_off(regions[key])}
    found = [_hold_place(key, described) for key, described in returning.items()]
    return bound(of_cluster(found, places(regions, every), region), name, subjects)


def hold_rules(place: dict[str, Any]) -> list[dict[str, Any]]:
    """What holding deletion off needs in a region's namespace.

    :param place: as :func:`.region.kubernetes_region` gives it.
    """
    return [
        rule_for(GROUP, "kafkas", ["get", "patch"], [place["cluster"]]),
        # Names of brokers are known by the operator alone, and a list cannot be limited to names.
        rule_for("", "configmaps", ["list"]),
    ]


def _is_held_off(described: dict[str, Any]) -> bool:
    """Whether the region has a Kafka whose settings the collection knows how to write."""
    place = described.get("kafka_dr_kubernetes") or {}
    return (
        described.get("kafka_dr_platform") == "kubernetes"
        and bool(place.get("cluster"))
        and (place.get("group") or GROUP) == GROUP
    )


def _hold_place(region: str, described: dict[str, Any]) -> dict[str, Any]:
    place = kubernetes_region(described, region)
    return {
        "name": region,
        "connection": place["connection"],
        "namespace": place["namespace"],
        "suffix": "",
        "rules": hold_rules(place),
    }
