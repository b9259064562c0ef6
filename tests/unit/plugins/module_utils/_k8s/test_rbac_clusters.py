# SPDX-License-Identifier: GPL-3.0-or-later
"""Which Roles and users are printed for which cluster."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.rbac import reader_roles, roles, wanted

USERS = [{"name": f"kdr-{purpose}", "purpose": purpose} for purpose in ("stages", "mirror", "reader", "proof")]
MIRRORS = [{"name": "backup", "source": "na", "target": "eu"}]


def region(**place):
    """A region on Kubernetes."""
    return {
        "kafka_dr_platform": "kubernetes",
        "kafka_dr_kubernetes": {"namespace": "kafka", "cluster": "main", **place},
        "kafka_dr_users": USERS,
    }


def of_two_clusters(**kept):
    """Both regions in a namespace of the same name, as in the tutorial."""
    return {"na": region(context="na", **kept), "eu": region(context="eu")}


@pytest.mark.parametrize("made", [roles, reader_roles])
def test_roles_of_two_clusters_do_not_overwrite_each_other(made):
    """Applied from one file, the last Role of a name would be that of every cluster."""
    with pytest.raises(UsageError, match=r"two clusters.*-e rbac_region="):
        made(of_two_clusters(), MIRRORS)
    (eu,), (na,) = (made(of_two_clusters(), MIRRORS, region=name) for name in ("eu", "na"))
    assert eu["metadata"] == na["metadata"] and eu["rules"] != na["rules"]
    assert ["backup"] in [one.get("resourceNames") for one in eu["rules"]]


def test_what_is_kept_in_another_cluster_is_printed_for_that_one():
    regions = of_two_clusters(backup={"context": "eu", "namespace": "kept"})

    def where(made, name):
        return {(one["metadata"]["namespace"], one["metadata"]["name"]) for one in made(regions, MIRRORS, region=name)}

    assert where(roles, "eu") == {("kafka", "kafka-dr"), ("kept", "kafka-dr-na")}
    assert where(roles, "na") == {("kafka", "kafka-dr")}
    assert where(reader_roles, "eu") == {("kafka", "kafka-dr-reader"), ("kept", "kafka-dr-reader-na")}
    # A cluster that no region is in.
    regions = of_two_clusters(backup={"context": "vault", "namespace": "kept"})
    assert where(roles, "na") == {("kafka", "kafka-dr"), ("kept", "kafka-dr-na")}
    assert where(roles, "eu") == {("kafka", "kafka-dr")}


def test_one_namespace_of_a_cluster_has_one_role():
    """Of a region, and of a host that has its applications there."""
    shop = {
        "kafka_dr_platform": "kubernetes",
        "kafka_dr_kubernetes": {"namespace": "kafka"},
        "kafka_dr_applications": [{"name": "shop", "kind": "kubernetes", "principals": ["shop"]}],
    }
    (made,) = roles({"eu": region(), "shop": shop}, MIRRORS)
    named = [name for rule in made["rules"] for name in rule.get("resourceNames", [])]
    assert {"shop", "backup"} <= set(named)


def test_a_region_that_has_nothing_on_kubernetes_is_named():
    with pytest.raises(UsageError, match=r"'old'.*expected one of eu, na"):
        roles({**of_two_clusters(), "old": {"kafka_dr_platform": "host"}}, MIRRORS, region="old")


def shop(**place):
    """An application on Kubernetes, elsewhere than its region where it says so."""
    return {"name": "shop", "kind": "kubernetes", "principals": ["shop"], **place}


def where_shop_is(made, key="metadata"):
    """Namespaces whose rights let the application be changed."""
    return [
        (one[key] if key == "metadata" else one)["namespace"]
        for one in made
        if any(rule["resources"] == ["deployments"] and "shop" in rule["resourceNames"] for rule in one["rules"])
    ]


@pytest.mark.parametrize(
    "host",
    [
        region(context="eu"),
        # Kafka is on machines, and the applications are not.
        {"kafka_dr_platform": "host", "kafka_dr_kubernetes": {"context": "eu", "namespace": "kafka"}},
        {"kafka_dr_platform": "managed"},
    ],
    ids=["kubernetes", "host", "managed"],
)
@pytest.mark.parametrize("place", [{"namespace": "shops"}, {"namespace": "shops", "connection": {"context": "apps"}}])
def test_an_application_gets_its_rights_where_it_is(host, place):
    """Not where its region's cluster is: a stage would fail at it, after the fence."""
    regions = {"na": region(context="na"), "eu": {**host, "kafka_dr_applications": [shop(**place)]}}
    assert where_shop_is(roles(regions, MIRRORS, region="eu")) == ["shops"]
    assert where_shop_is(roles(regions, MIRRORS, region="na")) == []
    (asked,) = [one for one in wanted(regions, MIRRORS, ["eu"]) if one["namespace"] == "shops"]
    assert where_shop_is([asked], "") == ["shops"]
    context = host.get("kafka_dr_kubernetes", {}).get("context")
    assert asked["connection"].get("context") == place.get("connection", {}).get("context", context)
    assert "shops" not in {one["namespace"] for one in wanted(regions, MIRRORS, ["eu"], silent=["shop"])}


