# SPDX-License-Identifier: GPL-3.0-or-later
"""Roles name what they are about, wherever Kubernetes lets them."""

from __future__ import annotations

from pathlib import Path

import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory.turning import turned_mirror
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.rbac import reader_roles, roles, wanted
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.region import kubernetes_region

USERS = [
    {"name": "kdr-stages", "purpose": "stages"},
    {"name": "kdr-mirror", "purpose": "mirror", "password": "x"},
    {"name": "shop", "purpose": "application"},
]
REGIONS = {
    "na": {
        "kafka_dr_platform": "kubernetes",
        "kafka_dr_kubernetes": {"namespace": "a", "cluster": "main"},
        "kafka_dr_users": USERS,
    },
    "eu": {
        "kafka_dr_platform": "kubernetes",
        "kafka_dr_kubernetes": {"namespace": "b", "cluster": "main"},
        "kafka_dr_users": USERS,
    },
    "apps": {
        "kafka_dr_platform": "kubernetes",
        "kafka_dr_kubernetes": {"namespace": "c"},
        "kafka_dr_applications": [{"name": "shop", "kind": "kubernetes", "principals": ["shop"]}],
    },
    "old": {"kafka_dr_platform": "host"},
}
MIRRORS = [{"name": "backup", "source": "na", "target": "eu"}]


def rules(region, resource):
    made = {one["metadata"]["namespace"]: one["rules"] for one in roles(REGIONS, MIRRORS)}[region]
    return [one for one in made if resource in one["resources"]]


def test_one_role_for_each_namespace():
    assert [one["metadata"]["namespace"] for one in roles(REGIONS, MIRRORS)] == ["c", "b", "a"]


def test_a_planned_move_leaves_a_mirror_that_leads_back():
    """It runs in the region that is left, and reads the other one with copies of its Secrets."""
    assert mirrors_of(rules("a", "kafkamirrormaker2s")) == [["backup-back"]]
    written = [name for rule in rules("a", "secrets") if "patch" in rule["verbs"] for name in rule["resourceNames"]]
    assert {"eu-kdr-mirror", "eu-main-cluster-ca-cert"} <= set(written)
    # A stage that turns nothing asks for no such right.
    turns, stays = wanted(REGIONS, [*MIRRORS, turned_mirror(MIRRORS[0])], ["na"]), wanted(REGIONS, MIRRORS, ["na"])
    assert mirrors_of(turns[-1]["rules"]) == [["backup-back"]]
    assert mirrors_of(stays[-1]["rules"]) == []


def mirrors_of(found):
    """Names of the mirrors that these rules let somebody change."""
    return [
        rule["resourceNames"]
        for rule in found
        if rule["resources"] == ["kafkamirrormaker2s"] and "patch" in rule["verbs"]
    ]


def test_only_create_and_list_are_without_names():
    for one in roles(REGIONS, MIRRORS):
        for rule in one["rules"]:
            assert "*" not in rule["verbs"] + rule["resources"] + rule["apiGroups"]
            # A mirror's topics are named by patterns, and node pools by whoever made the cluster.
            if set(rule["verbs"]) - {"create", "list"} and rule["resources"] not in (
                ["kafkatopics"],
                ["kafkanodepools"],
            ):
                assert rule["resourceNames"], rule


def test_a_list_of_names_that_is_empty_is_no_right_to_everything():
    """A region that describes no users: a rule with an empty list would be one about every Secret and every user."""
    for users in ([], None):
        regions = {name: {**REGIONS[name], "kafka_dr_users": users} for name in ("na", "eu")}
        regions["na"]["kafka_dr_kubernetes"] = {"namespace": "a", "cluster": "main", "backup": {"namespace": "kept"}}
        found = roles(regions, MIRRORS)
        assert len(found) == 3
        for rule in [rule for one in found for rule in one["rules"]]:
            if rule["resources"][0] in ("secrets", "kafkausers"):
                assert set(rule["verbs"]) <= {"create", "list"} or rule["resourceNames"], rule
            assert rule.get("resourceNames") != []
        asked = wanted(regions, MIRRORS, ["na", "eu"], making=["na"], keeps=["na"])
        assert all(rule.get("resourceNames") != [] for place in asked for rule in place["rules"])


