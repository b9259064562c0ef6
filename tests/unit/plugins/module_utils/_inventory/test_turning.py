# SPDX-License-Identifier: GPL-3.0-or-later
"""The way back after a planned move: the mirror turned round, and what a region lacks for it."""

from __future__ import annotations

import copy

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory.mirrors import find_mirror, renamed
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory.turning import (
    further_copy,
    turn_lacks,
    turned_mirror,
    turned_mirrors,
)

MIRROR = {"name": "backup", "source": "na", "target": "eu", "topics": ["orders"], "tuning": {"tasks_max": 4}}
REGION = {
    "kafka_dr_platform": "host",
    "kafka_dr_client": {"bootstrap.servers": "127.0.0.1:1"},
    "kafka_dr_mirror_directory": "/var/lib/mirrors",
    "kafka_dr_kafka_home": "/opt/kafka",
    "kafka_dr_users": [{"name": "kdr-mirror", "purpose": "mirror"}],
}


def regions(**source):
    both = {"na": copy.deepcopy(REGION), "eu": copy.deepcopy(REGION)}
    both["na"].update(source)
    return both


def test_turning_twice_gives_the_mirror_itself():
    back = turned_mirror(MIRROR)
    assert back == {**MIRROR, "name": "backup-back", "source": "eu", "target": "na"}
    assert turned_mirror(back) == MIRROR


def test_a_mirror_that_renames_topics_is_not_turned():
    renaming = {**MIRROR, "policy": "default"}
    with pytest.raises(UsageError, match="found its policy is default"):
        turned_mirror(renaming)
    assert "its copies have other names" in turn_lacks(renaming, regions())


def test_the_turned_mirror_is_found_where_it_is_asked_for():
    assert find_mirror([MIRROR], "eu", "na", regions(), turned=True) == turned_mirror(MIRROR)
    assert find_mirror([MIRROR], "na", "eu", regions(), turned=True) == MIRROR
    with pytest.raises(UsageError, match="Exchange the two names"):
        find_mirror([MIRROR], "eu", "na", regions())
    with pytest.raises(UsageError, match="Exchange the two names"):
        find_mirror([{**MIRROR, "policy": "default"}], "eu", "na", regions(), turned=True)


def test_a_mirror_that_is_described_wins_over_a_turned_one():
    described = {"name": "home", "source": "eu", "target": "na", "topics": ["payments"]}
    assert find_mirror([MIRROR, described], "eu", "na", regions(), turned=True) == described


def test_a_user_whose_password_nobody_knows_cannot_be_used():
    """The turned mirror would give its name with the password of the stages' user."""
    scram = {"bootstrap.servers": "127.0.0.1:1", "sasl.mechanism": "SCRAM-SHA-512"}
    told = "na has no password of its user 'kdr-mirror' in kafka_dr_users"
    assert turn_lacks(MIRROR, regions(kafka_dr_client=scram)) == told
    small = {"bootstrap.servers": "127.0.0.1:1", "sasl.mechanisms": "scram-sha-256"}
    assert turn_lacks(MIRROR, regions(kafka_dr_client=small)) == told
    for other in ("OAUTHBEARER", None):
        assert turn_lacks(MIRROR, regions(kafka_dr_client={**scram, "sasl.mechanism": other})) == ""
    assert turn_lacks(MIRROR, regions(kafka_dr_client={**scram, "sasl.username": "kdr-mirror"})) == ""
    known = [{"name": "kdr-mirror", "purpose": "mirror", "password": "p"}]
    assert turn_lacks(MIRROR, regions(kafka_dr_client=scram, kafka_dr_users=known)) == ""


def test_two_mirrors_the_other_way_are_no_way_back():
    with pytest.raises(UsageError, match="No single mirror"):
        find_mirror([MIRROR, {**MIRROR, "name": "more"}], "eu", "na", regions(), turned=True)


def test_a_mirror_that_is_described_the_other_way_is_left_as_it_is():
    home = {"name": "home", "source": "eu", "target": "na", "topics": ["orders"], "policy": "default"}
    assert "mirror 'home' is described the other way round" in turn_lacks(MIRROR, regions(), [MIRROR, home])
    # The mirror that leads home was turned round itself, and the one that is described is the way there.
    assert turn_lacks(turned_mirror(MIRROR), regions(), [MIRROR]) == ""


