# SPDX-License-Identifier: GPL-3.0-or-later
"""MM2's names under both policies, and its way of writing lists of expressions."""

from __future__ import annotations

import re

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.names import (
    EVERY_TOPIC,
    MirrorNames,
    check_names,
    compile_filter,
    configs_topic,
    is_own,
    left_out_beside,
    status_topic,
    these_alone,
    written_by_itself,
)


def test_names_of_both_policies():
    identity, default = MirrorNames("a", "b"), MirrorNames("a", "b", "default", "_")
    assert (identity.copy_of("t"), identity.original_of("t"), default.copy_of("t"), default.original_of("a_t")) == (
        "t",
        "t",
        "a_t",
        "t",
    )
    assert default.original_of("t") is None and default.original_of("a_") is None
    assert (identity.offset_syncs, identity.checkpoints) == ("mm2-offset-syncs.a.internal", "a.checkpoints.internal")
    assert identity.heartbeats_copied == "a.heartbeats"
    assert (default.offset_syncs, default.checkpoints) == ("mm2-offset-syncs_a_internal", "a_checkpoints_internal")
    assert MirrorNames("a", "b", "default", "_", False).checkpoints == "a.checkpoints.internal"
    assert default.source_offsets == "mm2-offsets.a.internal"


@pytest.mark.parametrize("names", [MirrorNames("a", "a"), MirrorNames("", "b"), MirrorNames("a", "b", "custom")])
def test_impossible_mirrors_are_refused(names):
    with pytest.raises(UsageError):
        check_names(names)


def test_filters_take_commas_but_not_within_braces():
    wanted = compile_filter("a{1,2}, b.*|c", "bx")
    assert [name for name in ("a", "aa", "aaa", "b", "bx", "c", "cc") if wanted(name)] == ["a", "aa", "b", "c"]
    assert not compile_filter("")("a")
    with pytest.raises(UsageError, match="groups"):
        compile_filter("(", None, "groups")


def test_what_is_nobodys_data():
    """The oracle of MirrorMaker 2's own classes is in tests/real/offsets."""
    assert all(
        is_own(name)
        for name in (
            "__kafka_dr_positions",
            "mm2-offsets.a.internal",
            "a.checkpoints.internal",
            "heartbeats",
            ".hidden",
        )
    )
    assert not any(
        is_own(name)
        for name in (
            "orders",
            "internal",
            "my.internal.topic",
            "patient-heartbeats-raw",
            "x-internal",
            "x.internal",
            "mm2-x",
        )
    )


def test_the_identity_policy_renames_what_ends_in_heartbeats():
    names = MirrorNames("a", "b")
    assert (
        names.copy_of("orders.heartbeats"),
        names.original_of("a.orders.heartbeats"),
        names.original_of("orders.heartbeats"),
    ) == ("a.orders.heartbeats", "orders.heartbeats", None)
    assert names.is_data("orders.heartbeats") and not names.is_data("heartbeats") and not names.is_data("b.heartbeats")


def test_a_pattern_excludes_before_it_includes():
    names = MirrorNames("a", "b", "default")
    pattern, copies = (
        re.compile(made([r"orders\..*", "b.*"], [r"orders\.scratch\..*"]))
        for made in (names.data_pattern, names.copies_pattern)
    )
    wanted = ["orders.x", "bills"]
    assert [
        name for name in ("orders.x", "orders.scratch.x", "bills", "b.orders", "other") if pattern.fullmatch(name)
    ] == wanted
    copied = [
        name
        for name in ("a.orders.x", "a.orders.scratch.x", "orders.x", "a.bills", "a.b.orders")
        if copies.fullmatch(name)
    ]
    assert copied == ["a." + one for one in wanted]


@pytest.mark.parametrize(
    ("target", "separator", "topic"),
    [("eu.x", ".", "eu.x.orders"), ("a-b", "-", "a-b-orders"), ("a-", "--", "a---x"), ("eu", ".", "eu.orders")],
)
@pytest.mark.parametrize("policy", ["identity", "default"])
@pytest.mark.parametrize("end", ["", ".heartbeats"])
def test_the_pattern_takes_what_only_seems_to_come_from_the_target(target, separator, topic, policy, end):
    """A policy never reads an alias that holds the separator, so that MirrorMaker 2 copies the topic."""
    names = MirrorNames("a", target, policy, separator)
    for pattern_of, name in ((names.data_pattern, topic + end), (names.copies_pattern, names.copy_of(topic + end))):
        assert bool(re.fullmatch(pattern_of([".*"], []), name)) is names.is_data(topic + end), name


@pytest.mark.parametrize("separator", [".", "_", "--"])
@pytest.mark.parametrize("policy", ["identity", "default"])
def test_what_a_mirror_itself_writes_is_known_by_its_prefix(policy, separator):
    names = MirrorNames("na", "eu", policy, separator)
    own = written_by_itself(f"na{separator}")
    for topic in (names.checkpoints, names.source_offsets, configs_topic("na"), status_topic("na")):
        assert own(topic), topic
    for topic in (names.copy_of("x.checkpoints.internal"), names.copy_of("orders"), status_topic("x"), "internal"):
        assert not own(topic), topic
    assert not written_by_itself("")("mm2-status.na.internal")


def test_a_pattern_that_says_what_it_leaves_out_leaves_out_nothing_else():
    pattern = MirrorNames("na", "eu", separator="_").data_pattern(["s.*"], [])
    assert not left_out_beside(pattern)("s.checkpoints.internal") and re.fullmatch(pattern, "s.checkpoints.internal")
    assert left_out_beside(".*")("s.checkpoints.internal") and not left_out_beside(EVERY_TOPIC)("__consumer_offsets")
    alone = these_alone(["s.checkpoints.internal", "a+b"])
    assert [name for name in ("a+b", "aab", "s.checkpoints.internal", "") if re.fullmatch(alone, name)] == [
        "a+b",
        "s.checkpoints.internal",
    ]
    assert not left_out_beside(alone)("s.checkpoints.internal")
