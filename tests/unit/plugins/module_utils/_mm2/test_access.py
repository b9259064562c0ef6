# SPDX-License-Identifier: GPL-3.0-or-later
"""The least that each principal may do."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import as_text, flatten
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.access import (
    literal_prefix,
    service_acls,
    topic_resources,
)

MIRROR = {"name": "there", "source": "na", "target": "eu", "topics": [r"flights\..*", "orders"]}


@pytest.mark.parametrize(
    "pattern, prefix, whole",
    [
        (r"flights\..*", "flights.", False),
        ("orders", "orders", True),
        (".*", "", False),
        ("a.b", "a", False),
        (r"a\.b", "a.b", True),
        ("ab*", "a", False),
        ("ab?c", "a", False),
        ("ab{2}", "a", False),
        ("ab+", "ab", False),
        ("one|two", "", False),
        (r"a\|b", "a|b", True),
        (r"a\d+", "a", False),
        (r"\w+", "", False),
        ("(a|b)c", "", False),
        ("[ab]c", "", False),
        ("", "", True),
        (r"a\.*", "a", False),
        ("x-y_z", "x-y_z", True),
    ],
)
def test_literal_prefix(pattern, prefix, whole):
    assert literal_prefix(pattern) == (prefix, whole)


PIECES = st.lists(
    st.sampled_from(["a", "b", "-", r"\.", ".", ".*", "b?", "c+", "(a|b)", "[ab]", r"\d", "|", "a{2}"]),
    min_size=1,
    max_size=6,
)


@given(PIECES, st.text("ab-.c0", max_size=8))
def test_whatever_the_pattern_matches_begins_with_its_prefix(pieces, name):
    try:
        matches = re.fullmatch("".join(pieces), name)
    except re.error:
        return
    prefix, whole = literal_prefix("".join(pieces))
    if matches:
        assert name == prefix if whole else name.startswith(prefix)


def test_resources_are_narrow_unless_one_pattern_is_everything():
    assert topic_resources([r"a\..*", "b", "b"]) == [
        {"name": "a.", "pattern": "prefixed"},
        {"name": "b", "pattern": "literal"},
    ]
    assert topic_resources(["b", ".*"]) == [{"name": "*", "pattern": "literal"}]


def lines(purpose, side=None, mirror=None, idle=False):
    return [as_text(one) for one in flatten(service_acls("u", purpose, mirror or MIRROR, side, idle=idle))]


def test_the_mirror_only_reads_its_topics_in_the_source():
    found = lines("mirror", "source")
    assert "User:u ALLOW READ topic:flights. PREFIXED" in found and "User:u ALLOW READ topic:orders LITERAL" in found
    assert not [one for one in found if " WRITE " in one or " CREATE " in one or " ALTER" in one or "topic:*" in one]


def test_the_mirror_writes_its_topics_and_its_own_in_the_target():
    found = lines("mirror", "target")
    assert {
        "User:u ALLOW WRITE topic:flights. PREFIXED",
        "User:u ALLOW WRITE topic:mm2- PREFIXED",
        "User:u ALLOW WRITE topic:na.checkpoints.internal LITERAL",
        "User:u ALLOW WRITE transactional_id:na-mm2 PREFIXED",
    } <= set(found)
    assert not [one for one in found if " DELETE " in one or "topic:*" in one or "__kafka_dr_ledger" in one]


def test_a_worker_without_connectors_keeps_its_own_topics_and_group_and_reaches_nothing_of_others():
    idle, full = set(lines("mirror", "target", idle=True)), set(lines("mirror", "target"))
    assert idle < full
    assert {"User:u ALLOW READ group:na-mm2 LITERAL", "User:u ALLOW READ topic:mm2- PREFIXED"} <= idle
    written = {
        "User:u ALLOW WRITE topic:flights. PREFIXED",
        "User:u ALLOW WRITE topic:orders LITERAL",
        "User:u ALLOW WRITE topic:heartbeats LITERAL",
    }
    assert {one for one in full - idle if " WRITE " in one} == written
    assert "User:u ALLOW READ group:* LITERAL" in full - idle


def test_with_the_default_policy_the_copies_have_prefixed_names():
    found = lines("mirror", "target", dict(MIRROR, policy="default"))
    assert (
        "User:u ALLOW WRITE topic:na.flights. PREFIXED" in found
        and "User:u ALLOW WRITE topic:orders LITERAL" not in found
    )


def test_what_the_identity_policy_renames_is_written_under_its_new_name():
    found = lines("mirror", "target", dict(MIRROR, topics=[r"orders\.heartbeats", r"flights\..*heartbeats"]))
    assert {
        "User:u ALLOW WRITE topic:na.orders.heartbeats LITERAL",
        "User:u ALLOW WRITE topic:na.flights. PREFIXED",
    } <= set(found)
    assert not [one for one in found if " topic:orders" in one or " topic:flights" in one]


def test_a_topic_that_is_excluded_by_its_name_gives_no_right():
    assert not [
        one for one in lines("mirror", "source", dict(MIRROR, topics_exclude=["orders"])) if "topic:orders" in one
    ]


@pytest.mark.parametrize("side", ["source", "target"])
def test_the_proof_writes_nowhere(side):
    assert {one.split()[2] for one in lines("proof", side)} <= {"READ", "DESCRIBE", "DESCRIBE_CONFIGS"}


def test_the_witness_writes_positions_alone_and_reads_no_record_of_the_source():
    assert {one.split()[2] for one in lines("witness", "source")} == {"DESCRIBE"}
    assert {one.split()[3] for one in lines("witness", "target") if one.split()[2] == "WRITE"} == {
        "topic:__kafka_dr_positions"
    }


def test_the_stages_write_records_nowhere_but_in_ledger_and_mirror_topics():
    written = {one.split()[3] for one in lines("stages", mirror=None) if one.split()[2] == "WRITE"}
    assert written == {"topic:__kafka_dr_", "topic:mm2-", "transactional_id:kafka-dr-"}


def test_an_application_has_what_the_inventory_gives_it():
    own = [{"resource": "group", "name": "g", "operations": ["READ"]}]
    assert service_acls("u", "application", own=own) == [
        {"resource": "group", "name": "g", "operations": ["READ"], "principal": "u"}
    ]


@pytest.mark.parametrize(
    "purpose, mirror, side", [("admin", MIRROR, "source"), ("mirror", None, "source"), ("mirror", MIRROR, "both")]
)
def test_what_is_not_known_gets_nothing(purpose, mirror, side):
    with pytest.raises(UsageError, match="No ACLs are known"):
        service_acls("u", purpose, mirror, side)


@pytest.mark.parametrize("side", ["source", "target"])
def test_a_reader_changes_nothing(side):
    """For jobs of a controller that only read: nothing that writes, creates, deletes, alters, or commits a position."""
    found = lines("reader", side)
    assert {one.split()[2] for one in found} == {"READ", "DESCRIBE", "DESCRIBE_CONFIGS"}
    assert not [one for one in found if " READ " in one and ("group:" in one or "topic:*" in one)]
    for topic in ("flights. PREFIXED", "__kafka_dr_ PREFIXED", "mm2- PREFIXED", "na.checkpoints.internal LITERAL"):
        assert "User:u ALLOW READ topic:%s" % topic in found


@pytest.mark.parametrize("topics", [[".*"], ["orders|payments"], [r"(a|b)\..*"], ["_.*"], ["__kafka.*"], ["a", ".+"]])
def test_a_wide_pattern_keeps_the_mirror_out_of_the_ledger_and_of_kafkas_own_topics(topics):
    denied = "User:u DENY ALL topic:__ PREFIXED"
    mirror = {**MIRROR, "topics": topics}
    assert denied in lines("mirror", "target", mirror)
    assert not [one for one in lines("mirror", "source", mirror) + lines("witness", "target", mirror) if "DENY" in one]
    assert denied not in lines("mirror", "target", mirror, idle=True)


@pytest.mark.parametrize(
    "mirror", [MIRROR, {**MIRROR, "topics": ["_other"]}, {**MIRROR, "topics": [".*"], "policy": "default"}]
)
def test_a_pattern_that_does_not_reach_the_ledger_denies_nothing(mirror):
    assert not [one for one in lines("mirror", "target", mirror) if "DENY" in one]
