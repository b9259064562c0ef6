# SPDX-License-Identifier: GPL-3.0-or-later
"""Regions, users, applications and mirrors looked up in an inventory."""

from __future__ import annotations

import re

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import mirrors as _mirrors
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import regions as _regions
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.mirror_config import connector_configs
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.names import compile_filter

MIRROR = {"name": "there", "source": "na", "target": "eu", "topics": [r"flights\..*", "orders"]}
REGION = {
    "kafka_dr_client": {"bootstrap.servers": "b:1", "sasl.username": "stages"},
    "kafka_dr_client_secrets": {"sasl.password": "stages-secret"},
    "kafka_dr_users": [
        {"name": "kdr-mirror", "purpose": "mirror", "password": "mirror-secret"},
        {"name": "kdr-proof", "purpose": "proof"},
    ],
}


def test_regions_exchanged_are_told_as_such():
    """Who follows 'add a mirror' in the night has two mirrors that copy round and round."""
    mirrors = [{"name": "b", "source": "na", "target": "eu"}]
    with pytest.raises(
        UsageError,
        match=r"found b \(na to eu\). Exchange the two names: a mirror copies na to eu\. "
        r"To go back to a region that was left",
    ):
        _mirrors.find_mirror(mirrors, "eu", "na")
    with pytest.raises(UsageError, match="Add it to kafka_dr_mirrors"):
        _mirrors.find_mirror(mirrors, "eu", "asia")


def test_a_purpose_has_its_own_user_and_password():
    assert _regions.client_of(REGION, "mirror")["sasl.username"] == "kdr-mirror"
    assert _regions.secrets_of(REGION, "mirror") == {"sasl.password": "mirror-secret"}


def test_a_purpose_without_user_or_password_takes_the_client_s():
    assert _regions.client_of(REGION, "witness")["sasl.username"] == "stages"
    assert _regions.secrets_of(REGION, "proof") == {"sasl.password": "stages-secret"}


def test_looking_up_leaves_the_inventory_alone():
    _regions.client_of(REGION, "mirror")
    _regions.secrets_of(REGION, "mirror")
    assert (
        REGION["kafka_dr_client"]["sasl.username"] == "stages"
        and REGION["kafka_dr_client_secrets"]["sasl.password"] == "stages-secret"
    )


def test_the_mirror_of_two_regions_is_found():
    assert _mirrors.find_mirror([dict(MIRROR, target="asia"), MIRROR], "na", "eu") is MIRROR


@pytest.mark.parametrize("mirrors", [[], None, [dict(MIRROR, target="asia")], [MIRROR, MIRROR]])
def test_no_single_mirror_is_an_error_that_names_what_there_is(mirrors):
    with pytest.raises(UsageError, match="No single mirror copies na to eu") as caught:
        _mirrors.find_mirror(mirrors, "na", "eu")
    assert "kafka_dr_mirrors" in str(caught.value) and (not mirrors or "there (na to" in str(caught.value))


INVENTORY = {
    "na": {"kafka_dr_client": {}},
    "eu": {"kafka_dr_platform": "kubernetes"},
    "sa": {"kafka_dr_platform": "host"},
}


def test_names_that_are_no_regions_are_told_before_mirrors():
    assert _mirrors.find_mirror([MIRROR], "na", "eu", INVENTORY) is MIRROR
    for name in ("atlantis", "sa"):
        with pytest.raises(UsageError, match=f"Region {name} is unknown: expected one of eu, na. .*correct the name"):
            _mirrors.find_mirror([MIRROR], "na", name, INVENTORY)


def test_a_region_is_not_mirrored_to_itself():
    with pytest.raises(UsageError, match="Source and target are both na: expected two different regions"):
        _mirrors.find_mirror([MIRROR], "na", "na")


def test_the_reverse_leaves_configs_and_positions_alone():
    asked = {"x": "1", "consumer.max.poll.records": 10, "sync.topic.configs.enabled": "true"}
    back = _mirrors.reverse_of(dict(MIRROR, config={"source": asked}), "back")
    assert (back["name"], back["source"], back["target"]) == ("back", "eu", "na")
    left = {"sync.topic.configs.enabled": "false", "emit.offset-syncs.enabled": "false"}
    assert {key: value for key, value in back["config"]["source"].items() if key != "producer.override.batch.size"} == {
        **asked,
        **left,
    }


def test_patterns_of_topics_by_policy():
    assert re.fullmatch(_mirrors.topics_pattern(MIRROR), "flights.late") and re.fullmatch(
        _mirrors.topics_pattern(MIRROR), "orders"
    )
    assert not re.fullmatch(_mirrors.topics_pattern(MIRROR), "orders2")
    prefixed = _mirrors.target_topics_pattern(dict(MIRROR, policy="default"))
    assert (
        re.fullmatch(prefixed, "na.orders")
        and not re.fullmatch(prefixed, "orders")
        and not re.fullmatch(prefixed, "naXorders")
    )


