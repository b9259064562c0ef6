# SPDX-License-Identifier: GPL-3.0-or-later
"""The least that the stages need in a region's namespace, as ``Role`` manifests. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._inventory.machines import mirror_clusters, of_mirror
from .._inventory.places import connection_of
from .._inventory.turning import turned_mirrors
from .mirror_deployment import PLATFORM, mirror_place
from .rbac_clusters import of_cluster
from .rbac_rules import (
    AUTHORITIES,
    about_something,
    application_places,
    incoming_mirrors,
    kept_rules,
    operator_rules,
    rule_for,
    secret_rules,
)
from .region import kubernetes_region, prefix_of

RBAC = "rbac.authorization.k8s.io/v1"


def roles(
    regions: dict[str, dict[str, Any]],
    mirrors: Sequence[dict[str, Any]],
    name: str = "kafka-dr",
    subjects: Sequence[dict[str, str]] = (),
    region: str = "",
) -> list[dict[str, Any]]:
    """One ``Role`` for each namespace of a region on Kubernetes, and where it is said who is to have it, its
    ``RoleBinding``.

    :param regions: ``{region: its variables}``.
    :param mirrors: ``kafka_dr_mirrors``; those that planned moves may turn round are added.
    :param subjects: of the bindings, as Kubernetes has them: ``{kind, name, namespace | apiGroup}``.
    :param region: only what belongs into the cluster of this region.
    :raises UsageError: namespaces of one name in two clusters need different Roles, and no region is named.
    """
    found = places(regions, [*mirrors, *turned_mirrors(regions, mirrors)])
    return bound(of_cluster(found, found, region), name, subjects)


def reader_roles(
    regions: dict[str, dict[str, Any]],
    mirrors: Sequence[dict[str, Any]],
    name: str = "kafka-dr-reader",
    subjects: Sequence[dict[str, str]] = (),
    region: str = "",
) -> list[dict[str, Any]]:
    """The same for whoever only reads, in regions that describe a user of the purpose ``reader``: doctor, status,
    manifests and pages need no more.
    """
    found = []
    incoming = [*mirrors, *turned_mirrors(regions, mirrors)]
    for region_name in sorted(regions):
        described = regions[region_name]
        if (
            described.get("kafka_dr_platform") == "kubernetes"
            and _users(described, "reader")
            and described["kafka_dr_kubernetes"].get("cluster")
        ):
            found += _reader_places(region_name, described, incoming)
    return bound(of_cluster(found, places(regions, incoming), region), name, subjects)


def _users(described: dict[str, Any], *purposes: str) -> list[str]:
    return [user["name"] for user in described.get("kafka_dr_users") or [] if user.get("purpose") in purposes]


def _reader_places(region: str, described: dict[str, Any], mirrors: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """What a reader may do in the region's namespace, and where its definition is kept."""
    found = []
    place = kubernetes_region(described, region)
    cluster = "eventstreams" if place["group"] == "eventstreams.ibm.com" else "kafkas"
    users = _users(described, "reader", "proof")
    rules = [
        rule_for(place["group"], cluster, ["get"], [place["cluster"]]),
        rule_for("", "secrets", ["get"], sorted({*users, place["cluster"] + "-cluster-ca-cert"})),
    ]
    incoming = incoming_mirrors(region, described, mirrors)
    if incoming and described.get("kafka_dr_mirror_platform", "kubernetes") == "kubernetes":
        rules.append(rule_for(place["group"], "kafkamirrormaker2s", ["get"], incoming))
    if place["backup"]:
        # What is kept is compared with the current state; the Secrets beside it, which have the keys, stay closed.
        rules += [rule_for(place["group"], kind, ["list"]) for kind in (cluster, "kafkanodepools", "kafkatopics")]
        found.append(
            {
                "name": region,
                "connection": connection_of(place["backup"]),
                "namespace": place["backup"]["namespace"],
                "suffix": "-" + place["prefix"].rstrip("-"),
                "rules": [rule_for("", "secrets", ["get"], [place["prefix"] + "definition"])],
            }
        )
    own = {"name": region, "connection": place["connection"], "namespace": place["namespace"], "suffix": ""}
    return [*found, {**own, "rules": about_something(rules)}]


def bound(found: Sequence[dict[str, Any]], name: str, subjects: Sequence[dict[str, str]]) -> list[dict[str, Any]]:
    """Roles for these places, and where it is said who is to have them, their RoleBindings."""
    resources = []
    for place in found:
        meta = {"name": name + place["suffix"], "namespace": place["namespace"]}
        resources.append({"apiVersion": RBAC, "kind": "Role", "metadata": meta, "rules": place["rules"]})
        if subjects:
            resources.append(
                {
                    "apiVersion": RBAC,
                    "kind": "RoleBinding",
                    "metadata": meta,
                    "subjects": [dict(subject) for subject in subjects],
                    "roleRef": {"apiGroup": RBAC.partition("/")[0], "kind": "Role", "name": meta["name"]},
                }
            )
    return resources


def places(
    regions: dict[str, dict[str, Any]], mirrors: Sequence[dict[str, Any]], making: Sequence[str] | None = None
) -> list[dict[str, Any]]:
    """Where the stages write, and what they may do there.

    :param making: regions whose clusters the stage makes, None for all; for others what only making them needs is left
        out.
    :returns: ``[{name (of the region), connection, namespace, rules, suffix (of the Role's name), kept (whether it is
        where a region's definition is kept), home (whether it is the region's own namespace), applications[] (where
        it is theirs alone)}]``.
    """
    found = []
    for region in sorted(regions):
        described = regions[region]
        found += _deployment_places(region, described, mirrors)
        theirs = application_places(described)
        if described.get("kafka_dr_platform") == "kubernetes":
            home = _home_place(region, regions, mirrors, making is None or region in making)
            here = [place for place in theirs if _same_namespace(place, home)]
            home["rules"] += [rule for place in here for rule in place["rules"]]
            theirs = [place for place in theirs if place not in here]
            found += [*_kept_places(region, described), home]
        found += [{"name": region, "suffix": "", "kept": False, "home": False, **place} for place in theirs]
    return [{**place, "rules": about_something(place["rules"])} for place in found]


