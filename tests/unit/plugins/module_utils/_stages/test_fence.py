# SPDX-License-Identifier: GPL-3.0-or-later
"""Whom a fence is for, what a mirror loses, and what ACLs do not explain."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka import rights
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import as_dict, flatten
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.fold import fold
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.access import PURPOSES, service_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages import fence as _fence
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work import fence_info as _fence_info

MIRROR = {"name": "a-to-b", "source": "a", "target": "b", "topics": [r"orders\..*"], "groups": [".*"]}
OTHER = {"name": "c-to-b", "source": "c", "target": "b", "topics": [r"bills\..*"], "groups": [".*"]}
USERS = [
    {"name": "mirror", "purpose": "mirror", "password": "m"},
    {"name": "shop", "purpose": "application", "password": "s"},
    {"name": "kdr-stages", "purpose": "stages"},
]


def region(**more):
    return {"kafka_dr_platform": "host", "kafka_dr_users": USERS, **more}


def acl(principal, operation, name="orders.", resource="topic", pattern="prefixed"):
    return {"principal": principal, "resource": resource, "name": name, "pattern": pattern, "operations": [operation]}


def test_a_fence_is_for_users_and_for_whoever_applications_work_as():
    regions = {"a": region(), "far": {"kafka_dr_applications": [{"name": "x", "principals": ["shop", "User:legacy"]}]}}
    assert _fence.fence_principals(regions["a"], regions) == [
        {"name": "User:shop", "username": "shop", "password": "s"},
        {"name": "User:legacy", "username": "legacy", "password": None},
    ]


def test_an_application_that_works_as_a_service_is_refused():
    regions = {"a": region(), "far": {"kafka_dr_applications": [{"name": "x", "principals": ["kdr-stages"]}]}}
    with pytest.raises(UsageError, match="Application 'x' works as kdr-stages"):
        _fence.fence_principals(regions["a"], regions)


def test_users_with_a_certificate_are_called_by_its_subject_on_kubernetes():
    made = region(
        kafka_dr_platform="kubernetes",
        kafka_dr_users=[{"name": "shop", "purpose": "application", "authentication": "tls"}],
    )
    assert _fence.fence_principals(made, {"a": made, "b": {"kafka_dr_applications": [{"principals": ["shop"]}]}}) == [
        {"name": "User:CN=shop", "username": "shop", "password": None}
    ]


def test_every_user_that_the_collection_makes_for_itself_is_known_to_a_fence():
    # What initial_setup gives each of them must not close the gate of the next move.
    made = region(kafka_dr_users=[{"name": "kdr-" + one, "purpose": one} for one in PURPOSES])
    assert {one["username"] for one in _fence.users_of(made)} == {
        "kdr-" + one for one in PURPOSES if one != "application"
    }
    acls = flatten(
        [one for purpose in _fence.SERVICES for one in service_acls("User:kdr-" + purpose, purpose, MIRROR, "source")]
    )
    assert _fence_info._others(acls, ["orders.x"], looking(made), {"User:kdr-application"}) == {}


def test_a_user_that_only_reads_and_may_write_is_named():
    made = region(kafka_dr_users=[{"name": "kdr-" + one, "purpose": one} for one in PURPOSES])
    stray = flatten(
        [
            acl("kdr-proof", "ALL", "*", pattern="literal"),
            acl("kdr-witness", "READ"),
            acl("kdr-reader", "WRITE"),
            acl("other", "READ"),
        ]
    )
    assert _fence_info._others(stray, ["orders.x"], looking(made), set()) == {
        "User:kdr-proof": "only reads and has ALLOW ALL topic:* LITERAL",
        "User:kdr-reader": "only reads and has ALLOW WRITE topic:orders. PREFIXED",
        "User:other": "is not among kafka_dr_users and has ALLOW READ topic:orders. PREFIXED",
    }


def test_the_rights_of_a_principal_with_a_space_in_its_name_are_told_whole():
    stray = flatten([acl("CN=Order Desk, O=Shop", "WRITE")])
    assert _fence_info._others(stray, ["orders.x"], looking(region()), set()) == {
        "User:CN=Order Desk, O=Shop": "is not among kafka_dr_users and has ALLOW WRITE topic:orders. PREFIXED"
    }


def looking(made):
    """What the role ``credentials`` asks with."""
    return {
        "topics": r"orders\..*",
        "known": [one["name"] for one in _fence.users_of(made)],
        "readers": [one["name"] for one in _fence.users_of(made, "proof", "witness", "reader")],
    }


def loses(given, mirrors=(MIRROR,), place="b", idle=False):
    found = [as_dict(one) for one in flatten(given)]
    return {
        (one["resource"], one["name"], one["operations"][0])
        for one in _fence.mirror_rights(found, {"a": region(), "b": region()}, place, MIRROR, list(mirrors), idle)
    }


def test_a_mirror_loses_strays_that_let_it_write_and_keeps_looks():
    stray = [
        acl("mirror", "ALL", "*", pattern="literal"),
        acl("mirror", "READ", "*", "group", "literal"),
        acl("mirror", "CREATE", "", "cluster"),
        acl("mirror", "DESCRIBE", "x."),
        acl("mirror", "READ", "x."),
    ]
    assert loses(stray) == {("topic", "*", "ALL"), ("group", "*", "READ"), ("cluster", "kafka-cluster", "CREATE")}


def test_what_another_mirror_needs_stays_and_what_a_waiting_worker_needs_too():
    given = [acl("mirror", "WRITE", "bills."), acl("mirror", "WRITE"), acl("mirror", "WRITE", "mm2-")]
    assert loses(given) == {("topic", "bills.", "WRITE"), ("topic", "orders.", "WRITE"), ("topic", "mm2-", "WRITE")}
    # Both mirrors keep their own topics under mm2-.
    assert loses(given, [MIRROR, OTHER]) == {("topic", "orders.", "WRITE")}
    assert loses(given, idle=True) == {("topic", "bills.", "WRITE"), ("topic", "orders.", "WRITE")}


def test_what_a_mirror_had_beyond_its_needs_is_told_from_what_it_was_given():
    given = service_acls("mirror", "mirror", MIRROR, "target")
    stray = acl("mirror", "WRITE", "bills.")
    lost = _fence.mirror_rights([*given, stray], {"b": region()}, "b", MIRROR, [])
    assert len(lost) > 5
    assert flatten(_fence.beyond_mirror(lost, {"b": region()}, "b", MIRROR)) == flatten([stray])


def test_a_mirror_gets_back_only_what_is_no_danger_to_the_ledger():
    back = [
        acl("mirror", "WRITE", "bills."),
        acl("mirror", "READ", "nightly", "group", "literal"),
        acl("mirror", "WRITE", "job", "transactional_id", "literal"),
        acl("mirror", "READ", "*", pattern="literal"),
        acl("mirror", "IDEMPOTENT_WRITE", "", "cluster"),
    ]
    never = [
        acl("mirror", "ALL", "*", pattern="literal"),
        acl("mirror", "ALTER", "__kafka_dr_ledger", pattern="literal"),
        acl("mirror", "CREATE", "_"),
        acl("mirror", "WRITE", "*", "transactional_id", "literal"),
        acl("mirror", "WRITE", "kafka-", "transactional_id"),
        acl("mirror", "ALTER", "", "cluster"),
        acl("shop", "WRITE", "bills."),
        {**acl("mirror", "WRITE", "bills."), "permission": "deny"},
        {**acl("mirror", "WRITE", "bills."), "resource": "wormhole"},
    ]
    assert _fence.mirror_given_back([*back, *never], region()) == back


def test_where_a_mirror_reads_it_goes_on_reading():
    assert loses([acl("mirror", "READ"), acl("mirror", "DESCRIBE"), acl("mirror", "WRITE")], place="a") == {
        ("topic", "orders.", "WRITE")
    }


def test_rights_without_a_name_in_librdkafka_are_told_from_those_that_can_be_written():
    token = {
        "principal": "User:shop",
        "resource": "unknown",
        "name": "t",
        "pattern": "literal",
        "operations": ["DESCRIBE"],
    }
    two_phase = acl("shop", "UNKNOWN", "x", "transactional_id")
    assert _fence.given_back([token, two_phase, acl("shop", "WRITE")], region(), {"a": region()}) == [
        acl("shop", "WRITE")
    ]


FORGED = [
    acl("evil", "READ"),
    acl("User:*", "WRITE"),
    acl("kdr-stages", "WRITE"),
    acl("mirror", "WRITE"),
    acl("shop", "ALTER", "", "cluster"),
    acl("shop", "ALL", "", "cluster"),
    acl("shop", "ALTER_CONFIGS", "", "cluster"),
    acl("shop", "CLUSTER_ACTION", "", "cluster"),
    acl("evil", "ALL", "*", pattern="literal"),
    {**acl("shop", "", "", "cluster"), "operations": ["DESCRIBE", "ALTER"]},
    {**acl("shop", "READ"), "permission": "deny"},
]


@pytest.mark.parametrize("one", FORGED, ids=str)
def test_a_forged_ledger_gives_nobody_a_right_that_no_fence_takes_from_an_application(one):
    entry = {
        "run": "1",
        "stage": "failover",
        "step": "fenced",
        "state": "done",
        "about": "a",
        "found": {"region": "a", "removed": [one]},
    }
    taken = fold([entry])["taken"]["a"]
    assert taken == [one] and _fence.given_back(taken, region(), {"a": region()}) == []


def test_rights_of_a_user_are_of_nobody_else_by_whichever_name():
    names = ("shop", "User:shop", "User:CN=shop")
    assert _fence.of_others([acl(name, "WRITE") for name in (*names, "User:oauth")], ["shop"]) == [
        acl("User:oauth", "WRITE")
    ]


def test_what_applications_had_comes_back():
    had = [
        acl("shop", "WRITE"),
        acl("User:shop", "READ", "*", "group", "literal"),
        acl("shop", "IDEMPOTENT_WRITE", "", "cluster"),
        acl("shop", "ALL", "*", pattern="literal"),
        acl("shop", "CREATE", "", "cluster"),
        acl("shop", "ALL", "orders.", "transactional_id"),
        acl("legacy", "WRITE", "old"),
    ]
    regions = {"a": region(), "far": {"kafka_dr_applications": [{"name": "x", "principals": ["legacy"]}]}}
    assert _fence.given_back(had, regions["a"], regions) == had


def test_brokers_settings_are_read_as_java_reads_them():
    text = (
        "# super.users=User:nobody\nsuper.users = User:admin; User:CN=broker,O=x ;\n"
        "allow.everyone.if.no.acl.found=TRUE\n"
    )
    assert _fence.broker_settings(text) == {"super_users": ["User:admin", "User:CN=broker,O=x"], "allow_everyone": True}
    assert _fence.own_super_users("europe") == ["User:admin", "User:CN=europe"]
    assert _fence.broker_settings("") == {"super_users": [], "allow_everyone": False}
    kafka = {
        "spec": {
            "kafka": {"authorization": {"superUsers": ["CN=x"]}, "config": {"allow.everyone.if.no.acl.found": True}}
        }
    }
    assert _fence.kafka_settings(kafka) == {"super_users": ["CN=x"], "allow_everyone": True}
    assert _fence.kafka_settings({"spec": {}}) == {"super_users": [], "allow_everyone": False}


def test_names_of_two_regions_are_put_together():
    assert _fence.unfenced_names({"a": {"User:*": "x"}, "b": {"User:*": "y"}, "c": {}}) == {
        "User:*": "(in a) x; (in b) y"
    }


@pytest.mark.parametrize(
    ("given", "may", "above", "bare"),
    [
        ([acl("shop", "WRITE")], {"WRITE", "DESCRIBE"}, set(), set()),
        ([acl("shop", "ALL", "*", pattern="literal")], set(rights.KNOWN), set(), set()),
        ([acl("*", "READ")], {"READ", "DESCRIBE"}, set(), set()),
        ([acl("shop", "READ")], {"WRITE", "READ"}, {"orders.x"}, set()),
        ([acl("shop", "READ", "other")], {"READ"}, set(), {"orders.x"}),
        ([], set(), set(), set()),
    ],
)
def test_what_no_acl_explains_is_a_super_user_or_a_topic_open_to_everybody(given, may, above, bare):
    assert rights.beyond(flatten(given), "User:shop", {"orders.x": may}) == (above, bare)


def test_rights_on_topics_are_found_however_they_are_given():
    given = flatten(
        [
            acl("x", "WRITE", "*", pattern="literal"),
            acl("x", "READ", "ord"),
            acl("x", "WRITE", "orders.new", pattern="literal"),
            acl("x", "DESCRIBE"),
            acl("x", "WRITE", "bills."),
            acl("x", "WRITE", "orders.later."),
            acl("x", "READ", "orders.", "group"),
        ]
    )
    found = rights.on_topics(given, ["orders.x"], lambda name: name.startswith("orders."))
    assert {one[2] for one in found} == {"*", "ord", "orders.new", "orders.later."}


def test_what_another_regions_ledger_says_was_taken_is_believed_where_it_is_signed_or_nothing_is():
    taken = {"taken": {"a": [acl("shop", "WRITE")]}}
    assert _fence.taken_told({**taken, "verified": True}, "a", ["secret"]) == [acl("shop", "WRITE")]
    assert _fence.taken_told({**taken, "verified": False}, "a", []) == [acl("shop", "WRITE")]
    assert _fence.taken_told({**taken, "verified": False}, "a", ["secret"]) == []
    assert _fence.taken_told({"msg": "no answer"}, "a", []) == _fence.taken_told(taken, "b", []) == []