def test_what_is_excluded_matches_no_pattern_of_a_stage():
    mirror = dict(MIRROR, topics=[".*"], topics_exclude=[r"orders\.scratch\..*"])
    pattern = re.compile(_mirrors.topics_pattern(mirror))
    names = [
        "orders.scratch.a",
        "__x",
        "orders.replica",
        "mm2-offsets.na.internal",
        "heartbeats",
        "x.internal",
        "x-internal",
        "mm2-x",
        "orders.a",
    ]
    assert [name for name in names if pattern.fullmatch(name)] == ["x.internal", "x-internal", "mm2-x", "orders.a"]


def test_blanks_around_what_is_excluded_leave_no_topic_to_wait_for():
    pattern = _mirrors.topics_pattern(dict(MIRROR, topics=[" orders.* "], topics_exclude=[" orders.audit "]))
    assert re.fullmatch(pattern, "orders.a") and not re.fullmatch(pattern, "orders.audit")


def test_a_policy_by_its_class_is_the_policy():
    java = "org.apache.kafka.connect.mirror.%sReplicationPolicy"
    found = _mirrors.find_mirror([dict(MIRROR, policy=java % "Identity")], "na", "eu")
    assert found["policy"] == "identity" and _mirrors.rename_of(found) == "identity:na."
    prefixed = dict(MIRROR, policy=java % "Default", separator="-")
    assert _mirrors.rename_of(prefixed) == "prefix:na-" and re.fullmatch(
        _mirrors.target_topics_pattern(prefixed), "na-orders"
    )
    with pytest.raises(UsageError, match="a class of its own"):
        _mirrors.rename_of(dict(MIRROR, policy="com.example.Policy"))


def test_prepared_topics_keep_every_pair_of_offsets():
    syncs, positions = _mirrors.prepared_topics(dict(MIRROR, tuning={"replication_factor": 3}), "__positions")
    assert (
        syncs["name"] == "mm2-offset-syncs.na.internal"
        and syncs["configs"]["cleanup.policy"] == "delete"
        and syncs["configs"]["retention.ms"] == -1
    )
    assert positions["configs"]["cleanup.policy"] == "compact" and {
        syncs["replication_factor"],
        positions["replication_factor"],
    } == {3}


def test_ends_and_topics_with_records():
    topics = {
        "a": {"offsets": {"0": {"start": 0, "end": 4, "stable": 3}}},
        "b": {"offsets": {"0": {"start": 7, "end": 7, "stable": 7}}},
        "c": {},
    }
    assert _regions.ends(topics) == {"a": {"0": 3}, "b": {"0": 7}, "c": {}}
    assert _regions.with_records(topics) == ["a"]


ROWS = [
    {"topic": "a", "partition": 0, "mirrored_through": 90},
    {"topic": "a", "partition": 1, "mirrored_through": None},
]


def test_what_a_dead_source_had_and_the_mirror_had_not():
    copied = _regions.copied_ends(
        {"partitions": ROWS, "witness": {"ends": {"a": {"0": 100, "1": 5}, "b": {"0": 0}}, "ends_at": 12.5}}
    )
    assert copied["source"] == {"a": {"0": 90}}
    assert copied["lost"] == {"total": 15, "topics": {"a": 15}, "unknown": []} and copied["witnessed_at"] == 12.5


def test_a_mirror_ahead_of_the_witness_lost_nothing():
    assert _regions.copied_ends({"partitions": ROWS, "witness": {"ends": {"a": {"0": 80}}}})["lost"]["total"] == 0


def test_without_witness_the_loss_is_unknown_not_nothing():
    assert _regions.copied_ends({"partitions": ROWS})["lost"]["total"] is None


def test_an_offset_of_a_former_topic_does_not_say_that_nothing_is_lost():
    copied = _regions.copied_ends(
        {"partitions": ROWS, "witness": {"ends": {"a": {"0": 80}, "b": {"0": 3}}, "made_again": ["a", "b"]}}
    )
    assert copied["lost"] == {"total": None, "topics": {"b": 3}, "unknown": ["a"]}


@pytest.mark.parametrize("begun, lost", [([], (None, ["a"])), (["a"], (10, []))])
def test_an_offset_within_a_topic_that_was_made_again_may_be_of_the_former_one(begun, lost):
    copied = _regions.copied_ends(
        {"partitions": ROWS, "witness": {"ends": {"a": {"0": 100}}, "made_again": ["a"], "begun_again": begun}}
    )
    assert (copied["lost"]["total"], copied["lost"]["unknown"]) == lost


# 12:00 on the first of January: the ends had not moved for an hour when the witness looked last.
LOOKED = {"ends": {"a": {"0": 90}}, "ends_at": 1767265200.0, "at": 1767268800.0}
NAMED_BEFORE, NAMED_SINCE = "2026-01-01T11:30:00Z", "2026-01-05T00:00:00Z"