def _home_place(
    region: str, regions: dict[str, dict[str, Any]], mirrors: Sequence[dict[str, Any]], makes: bool
) -> dict[str, Any]:
    """The region's own namespace. A host may have applications and no cluster."""
    described = regions[region]
    cluster = described["kafka_dr_kubernetes"]
    rules: list[dict[str, Any]] = []
    if cluster.get("cluster"):
        place = kubernetes_region(described, region)
        rules = operator_rules(place, region, mirrors, described, makes) + secret_rules(
            place, region, regions, mirrors, makes
        )
    return {
        "name": region,
        "connection": connection_of(cluster),
        "namespace": cluster["namespace"],
        "rules": rules,
        "suffix": "",
        "kept": False,
        "home": True,
    }


def _kept_places(region: str, described: dict[str, Any]) -> list[dict[str, Any]]:
    """The namespace that keeps what the region is made again from, if any does."""
    place = kubernetes_region(described, region) if described["kafka_dr_kubernetes"].get("cluster") else None
    if place is None or not place["backup"]:
        return []
    kept = [place["prefix"] + place["cluster"] + suffix for suffix in AUTHORITIES] + [
        place["prefix"] + user["name"] for user in described.get("kafka_dr_users") or []
    ]
    kept.append(place["prefix"] + "definition")
    return [
        {
            "name": region,
            "connection": connection_of(place["backup"]),
            "namespace": place["backup"]["namespace"],
            "suffix": "-" + place["prefix"].rstrip("-"),
            "kept": True,
            "home": False,
            "rules": [rule_for("", "secrets", ["create"]), rule_for("", "secrets", ["get", "patch", "update"], kept)],
        }
    ]


def _deployment_places(
    region: str, described: dict[str, Any], mirrors: Sequence[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Where a region's mirrors are Deployments: what they are made of, in their namespace."""
    incoming = incoming_mirrors(region, described, mirrors)
    if described.get("kafka_dr_mirror_platform") != PLATFORM or not incoming:
        return []
    place = mirror_place(described, region)
    kinds = ["mirror", *(["witness"] if place["witness_image"] else [])]
    if (described.get("kafka_dr_watch") or {}).get("image"):
        kinds.append("watch")
    names = [f"{kind}-{mirror_name}" for kind in kinds for mirror_name in incoming]
    return [
        {
            "name": region,
            "connection": place["connection"],
            "namespace": place["namespace"],
            "suffix": "-mirrors-" + prefix_of(region).rstrip("-"),
            "kept": False,
            "home": False,
            "rules": kept_rules(names),
        }
    ]


def wanted(
    regions: dict[str, dict[str, Any]],
    mirrors: Sequence[dict[str, Any]],
    writes: list[str],
    making: Sequence[str] = (),
    lost: Sequence[str] = (),
    keeps: Sequence[str] = (),
    silent: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """Places that a stage writes to, with what it needs there, as the module ``kubernetes_access_info`` takes them.

    :param regions: hostvars.
    :param mirrors: ``kafka_dr_mirrors``, and those of the stage that were or will be turned round.
    :param writes: regions that the stage writes to; the namespaces of applications that it moves are added, and none
        that belongs to a lost region.
    :param making: those whose cluster it makes. :param keeps: those whose definition it keeps or reads elsewhere.
    :param silent: applications, and mirrors by ``of_mirror``, whose API server does not answer; they are left out.
    """
    dead = _connections(regions, silent)
    left = mirror_clusters(regions, [mirror for mirror in mirrors if of_mirror(mirror["name"]) in silent]).values()
    movable = [name for name in regions if name not in lost and application_places(regions[name])]
    known = places(regions, mirrors, making)
    homes = [place for place in known if place["home"] and _makes(place, regions, making)]

    def is_written(place: dict[str, Any]) -> bool:
        if place["name"] in (keeps if place["kept"] else writes) and not place.get("applications"):
            return place["home"] or place["kept"] or place["connection"] not in left
        return place["name"] in [*writes, *movable] and not place["kept"] and place["connection"] not in dead

    return [
        {
            **{key: place[key] for key in ("name", "connection", "namespace")},
            # A right to read what may not even be installed opens no gate.
            "rules": [rule for rule in place["rules"] if rule["apiGroups"] != ["keda.sh"]],
            "needed": place["home"] or place["kept"],
            "may_be_made": not place["kept"] and any(_same_namespace(place, home) for home in homes),
        }
        for place in known
        if is_written(place)
    ]


def _same_namespace(place: dict[str, Any], other: dict[str, Any]) -> bool:
    return (place["connection"], place["namespace"]) == (other["connection"], other["namespace"])


def _connections(regions: dict[str, dict[str, Any]], names: Sequence[str]) -> list[dict[str, Any]]:
    """How the API servers of these applications are reached."""
    found = [place for described in regions.values() for place in application_places(described)]
    return [place["connection"] for place in found if set(place["applications"]) & set(names)]


def _makes(place: dict[str, Any], regions: dict[str, dict[str, Any]], making: Sequence[str]) -> bool:
    """Whether the stage makes this namespace, a region's own."""
    kafka = regions[place["name"]].get("kafka_dr_kafka") or {}
    return place["name"] in making and str(kafka.get("create_namespace", False)).lower() == "true"
