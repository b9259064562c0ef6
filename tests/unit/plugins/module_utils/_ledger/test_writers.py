# SPDX-License-Identifier: GPL-3.0-or-later
"""Who may write to the ledger, by ACLs."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import flatten
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.writers import expected, writers
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.access import service_acls

LEDGER = "__kafka_dr_ledger"
WIDE = {"name": "m", "source": "na", "target": "eu", "topics": [".*"]}


def acl(principal, operation="WRITE", name=LEDGER, pattern="literal", permission="allow", host="*", resource="topic"):
    return {
        "principal": principal,
        "resource": resource,
        "name": name,
        "pattern": pattern,
        "operations": [operation],
        "permission": permission,
        "host": host,
    }


def who(*acls, allowed=("User:stages",)):
    return [one.split(" ")[0] for one in writers(flatten(list(acls)), LEDGER, list(allowed))]


@pytest.mark.parametrize(
    "one",
    [
        acl("m"),
        acl("m", "ALL"),
        acl("m", name="*"),
        acl("m", name="__kafka", pattern="prefixed"),
        acl("*"),
        acl("m", host="10.0.0.1"),
        acl("m", "DELETE"),
        acl("m", "ALTER_CONFIGS", "*"),
    ],
)
def test_whoever_may_write_is_named(one):
    assert who(one) == ["User:" + one["principal"]]


@pytest.mark.parametrize(
    "one",
    [
        acl("stages"),
        acl("m", "READ"),
        acl("m", name="orders"),
        acl("m", name="orders", pattern="prefixed"),
        acl("m", resource="group", operation="ALL", name="*"),
        acl("m", permission="deny"),
    ],
)
def test_who_may_not_is_not(one):
    assert who(one) == []


def test_a_denial_counts_where_it_holds_from_everywhere():
    assert who(acl("m"), acl("m", "ALL", "__kafka_dr_", "prefixed", "deny")) == []
    assert who(acl("m"), acl("*", "WRITE", permission="deny")) == []
    assert who(acl("m"), acl("m", permission="deny", host="10.0.0.1")) == ["User:m"]
    assert who(acl("m"), acl("other", permission="deny")) == ["User:m"]
    assert who(acl("*"), acl("m", permission="deny")) == ["User:*"]
    assert who(acl("m", "ALL"), acl("m", "WRITE", permission="deny")) == ["User:m"], "it may still delete the topic"


def test_a_mirror_of_everything_may_not():
    assert who(*service_acls("mirror", "mirror", WIDE, "target"), *service_acls("stages", "stages")) == []
    assert who(
        *[one for one in service_acls("mirror", "mirror", WIDE, "target") if one.get("permission") != "deny"]
    ) == ["User:mirror"]


def test_the_witness_writes_positions_and_not_the_ledger():
    region = {
        "kafka_dr_users": [
            {"name": "s", "purpose": "stages"},
            {"name": "w", "purpose": "witness"},
            {"name": "m", "purpose": "mirror"},
        ],
        "kafka_dr_super_users": ["User:admin"],
        "kafka_dr_client": {"sasl.username": "me"},
    }
    found = expected(region, "l", "p", ["m"])
    assert "User:w" in found["p"] and "User:w" not in found["l"]
    assert found["__kafka_dr_salvage"] == found["l"], "who writes there decides what a salvage takes for done"
    assert {"User:s", "User:CN=s", "User:admin", "User:me", "User:m"} <= set(found["l"])


def test_one_topic_of_positions_may_be_given_by_its_name():
    region = {"kafka_dr_users": [{"name": "seer", "purpose": "witness"}]}
    assert expected(region, "__ledger", "__positions") == expected(region, "__ledger", ["__positions"])
