# SPDX-License-Identifier: GPL-3.0-or-later
"""Which Roles belong into which cluster. Regions of two clusters may have namespaces of one name. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._errors import UsageError
from .._inventory.places import connection_of

# Where a stage writes: name (of the region), connection, namespace, suffix (of the Role's name), rules, kept, home
# (whether it is the region's own namespace), applications (where it is theirs alone).
Place = dict[str, Any]


def of_cluster(found: Sequence[Place], known: Sequence[Place], region: str) -> list[Place]:
    """The places in the cluster of a region, each namespace once.

    :param found: what Roles are wanted for.
    :param known: where the stages write, which tells the clusters of the regions.
    :param region: all clusters where it is empty.
    :raises UsageError: the region has nothing on Kubernetes, or one file would hold two Roles of one name.
    """
    return _merged(_in_cluster(found, known, region) if region else found)


def regions_beside(regions: dict[str, dict[str, Any]], region: str) -> list[str]:
    """Names of the regions on Kubernetes in the cluster of this one, of all where it is empty."""
    connections = {
        name: connection_of(described["kafka_dr_kubernetes"])
        for name, described in regions.items()
        if described.get("kafka_dr_platform") == "kubernetes"
    }
    return sorted(name for name in connections if not region or connections[name] == connections.get(region))


def _in_cluster(found: Sequence[Place], known: Sequence[Place], region: str) -> list[Place]:
    clusters = _clusters(known)
    if region not in clusters:
        raise UsageError(
            f"Region '{region}' has nothing on Kubernetes",
            expected="one of " + ", ".join(sorted(clusters)),
            remedy="Correct rbac_region",
        )
    return [
        place
        for place in found
        if place["connection"] == clusters[region]
        # What a region has in a cluster where no region is has no other name.
        or (place["name"] == region and place["connection"] not in clusters.values())
    ]


def _clusters(known: Sequence[Place]) -> dict[str, dict[str, Any]]:
    """How the cluster of each region is reached: that of its own namespace, or else of what it has on Kubernetes."""
    clusters: dict[str, dict[str, Any]] = {}
    for place in sorted(known, key=lambda place: not place["home"]):
        if not place["kept"]:
            clusters.setdefault(place["name"], place["connection"])
    return clusters


def _merged(found: Sequence[Place]) -> list[Place]:
    """One place for each Role; a second Role of its name would overwrite the first."""
    merged: list[Place] = []
    for place in found:
        same = next(
            (
                earlier
                for earlier in merged
                if (earlier["namespace"], earlier["suffix"]) == (place["namespace"], place["suffix"])
            ),
            None,
        )
        if same is None:
            merged.append({**place, "rules": list(place["rules"])})
        elif same["connection"] == place["connection"]:
            same["rules"] += [rule for rule in place["rules"] if rule not in same["rules"]]
        elif same["rules"] != place["rules"]:
            raise _two_of_one_name(same, place)
    return merged


def _two_of_one_name(first: Place, second: Place) -> UsageError:
    names = (first["name"], second["name"])
    both = "Applications and cluster of" if names[0] == names[1] else "Regions"
    return UsageError(
        f"{both} '{names[0]}' and '{names[1]}' need Roles of one name in namespace {second['namespace']} of two "
        "clusters",
        expected="what is applied in one cluster",
        found="both, of which the second would overwrite the first",
        remedy="Describe the applications on a host of its own, with their cluster as kafka_dr_kubernetes, and name "
        "that host as rbac_region"
        if names[0] == names[1]
        else f"Write a file for each cluster, with -e rbac_region={names[0]} and -e rbac_region={names[1]}, and apply "
        "each in the cluster of that region",
    )
