# SPDX-License-Identifier: GPL-3.0-or-later
"""Which Roles and users are printed for which cluster."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.filter.kafka_resources import stages_users
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.rbac import reader_roles, roles

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


def test_the_stages_user_is_printed_for_the_cluster_of_its_region():
    regions = of_two_clusters()
    regions["eu"]["kafka_dr_kubernetes"]["cluster"] = "second"
    assert [one["metadata"]["labels"]["strimzi.io/cluster"] for one in stages_users(regions, region="eu")] == ["second"]
    assert len(stages_users({"na": region(), "eu": region()}, region="eu")) == 2


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