def test_secrets_that_are_written_are_copies_and_given_passwords():
    written = [name for rule in rules("b", "secrets") if "patch" in rule["verbs"] for name in rule["resourceNames"]]
    assert sorted(written) == ["kdr-mirror-given", "na-kdr-mirror", "na-main-cluster-ca-cert", "na-shop"]
    assert not any(name.endswith("-ca") for rule in rules("b", "secrets") for name in rule.get("resourceNames", []))


def test_a_mirror_belongs_to_its_target():
    # One that renames topics is never turned round.
    made = roles(REGIONS, [{**MIRRORS[0], "policy": "default"}])
    assert {one["metadata"]["namespace"]: mirrors_of(one["rules"]) for one in made} == {
        "a": [],
        "b": [["backup"]],
        "c": [],
    }


def test_a_mirror_that_is_a_deployment_needs_that_and_no_resource_of_an_operator():
    regions = {
        **REGIONS,
        "eu": {**REGIONS["eu"], "kafka_dr_mirror_platform": "deployment", "kafka_dr_mirror_deployment": {"image": "i"}},
        "old": {
            **REGIONS["old"],
            "kafka_dr_mirror_platform": "deployment",
            "kafka_dr_mirror_deployment": {"image": "i", "namespace": "d"},
        },
    }
    made = {
        one["metadata"]["namespace"] + "/" + one["metadata"]["name"]: one["rules"]
        for one in roles(regions, [*MIRRORS, {"name": "second", "source": "na", "target": "old"}])
    }
    assert list(made) == ["c/kafka-dr", "b/kafka-dr-mirrors-eu", "b/kafka-dr", "a/kafka-dr", "d/kafka-dr-mirrors-old"]
    assert made["b/kafka-dr-mirrors-eu"][1] == {
        "apiGroups": ["apps"],
        "resources": ["deployments"],
        "verbs": ["get", "patch", "delete"],
        "resourceNames": ["mirror-backup"],
    }
    assert made["d/kafka-dr-mirrors-old"][-1]["resourceNames"] == ["mirror-second"]
    assert not [rule for rule in made["b/kafka-dr"] if "kafkamirrormaker2s" in rule["resources"]]


