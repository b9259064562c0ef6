# SPDX-License-Identifier: GPL-3.0-or-later
"""Who would pick up the topics that a salvage writes beside others."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages.side_topics import side_topic_readers

SIDE = [{"topics": "orders", "action": "side_topic"}, {"topics": ".*", "action": "replay"}]


def acl(principal="app", name="ord", pattern="prefixed", operation="READ", permission="allow", host="*"):
    return {
        "principal": principal,
        "resource": "topic",
        "name": name,
        "pattern": pattern,
        "operations": [operation],
        "permission": permission,
        "host": host,
    }


def readers(*acls, mirrors=None, topics=("orders", "bills")):
    return side_topic_readers(list(topics), SIDE, mirrors or {}, list(acls), ["kdr-stages", "User:admin"])


@pytest.mark.parametrize("pattern", ["ord.*", ".*", r"orders\.salvaged"])
def test_a_mirror_whose_pattern_matches_is_named(pattern):
    assert readers(mirrors={"m": pattern}) == {"m": "would copy orders.salvaged"}


@pytest.mark.parametrize("pattern", ["orders", "bills.*", "ord"])
def test_a_mirror_that_copies_other_topics_is_not(pattern):
    assert readers(mirrors={"m": pattern}) == {}


@pytest.mark.parametrize("right", [acl(), acl(name="*", pattern="literal"), acl(operation="ALL"), acl(host="10.0.0.1")])
def test_whoever_reads_by_a_prefix_is_named(right):
    found = readers(right)
    assert list(found) == ["User:app"] and "may read orders.salvaged" in found["User:app"]


@pytest.mark.parametrize(
    "right",
    [
        acl(operation="WRITE"),
        acl(name="bills"),
        acl(name="orders", pattern="literal"),
        acl(name="orders.salvaged", pattern="literal"),
        acl(permission="deny"),
        acl("kdr-stages"),
        acl("CN=kdr-stages"),
        acl("admin"),
    ],
)
def test_who_does_not_or_was_given_the_topic_by_name_is_not(right):
    assert readers(right) == {}


def test_a_denial_counts():
    assert readers(acl(), acl(name="orders.salvaged", pattern="literal", permission="deny")) == {}


def test_without_a_side_topic_nobody_is_named():
    assert readers(acl(), mirrors={"m": ".*"}, topics=["bills"]) == {}