def test_an_application_in_the_cluster_of_another_region_is_printed_for_that_one():
    place = {"namespace": "shops", "connection": {"context": "na"}}
    regions = of_two_clusters()
    regions["eu"]["kafka_dr_applications"] = [shop(**place)]
    assert where_shop_is(roles(regions, MIRRORS, region="na")) == ["shops"]
    assert where_shop_is(roles(regions, MIRRORS, region="eu")) == []


def test_two_clusters_of_one_region_are_refused_with_a_way_out_that_works():
    """No name of a region tells its cluster from that of its application."""
    regions = of_two_clusters()
    place = {"namespace": "kafka", "context": "apps"}
    regions["eu"]["kafka_dr_applications"] = [shop(namespace="kafka", connection={"context": "apps"})]
    with pytest.raises(UsageError, match="host of its own"):
        roles(regions, MIRRORS, region="eu")
    regions["eu"].pop("kafka_dr_applications")
    regions["apps"] = {
        "kafka_dr_platform": "kubernetes",
        "kafka_dr_kubernetes": place,
        "kafka_dr_applications": [shop()],
    }
    assert [where_shop_is(roles(regions, MIRRORS, region=one)) for one in ("apps", "eu", "na")] == [["kafka"], [], []]


def test_a_deployment_in_a_cluster_of_its_own_takes_nothing_of_that_cluster_along():
    """It would bring the Role of the other region's namespace, and the way out would be the command that was run."""
    regions = of_two_clusters()
    regions["eu"] |= {
        "kafka_dr_mirror_platform": "deployment",
        "kafka_dr_mirror_deployment": {"image": "i", "namespace": "mirrors", "context": "na"},
    }
    printed = {one: [made["metadata"]["namespace"] for made in roles(regions, MIRRORS, region=one)] for one in regions}
    assert printed == {"eu": ["kafka"], "na": ["mirrors", "kafka"]}


def test_only_the_namespace_of_a_region_is_one_that_its_stage_makes():
    """The gate would pass over a missing namespace that nobody makes."""
    made = region(context="eu") | {
        "kafka_dr_kafka": {"create_namespace": True},
        "kafka_dr_applications": [shop(namespace="shops")],
        "kafka_dr_mirror_platform": "deployment",
    }
    for deployment, expected in (
        ({"image": "i"}, [("kafka", True), ("kafka", True), ("shops", False)]),
        ({"image": "i", "namespace": "mirrors"}, [("mirrors", False), ("kafka", True), ("shops", False)]),
    ):
        regions = {"na": region(context="na"), "eu": made | {"kafka_dr_mirror_deployment": deployment}}
        asked = wanted(regions, MIRRORS, ["eu"], making=["eu"])
        assert [(one["namespace"], one["may_be_made"]) for one in asked] == expected


def test_a_dead_cluster_is_not_asked_whichever_application_tells_of_it():
    """One application is asked for each API server; those beside it are as dead."""
    place = {"context": "dead", "namespace": "shops"}
    host = {"kafka_dr_platform": "kubernetes", "kafka_dr_kubernetes": place}
    regions = of_two_clusters() | {"apps": {**host, "kafka_dr_applications": [shop(), shop(name="till")]}}
    for away in ({}, {"namespace": "tills"}):
        regions["apps"]["kafka_dr_applications"][1] |= away
        assert [one["connection"] for one in wanted(regions, MIRRORS, ["eu"], silent=["shop"])] == [{"context": "eu"}]