def test_applications_alone():
    assert rules("c", "deployments") == [
        {"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["get", "patch"], "resourceNames": ["shop"]}
    ]


def test_the_example_inventory_is_described_well():
    described = yaml.safe_load(
        (Path(__file__).resolve().parents[5] / "examples" / "kubernetes" / "inventory.yml").read_text()
    )["all"]
    regions = {name: {**described["vars"], **one} for name, one in described["hosts"].items()}
    spaces = {"north_america": {"kafka"}, "europe": {"kafka", "kafka-dr-north-america"}, "shop": {"shop"}}
    for name, expected in spaces.items():
        made = roles(regions, described["vars"]["kafka_dr_mirrors"], region=name)
        assert {one["metadata"]["namespace"] for one in made} == expected
    for name in ("north_america", "europe"):
        assert kubernetes_region(regions[name], name)["cluster"] == "main"


def test_a_binding_beside_each_role():
    who = [{"kind": "ServiceAccount", "name": "kafka-dr", "namespace": "awx"}]
    made = roles(REGIONS, MIRRORS, subjects=who)
    assert [one["kind"] for one in made] == ["Role", "RoleBinding"] * 3
    assert all(
        one["metadata"] == role["metadata"]
        and one["roleRef"]["name"] == role["metadata"]["name"]
        and one["subjects"] == who
        for role, one in zip(made[::2], made[1::2], strict=True)
    )


def test_access_is_wanted_where_a_stage_writes_and_where_applications_are_moved():
    assert {one["namespace"] for one in wanted(REGIONS, MIRRORS, ["eu"])} == {"b", "c"}
    assert {one["namespace"] for one in wanted(REGIONS, MIRRORS, ["eu"], lost=["apps"])} == {"b"}
    # It goes on without applications whose API server does not answer.
    assert {one["namespace"] for one in wanted(REGIONS, MIRRORS, ["eu"], silent=["shop"])} == {"b"}
    assert all(rule["apiGroups"] != ["keda.sh"] for one in wanted(REGIONS, MIRRORS, ["eu"]) for rule in one["rules"])


def test_a_deployment_whose_api_server_is_silent_is_left_out_and_its_region_is_not():
    deployment = {"namespace": "m", "image": "i", "context": "other"}
    eu = {**REGIONS["eu"], "kafka_dr_mirror_platform": "deployment", "kafka_dr_mirror_deployment": deployment}
    regions = {**REGIONS, "eu": eu}
    assert {one["namespace"] for one in wanted(regions, MIRRORS, ["eu"])} == {"b", "c", "m"}
    assert {one["namespace"] for one in wanted(regions, MIRRORS, ["eu"], silent=["mirror backup"])} == {"b", "c"}
    # One that is in the region's own cluster takes nothing else with it.
    eu["kafka_dr_mirror_deployment"] = {"namespace": "m", "image": "i"}
    assert {one["namespace"] for one in wanted(regions, MIRRORS, ["eu"], silent=["mirror backup"])} == {"b", "c"}


def test_a_password_that_was_learnt_wants_no_further_right():
    learnt = [{**one, "password": "x", "password_learned": True} for one in USERS]
    rules = wanted({**REGIONS, "eu": {**REGIONS["eu"], "kafka_dr_users": learnt}}, MIRRORS, ["eu"])[-1]["rules"]
    assert not [name for rule in rules for name in rule.get("resourceNames", []) if name.endswith("-given")]


def test_what_only_the_making_of_a_cluster_needs_is_wanted_where_it_is_made():
    regions = {
        **REGIONS,
        "na": {
            **REGIONS["na"],
            "kafka_dr_kafka": {"create_namespace": True},
            "kafka_dr_kubernetes": {"namespace": "a", "cluster": "main", "backup": {"namespace": "k", "context": "eu"}},
        },
    }

    def resources(**more):
        return {
            one["namespace"]: (
                one,
                {resource for rule in one["rules"] for resource in rule["resources"] if "create" in rule["verbs"]},
            )
            for one in wanted(regions, MIRRORS, ["na"], **more)
        }

    plain, made = resources(), resources(making=["na"], keeps=["na"])
    assert "kafkas" not in plain["a"][1] and {"kafkas", "kafkanodepools"} <= made["a"][1]
    assert "k" not in plain and made["k"][0]["connection"] == {"context": "eu"}
    assert (plain["a"][0]["may_be_made"], made["a"][0]["may_be_made"], made["k"][0]["may_be_made"]) == (
        False,
        True,
        False,
    )


READING = {
    name: {
        **REGIONS[name],
        "kafka_dr_users": [
            *USERS,
            {"name": "kdr-reader", "purpose": "reader"},
            {"name": "kdr-proof", "purpose": "proof"},
        ],
    }
    for name in ("na", "eu")
}


def test_who_only_reads_may_read_its_own_secret_and_change_nothing():
    assert reader_roles(REGIONS, MIRRORS) == [], "no region describes such a user"
    made = {one["metadata"]["namespace"]: one for one in reader_roles({**REGIONS, **READING}, MIRRORS)}
    assert set(made) == {"a", "b"} and {one["metadata"]["name"] for one in made.values()} == {"kafka-dr-reader"}
    rules = [rule for one in made.values() for rule in one["rules"]]
    assert {verb for rule in rules for verb in rule["verbs"]} == {"get"} and all(
        rule["resourceNames"] for rule in rules
    )
    assert {name for rule in rules if rule["resources"] == ["secrets"] for name in rule["resourceNames"]} == {
        "kdr-reader",
        "kdr-proof",
        "main-cluster-ca-cert",
    }
    assert [rule["resourceNames"] for rule in made["b"]["rules"] if rule["resources"] == ["kafkamirrormaker2s"]] == [
        ["backup"]
    ]


def test_who_only_reads_sees_what_was_kept_and_none_of_its_keys():
    place = {"namespace": "a", "cluster": "main", "backup": {"namespace": "k"}}
    made = reader_roles(
        {"na": {**READING["na"], "kafka_dr_kubernetes": place}}, MIRRORS, subjects=[{"kind": "User", "name": "looks"}]
    )
    assert [(one["kind"], one["metadata"]["name"]) for one in made] == [
        ("Role", "kafka-dr-reader-na"),
        ("RoleBinding", "kafka-dr-reader-na"),
        ("Role", "kafka-dr-reader"),
        ("RoleBinding", "kafka-dr-reader"),
    ]
    assert made[0]["rules"] == [
        {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"], "resourceNames": ["na-definition"]}
    ]
    assert {rule["resources"][0] for rule in made[2]["rules"] if rule["verbs"] == ["list"]} == {
        "kafkas",
        "kafkanodepools",
        "kafkatopics",
    }
