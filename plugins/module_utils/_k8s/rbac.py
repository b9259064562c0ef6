# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""The least that the stages need in a region's namespace, as ``Role`` manifests. Pure."""

from __future__ import annotations

from .application import application_place
from .mirror_deployment import PLATFORM, mirror_place
from .region import kubernetes_region, prefix_of

AUTHORITIES = ("-cluster-ca-cert", "-cluster-ca", "-clients-ca-cert", "-clients-ca")


def roles(regions, mirrors, name="kafka-dr"):
    """One ``Role`` for each region on Kubernetes.

    :param regions: ``{region: its variables}``.
    :param mirrors: ``kafka_dr_mirrors``.
    """
    made = []
    for region in sorted(regions):
        described = regions[region]
        made += _deployment_roles(region, described, mirrors, name)
        if described.get("kafka_dr_platform") != "kubernetes":
            continue
        rules = _application_rules(described)
        # A host may have applications and no cluster.
        cluster = bool(described["kafka_dr_kubernetes"].get("cluster"))
        if cluster:
            place = kubernetes_region(described, region)
            rules = _operator_rules(place, region, mirrors, described) + _secret_rules(place, region, regions, mirrors) + rules
        namespace = described["kafka_dr_kubernetes"]["namespace"]
        if cluster and place["backup"]:
            kept = [place["prefix"] + place["cluster"] + one for one in AUTHORITIES] + [place["prefix"] + one["name"] for one in described["kafka_dr_users"]]
            kept.append(place["prefix"] + "definition")
            made.append({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
                         "metadata": {"name": "%s-%s" % (name, place["prefix"].rstrip("-")), "namespace": place["backup"]["namespace"]},
                         "rules": [_rule("", "secrets", ["create"]), _rule("", "secrets", ["get", "patch", "update"], kept)]})
        made.append({"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": {"name": name, "namespace": namespace}, "rules": rules})
    return made


def _deployment_roles(region, described, mirrors, name):
    """Where a region's mirrors are Deployments: what they are made of, in their namespace."""
    incoming = _incoming(region, described, mirrors)
    if described.get("kafka_dr_mirror_platform") != PLATFORM or not incoming:
        return []
    place = mirror_place(described, region)
    names = ["mirror-" + one for one in incoming] + (["witness-" + one for one in incoming] if place["witness_image"] else [])
    return [{"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role",
             "metadata": {"name": "%s-mirrors-%s" % (name, prefix_of(region).rstrip("-")), "namespace": place["namespace"]}, "rules": _kept_rules(names)}]


def _incoming(region, described, mirrors):
    """Names of the mirrors that run in a region: those into it, and where it is made again, those that bring its records back."""
    incoming = sorted(one["name"] for one in mirrors if one.get("target") == region)
    if described.get("kafka_dr_platform") != "kubernetes" or described["kafka_dr_kubernetes"].get("backup"):
        incoming += sorted("restore-" + one["name"] for one in mirrors if one.get("source") == region)
    return incoming


def _kept_rules(names):
    """Deployments of these names with what they read; only ``create`` cannot be limited to names."""
    rules = []
    for group, resource in (("apps", "deployments"), ("", "configmaps"), ("", "secrets")):
        rules += [_rule(group, resource, ["create"]), _rule(group, resource, ["get", "patch", "delete"], names)]
    return rules


def _operator_rules(place, region, mirrors, described):
    group = place["group"]
    cluster = "eventstreams" if group == "eventstreams.ibm.com" else "kafkas"
    users = sorted({one["name"] for one in described.get("kafka_dr_users") or []})
    rules = [
        _rule(group, cluster, ["get"], [place["cluster"]]),
        # A list cannot be limited to names, nor can the making of what is not there yet.
        _rule(group, "kafkausers", ["list", "create"]),
        _rule(group, "kafkausers", ["get", "patch"], users),
        # Which topics there are to be is known by Kafka alone.
        _rule(group, "kafkatopics", ["list", "create", "get", "patch"]),
    ]
    if (described.get("kafka_dr_kafka") or {}).get("resources") or place["backup"]:
        rules += [_rule(group, cluster, ["create"]), _rule(group, cluster, ["patch"], [place["cluster"]]),
                  _rule(group, "kafkanodepools", ["get", "create", "patch"])]
    if place["backup"]:
        rules += [_rule(group, cluster, ["list"]), _rule(group, "kafkanodepools", ["list"])]
    incoming = _incoming(region, described, mirrors)
    if incoming and described.get("kafka_dr_mirror_platform", "kubernetes") == "kubernetes":
        if place["witness_image"]:
            rules += _kept_rules(["witness-" + one for one in incoming])
        rules += [_rule(group, "kafkamirrormaker2s", ["create"]), _rule(group, "kafkamirrormaker2s", ["get", "patch", "delete"], incoming)]
    return rules


def _secret_rules(place, region, regions, mirrors):
    """Secrets by name; only ``create`` cannot be."""
    users = [one["name"] for one in regions[region].get("kafka_dr_users") or []]
    read = {*users, place["cluster"] + "-cluster-ca-cert"}
    write = {one["name"] + "-given" for one in regions[region].get("kafka_dr_users") or [] if "password" in one}
    for mirror in mirrors:
        source = mirror.get("source")
        if mirror.get("target") == region and (regions.get(source) or {}).get("kafka_dr_platform") == "kubernetes":
            write |= _carried(source, regions, ("mirror", "witness", "application"))
            # The applications' users of the source are users of the target too.
            read |= {one["name"] for one in regions[source].get("kafka_dr_users") or [] if one.get("purpose") == "application"}
    if place["authorities_from"] or place["backup"]:
        write |= {place["cluster"] + one for one in AUTHORITIES}
    if place["backup"]:
        write |= {one + "-given" for one in users}
        for mirror in mirrors:
            target = mirror.get("target")
            if mirror.get("source") == region and (regions.get(target) or {}).get("kafka_dr_platform") == "kubernetes":
                write |= _carried(target, regions, ("mirror", "witness"))
    rules = [_rule("", "secrets", ["get"], sorted(read - write))]
    if write:
        rules += [_rule("", "secrets", ["create"]), _rule("", "secrets", ["get", "update", "patch"], sorted(write))]
    return rules


def _carried(source, regions, purposes):
    """Names of the copies that a mirror's target has of its source's Secrets."""
    prefix = prefix_of(source)
    names = {prefix + one["name"] for one in regions[source].get("kafka_dr_users") or [] if one.get("purpose") in purposes}
    return names | {"%s%s-cluster-ca-cert" % (prefix, regions[source]["kafka_dr_kubernetes"]["cluster"])}


def _application_rules(described):
    rules = []
    for one in described.get("kafka_dr_applications") or []:
        if one.get("kind") == "kubernetes":
            place = application_place(one, described)
            group = place["api_version"].split("/")[0] if "/" in place["api_version"] else ""
            plural = place["kind"].lower() + "s"
            rules += [_rule(group, plural, ["get", "patch"], [place["name"]]), _rule("keda.sh", "scaledobjects", ["list"]),
                      _rule("", "secrets", ["get", "patch"], [place["secret"]]), _rule("", "secrets", ["create"])]
    unique = []
    for rule in rules:
        if rule not in unique:
            unique.append(rule)
    return unique


def _rule(group, resource, verbs, names=None):
    rule = {"apiGroups": [group], "resources": [resource], "verbs": verbs}
    if names:
        rule["resourceNames"] = list(names)
    return rule