def test_a_region_with_all_that_a_mirror_needs_lacks_nothing():
    assert turn_lacks(MIRROR, regions()) == ""
    assert turn_lacks({}, regions()) == ""


def test_an_operator_runs_the_way_back_between_two_regions_on_kubernetes():
    cluster = {"kafka_dr_platform": "kubernetes", "kafka_dr_kubernetes": {"namespace": "kafka", "cluster": "main"}}
    both = {name: {**cluster, "kafka_dr_users": REGION["kafka_dr_users"]} for name in ("na", "eu")}
    assert turn_lacks(MIRROR, both, [MIRROR]) == ""
    assert turned_mirrors(both, [MIRROR, {**MIRROR, "name": "other", "target": "as"}]) == [turned_mirror(MIRROR)]
    both["eu"]["kafka_dr_users"] = []
    assert "eu has no user with the purpose mirror" in turn_lacks(MIRROR, both, [MIRROR])
    assert turned_mirrors(both, [MIRROR]) == []


@pytest.mark.parametrize(
    "source, lacking",
    [
        ({"kafka_dr_users": []}, "na has no user with the purpose mirror in kafka_dr_users"),
        ({"kafka_dr_mirror_directory": None}, "expected kafka_dr_mirror_directory"),
        ({"kafka_dr_kafka_home": None}, "expected kafka_dr_kafka_home"),
        ({"kafka_dr_platform": "kubernetes"}, "eu is not on Kubernetes"),
        ({"kafka_dr_mirror_platform": "kubernetes"}, "na is not on Kubernetes"),
        ({"kafka_dr_mirror_platform": "deployment"}, "na runs its mirrors by deployment"),
        ({"kafka_dr_mirror_platform": "connect"}, "na runs its mirrors by connect"),
    ],
)
def test_what_a_region_lacks_is_named(source, lacking):
    assert lacking in turn_lacks(MIRROR, regions(**source))


FURTHER = {**MIRROR, "name": "backup-asia", "target": "as"}
MOVED = {**FURTHER, "name": "backup-asia-from-eu", "source": "eu"}


def test_a_region_that_was_copied_from_the_one_that_was_left_is_a_further_copy():
    found = further_copy([MIRROR, FURTHER], "as", "eu")
    assert found == {"left": "na", "old": FURTHER, "mirror": turned_mirror(MOVED)}
    assert turned_mirror(found["mirror"]) == MOVED
    assert further_copy([MIRROR, FURTHER], "eu", "as")["old"] == MIRROR
    assert further_copy([MIRROR, FURTHER, MOVED], "as", "eu") == found, "it is described already"


@pytest.mark.parametrize(
    ("mirrors", "region"),
    [
        (None, "as"),
        ([MIRROR], "na"),
        ([MIRROR, FURTHER], "na"),
        ([MIRROR, FURTHER], "eu"),
        ([MIRROR, MOVED], "as"),
        ([MIRROR, FURTHER, {**MOVED, "name": "another"}], "as"),
        ([MIRROR, {**FURTHER, "policy": "default"}], "as"),
        ([{**MIRROR, "policy": "default"}, FURTHER], "as"),
        ([MIRROR, FURTHER, {**FURTHER, "name": "twice"}], "as"),
    ],
)
def test_any_other_region_is_none(mirrors, region):
    assert further_copy(mirrors, region, "eu") == {}


def test_a_mirror_that_was_moved_is_found_only_where_it_counts():
    assert find_mirror([MIRROR, FURTHER], "eu", "as", moved=True) == MOVED
    assert find_mirror([MIRROR, FURTHER, MOVED], "eu", "as", moved=True) == MOVED
    with pytest.raises(UsageError, match="No single mirror copies eu to as"):
        find_mirror([MIRROR, FURTHER], "eu", "as", turned=True)


@pytest.mark.parametrize(
    "policy, expected",
    [("identity", ["a-heartbeats", "shop.heartbeats"]), ("default", ["a-heartbeats", "orders", "shop.heartbeats"])],
)
def test_topics_from_whose_copies_no_mirror_leads_back(policy, expected):
    assert renamed({**MIRROR, "policy": policy}, ["shop.heartbeats", "orders", "a-heartbeats"]) == expected
