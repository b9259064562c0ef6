# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""The least that the stages need in a region's namespace, as ``Role`` manifests. Pure."""

from __future__ import annotations

from .application import application_place
from .mirror_deployment import PLATFORM, mirror_place
from .region import CONNECTION_KEYS, kubernetes_region, prefix_of

RBAC = "rbac.authorization.k8s.io/v1"
AUTHORITIES = ("-cluster-ca-cert", "-cluster-ca", "-clients-ca-cert", "-clients-ca")


def roles(regions, mirrors, name="kafka-dr", subjects=()):
    """One ``Role`` for each namespace of a region on Kubernetes, and where it is said who is to have it, its ``RoleBinding``.

    :param regions: ``{region: its variables}``.
    :param mirrors: ``kafka_dr_mirrors``.
    :param subjects: of the bindings, as Kubernetes has them: ``{kind, name, namespace | apiGroup}``.
    """
    made = []
    for place in places(regions, mirrors):
        meta = {"name": name + place["suffix"], "namespace": place["namespace"]}
        made.append({"apiVersion": RBAC, "kind": "Role", "metadata": meta, "rules": place["rules"]})
        if subjects:
            made.append({"apiVersion": RBAC, "kind": "RoleBinding", "metadata": meta, "subjects": [dict(one) for one in subjects],
                         "roleRef": {"apiGroup": RBAC.split("/")[0], "kind": "Role", "name": meta["name"]}})
    return made


def places(regions, mirrors, making=None):
    """Where the stages write, and what they may do there.

    :param making: regions whose clusters the stage makes, None for all; for others what only making them needs is left out.
    :returns: ``[{name (of the region), connection, namespace, rules, suffix (of the Role's name), kept (whether it is where a region's definition is kept)}]``.
    """
    made = []
    for region in sorted(regions):
        described = regions[region]
        made += _deployment_places(region, described, mirrors)
        if described.get("kafka_dr_platform") != "kubernetes":
            continue
        rules = _application_rules(described)
        cluster = described["kafka_dr_kubernetes"]
        connection = {key: cluster[key] for key in CONNECTION_KEYS if cluster.get(key) is not None}
        # A host may have applications and no cluster.
        if cluster.get("cluster"):
            place = kubernetes_region(described, region)
            makes = making is None or region in making
            rules = _operator_rules(place, region, mirrors, described, makes) + _secret_rules(place, region, regions, mirrors, makes) + rules
            if place["backup"]:
                made.append(_kept_place(place, region, described))
        made.append({"name": region, "connection": connection, "namespace": cluster["namespace"], "rules": rules, "suffix": "", "kept": False})
    return made


def _kept_place(place, region, described):
    """The namespace that keeps what the region is made again from."""
    kept = [place["prefix"] + place["cluster"] + one for one in AUTHORITIES] + [place["prefix"] + one["name"] for one in described["kafka_dr_users"]]
    kept.append(place["prefix"] + "definition")
    connection = {key: place["backup"][key] for key in CONNECTION_KEYS if place["backup"].get(key) is not None}
    return {"name": region, "connection": connection, "namespace": place["backup"]["namespace"], "suffix": "-" + place["prefix"].rstrip("-"), "kept": True,
            "rules": [_rule("", "secrets", ["create"]), _rule("", "secrets", ["get", "patch", "update"], kept)]}


def _deployment_places(region, described, mirrors):
    """Where a region's mirrors are Deployments: what they are made of, in their namespace."""
    incoming = _incoming(region, described, mirrors)
    if described.get("kafka_dr_mirror_platform") != PLATFORM or not incoming:
        return []
    place = mirror_place(described, region)
    names = ["mirror-" + one for one in incoming] + (["witness-" + one for one in incoming] if place["witness_image"] else [])
    return [{"name": region, "connection": place["connection"], "namespace": place["namespace"], "suffix": "-mirrors-" + prefix_of(region).rstrip("-"),
             "kept": False, "rules": _kept_rules(names)}]


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


def _operator_rules(place, region, mirrors, described, makes=True):
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
    if makes and ((described.get("kafka_dr_kafka") or {}).get("resources") or place["backup"]):
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


def _secret_rules(place, region, regions, mirrors, makes=True):
    """Secrets by name; only ``create`` cannot be."""
    users = [one["name"] for one in regions[region].get("kafka_dr_users") or []]
    read = {*users, place["cluster"] + "-cluster-ca-cert"}
    # A password that was learnt from its Secret in the course of a stage is not given.
    write = {one["name"] + "-given" for one in regions[region].get("kafka_dr_users") or [] if "password" in one and not one.get("password_learned")}
    for mirror in mirrors:
        source = mirror.get("source")
        if mirror.get("target") == region and (regions.get(source) or {}).get("kafka_dr_platform") == "kubernetes":
            write |= _carried(source, regions, ("mirror", "witness", "application"))
            # The applications' users of the source are users of the target too.
            read |= {one["name"] for one in regions[source].get("kafka_dr_users") or [] if one.get("purpose") == "application"}
    if makes and (place["authorities_from"] or place["backup"]):
        write |= {place["cluster"] + one for one in AUTHORITIES}
    if place["backup"]:
        if makes:
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


def wanted(regions, mirrors, writes, making=(), lost=(), keeps=(), silent=()):
    """Places that a stage writes to, with what it needs there, as the module ``kubernetes_access_info`` takes them.

    :param regions: hostvars.
    :param writes: regions that the stage writes to; the namespaces of applications that it moves are added, and none that belongs to a lost region.
    :param making: those whose cluster it makes. :param keeps: those whose definition it keeps elsewhere, or reads there.
    :param silent: names of applications whose API server is known not to answer, and which the stage goes on without.
    """
    movable = [name for name in regions if name not in lost
               and any(one.get("kind") == "kubernetes" and one.get("name") not in silent for one in regions[name].get("kafka_dr_applications") or [])]
    found = []
    for one in places(regions, mirrors, making):
        if one["name"] not in (keeps if one["kept"] else [*writes, *movable]):
            continue
        kafka = regions[one["name"]].get("kafka_dr_kafka") or {}
        made = one["name"] in making and not one["kept"] and str(kafka.get("create_namespace", False)).lower() == "true"
        # A right to read what may not even be installed opens no gate.
        rules = [rule for rule in one["rules"] if rule["apiGroups"] != ["keda.sh"]]
        found.append({"name": one["name"], "connection": one["connection"], "namespace": one["namespace"], "rules": rules, "may_be_made": made})
    return found