def moved(*moves):
    return {"moves": [{"epoch": epoch, "region": region, "at": at} for epoch, (region, at) in enumerate(moves, 1)]}


@pytest.mark.parametrize(
    "ledger",
    [
        # Restored, and resumed without a backup; and lost once more, so that no region is named.
        moved(("na", NAMED_BEFORE), ("none", "2026-01-02T00:00:00Z"), ("na", NAMED_SINCE)),
        moved(("na", NAMED_SINCE), ("none", "2026-01-09T00:00:00Z")),
        # A ledger without epochs, and one that is told of the move in this run.
        {"moves": [{"epoch": 0, "region": "na", "at": NAMED_SINCE}]},
        {**moved(("na", NAMED_BEFORE)), "active_region": "na", "active_at": NAMED_SINCE},
    ],
)
def test_of_a_source_that_was_named_since_the_last_look_the_loss_is_unknown(ledger):
    copied = _regions.copied_ends({"partitions": ROWS, "witness": LOOKED}, ledger, "na")
    assert copied["lost"] == {"total": None, "topics": {}, "unknown": []}
    assert (copied["used_since"], copied["looked_at"]) == (NAMED_SINCE, "2026-01-01T12:00:00Z")


@pytest.mark.parametrize(
    "ledger",
    [
        {},
        moved(("na", NAMED_BEFORE)),
        moved(("na", NAMED_BEFORE), ("none", NAMED_SINCE)),
        moved(("na", NAMED_BEFORE), ("eu", NAMED_SINCE)),
        {"moves": [{"epoch": 0, "region": "na", "at": ""}]},
        moved(("na", "2026-01-01T11:59:59Z")),
    ],
)
def test_ends_that_rested_until_the_last_look_tell_the_loss(ledger):
    copied = _regions.copied_ends({"partitions": ROWS, "witness": LOOKED}, ledger, "na")
    assert copied["lost"]["total"] == 0 and "used_since" not in copied


@pytest.mark.parametrize(
    "named, witness",
    [
        ("2026-01-01T12:00:20Z", LOOKED),
        ("2026-01-01T12:00:00Z", LOOKED),
        # Nobody knows when a witness looked that never said so.
        (NAMED_BEFORE, {**LOOKED, "at": None}),
    ],
)
def test_a_look_that_may_lie_before_the_naming_tells_no_loss(named, witness):
    copied = _regions.copied_ends({"partitions": ROWS, "witness": witness}, moved(("na", named)), "na")
    assert (copied["lost"]["total"], copied["used_since"]) == (None, named)


def test_of_two_offsets_of_a_partition_neither_excuses_a_loss():
    status = {"partitions": ROWS[:1], "witness": {"ends": {"a": {"0": 100}, "b": {"0": 2}}}}
    assert "certain" not in _regions.copied_ends(status)
    copied = _regions.copied_ends({**status, "conflicts": [{"topic": "a", "partition": 0}]})
    assert (copied["source"], copied["certain"]) == ({"a": {"0": 90}}, {"a": {}})
    assert copied["lost"] == {"total": None, "topics": {"b": 2}, "unknown": ["a"]}


def test_the_reverse_is_told_nothing_of_offset_syncs():
    made = connector_configs(_mirrors.reverse_of(dict(MIRROR, tuning={"replication_factor": 1}), "back"))
    assert not [key for settings in made.values() for key in settings if key.startswith("offset-syncs.")], (
        "MirrorMaker 2 refuses both at once"
    )


def test_regions_are_told_with_what_runs_them():
    regions = {"na": {"kafka_dr_platform": "host"}, "eu": {}}
    assert _regions.with_platforms(["na", "eu", "asia"], regions) == "na (host) and eu (no platform) and asia (unknown)"


def test_where_logs_begin_is_taken_from_what_was_read():
    assert _regions.starts({"orders": {"offsets": {"0": {"start": 4, "end": 9, "stable": 9}}}, "bare": {}}) == {
        "orders": {"0": 4},
        "bare": {},
    }


@pytest.mark.parametrize(
    "groups, left_out", [("orders-.*,stock", "orders-test-.*"), (["orders-.*", "stock"], ["orders-test-.*"])]
)
def test_patterns_of_groups_as_a_list_or_as_text(groups, left_out):
    mirror = dict(MIRROR, groups=groups, groups_exclude=left_out)
    wanted = compile_filter(_mirrors.groups_pattern(mirror), _mirrors.groups_left_out(mirror), "groups")
    assert [one for one in ("orders-app", "orders-test-1", "stock", "o", "connect-x", "stocks") if wanted(one)] == [
        "orders-app",
        "stock",
    ]
    assert _mirrors.groups_pattern({}) == ".*"
