# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules of a ``Role``: what the stages need of an operator's resources, of Secrets and of applications. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._inventory.places import application_place, connection_of
from .region import prefix_of

AUTHORITIES = ("-cluster-ca-cert", "-cluster-ca", "-clients-ca-cert", "-clients-ca")


def incoming_mirrors(region: str, described: dict[str, Any], mirrors: Sequence[dict[str, Any]]) -> list[str]:
    """Names of the mirrors that run in a region: those into it, and where it is made again, those that bring its
    records back.
    """
    incoming = sorted({mirror["name"] for mirror in mirrors if mirror.get("target") == region})
    if described.get("kafka_dr_platform") != "kubernetes" or described["kafka_dr_kubernetes"].get("backup"):
        incoming += sorted({"restore-" + mirror["name"] for mirror in mirrors if mirror.get("source") == region})
    return incoming


def kept_rules(names: list[str]) -> list[dict[str, Any]]:
    """Deployments of these names with what they read; only ``create`` cannot be limited to names."""
    rules = []
    for group, resource in (("apps", "deployments"), ("", "configmaps"), ("", "secrets")):
        rules += [rule_for(group, resource, ["create"]), rule_for(group, resource, ["get", "patch", "delete"], names)]
    return rules


def operator_rules(
    place: dict[str, Any], region: str, mirrors: Sequence[dict[str, Any]], described: dict[str, Any], makes: bool = True
) -> list[dict[str, Any]]:
    group = place["group"]
    cluster = "eventstreams" if group == "eventstreams.ibm.com" else "kafkas"
    users = sorted({user["name"] for user in described.get("kafka_dr_users") or []})
    rules = [
        rule_for(group, cluster, ["get"], [place["cluster"]]),
        # A list cannot be limited to names, nor can the making of what is not there yet.
        rule_for(group, "kafkausers", ["list", "create"]),
        rule_for(group, "kafkausers", ["get", "patch"], users),
        # Which topics there are to be is known by Kafka alone.
        rule_for(group, "kafkatopics", ["list", "create", "get", "patch"]),
    ]
    if makes and ((described.get("kafka_dr_kafka") or {}).get("resources") or place["backup"]):
        rules += [
            rule_for(group, cluster, ["create"]),
            rule_for(group, cluster, ["patch"], [place["cluster"]]),
            rule_for(group, "kafkanodepools", ["get", "create", "patch"]),
        ]
    if place["backup"]:
        rules += [rule_for(group, cluster, ["list"]), rule_for(group, "kafkanodepools", ["list"])]
    incoming = incoming_mirrors(region, described, mirrors)
    if incoming and (described.get("kafka_dr_watch") or {}).get("image") and _in_cluster(described):
        rules += kept_rules(["watch-" + mirror_name for mirror_name in incoming])
    if incoming and described.get("kafka_dr_mirror_platform", "kubernetes") == "kubernetes":
        if place["witness_image"]:
            rules += kept_rules(["witness-" + mirror_name for mirror_name in incoming])
        rules += [
            rule_for(group, "kafkamirrormaker2s", ["create"]),
            rule_for(group, "kafkamirrormaker2s", ["get", "patch", "delete"], incoming),
        ]
    return rules


def _in_cluster(described: dict[str, Any]) -> bool:
    """Whether an operator of the region runs the mirrors into it; what a Deployment needs has a place of its own."""
    return described.get("kafka_dr_mirror_platform", "kubernetes") == "kubernetes"


def secret_rules(
    place: dict[str, Any],
    region: str,
    regions: dict[str, dict[str, Any]],
    mirrors: Sequence[dict[str, Any]],
    makes: bool = True,
) -> list[dict[str, Any]]:
    """Secrets by name; only ``create`` cannot be."""
    users = [user["name"] for user in regions[region].get("kafka_dr_users") or []]
    read = {*users, place["cluster"] + "-cluster-ca-cert"}
    # A password that was learnt from its Secret in the course of a stage is not given.
    write = {
        user["name"] + "-given"
        for user in regions[region].get("kafka_dr_users") or []
        if "password" in user and not user.get("password_learned")
    }
    for source in _on_kubernetes([mirror["source"] for mirror in mirrors if mirror.get("target") == region], regions):
        write |= _carried(source, regions, ("mirror", "witness", "application"))
        # The applications' users of the source are users of the target too.
        read |= {
            user["name"] for user in regions[source].get("kafka_dr_users") or [] if user.get("purpose") == "application"
        }
    if makes and (place["authorities_from"] or place["backup"]):
        write |= {place["cluster"] + suffix for suffix in AUTHORITIES}
    if place["backup"]:
        if makes:
            write |= {user + "-given" for user in users}
        targets = [mirror["target"] for mirror in mirrors if mirror.get("source") == region]
        for target in _on_kubernetes(targets, regions):
            write |= _carried(target, regions, ("mirror", "witness"))
    rules = [rule_for("", "secrets", ["get"], sorted(read - write))]
    if write:
        rules.append(rule_for("", "secrets", ["create"]))
        rules.append(rule_for("", "secrets", ["get", "update", "patch"], sorted(write)))
    return rules


def _on_kubernetes(names: list[str], regions: dict[str, dict[str, Any]]) -> list[str]:
    return [name for name in names if (regions.get(name) or {}).get("kafka_dr_platform") == "kubernetes"]


def _carried(source: str, regions: dict[str, dict[str, Any]], purposes: tuple[str, ...]) -> set[str]:
    """Names of the copies that a mirror's target has of its source's Secrets."""
    prefix = prefix_of(source)
    names = {
        prefix + user["name"] for user in regions[source].get("kafka_dr_users") or [] if user.get("purpose") in purposes
    }
    return names | {f"{prefix}{regions[source]['kafka_dr_kubernetes']['cluster']}-cluster-ca-cert"}


def application_places(described: dict[str, Any]) -> list[dict[str, Any]]:
    """Where the applications of a host are on Kubernetes: ``[{connection, namespace, applications[], rules}]``."""
    found: list[dict[str, Any]] = []
    for application in described.get("kafka_dr_applications") or []:
        if application.get("kind") != "kubernetes":
            continue
        at = application_place(application, described)
        key = {"connection": connection_of(at["connection"]), "namespace": at["namespace"]}
        place = next((known for known in found if key.items() <= known.items()), None)
        if place is None:
            place = {**key, "applications": [], "rules": []}
            found.append(place)
        place["applications"].append(application["name"])
        place["rules"] += [rule for rule in _application_rules(at) if rule not in place["rules"]]
    return found


def _application_rules(place: dict[str, Any]) -> list[dict[str, Any]]:
    group = place["api_version"].split("/")[0] if "/" in place["api_version"] else ""
    return [
        rule_for(group, place["kind"].lower() + "s", ["get", "patch"], [place["name"]]),
        rule_for("keda.sh", "scaledobjects", ["list"]),
        rule_for("", "secrets", ["get", "patch"], [place["secret"]]),
        rule_for("", "secrets", ["create"]),
    ]


def rule_for(group: str, resource: str, verbs: list[str], names: list[str] | None = None) -> dict[str, Any]:
    """A rule; without ``names`` it is about everything of its kind, and with none of them about nothing."""
    rule: dict[str, Any] = {"apiGroups": [group], "resources": [resource], "verbs": verbs}
    if names is not None:
        rule["resourceNames"] = list(names)
    return rule


def about_something(rules: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without rules whose list of names is empty: Kubernetes takes such a rule as one about everything."""
    return [rule for rule in rules if rule.get("resourceNames") != []]
