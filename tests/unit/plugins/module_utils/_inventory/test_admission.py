# SPDX-License-Identifier: GPL-3.0-or-later
"""Users of applications that have no rights in the region that a failover leads them to."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory.admission import unadmitted
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory.check_all import examined

from .valid_description import SECRET, described

RIGHT = {"resource": "topic", "name": "orders", "operations": ["READ"]}


def user(name: str, *acls: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"name": name, "purpose": "application", "acls": list(acls), **more}


def everybody(operation: str) -> dict[str, Any]:
    return {"principal": "User:*", "resource": "topic", "name": "*", "operations": [operation]}


HOME = {
    "kafka_dr_users": [user("shop", RIGHT), user("till", RIGHT), user("idle"), user("kdr", RIGHT, purpose="mirror")]
}


@pytest.mark.parametrize(
    ("target", "acls", "lacking"),
    [
        ({}, [], ["shop", "till"]),
        ({"kafka_dr_users": [user("shop", RIGHT), user("till")]}, [], ["till"]),
        ({"kafka_dr_users": [user("shop", RIGHT), user("till", RIGHT, purpose="mirror")]}, [], ["till"]),
        ({"kafka_dr_super_users": ["User:shop"]}, [], ["till"]),
        # Rights that somebody else gives, also to a certificate's subject; a DENY gives none.
        ({}, [{"principal": "User:shop"}, {"principal": "User:CN=till", "permission": "allow"}], []),
        ({}, [{"principal": "User:shop", "permission": "deny"}, {"principal": "User:others"}], ["shop", "till"]),
        # What everybody may has to be what the user needs.
        ({}, [{"principal": "User:*", "resource": "topic", "name": "*", "operations": ["ALL"]}], []),
        (
            {},
            [
                {
                    "principal": "User:*",
                    "resource": "topic",
                    "name": "ord",
                    "pattern": "prefixed",
                    "operations": ["READ"],
                }
            ],
            [],
        ),
        (
            {},
            [{"principal": "User:*", "resource": "topic", "name": "public", "operations": ["READ"]}],
            ["shop", "till"],
        ),
        (
            {},
            [{"principal": "User:*", "resource": "topic", "name": "orders", "operations": ["DESCRIBE"]}],
            ["shop", "till"],
        ),
        ({}, [{"principal": "User:*", "resource": "user", "name": "x", "operations": ["UNKNOWN"]}], ["shop", "till"]),
        # A right brings others with it, but for whom something is denied.
        ({}, [everybody("READ")], []),
        ({}, [everybody("WRITE")], ["shop", "till"]),
        ({}, [everybody("READ"), {"principal": "User:shop", "permission": "DENY"}], ["shop"]),
        ({"kafka_dr_users": [user("shop", {**RIGHT, "permission": "deny"}), user("till", RIGHT)]}, [], ["shop"]),
    ],
)
def test_who_has_rights_in_the_source_alone_is_named(target, acls, lacking):
    assert unadmitted({"na": HOME, "eu": target}, "na", "eu", acls) == lacking


@pytest.mark.parametrize(("operation", "lacking"), [("WRITE", []), ("ALL", []), ("READ", ["shop"])])
def test_whoever_may_write_may_do_so_idempotently(operation, lacking):
    needs = {"resource": "cluster", "operations": ["IDEMPOTENT_WRITE"]}
    home = {"kafka_dr_users": [user("shop", {**RIGHT, "operations": ["DESCRIBE"]}, needs)]}
    assert unadmitted({"na": home, "eu": {}}, "na", "eu", [everybody(operation)]) == lacking


def test_an_inventory_warns_of_them_before_the_day():
    hosts = described("europe.kafka_dr_users.1", user("other", RIGHT, password="p"))
    (warned,) = examined(hosts)["warnings"]
    assert warned.startswith("kafka_dr_users: 'shop' has rights in 'north_america' and none in 'europe'. Give")
    assert examined(hosts, ["north_america", "europe"])["warnings"] == [warned]
    assert examined(hosts, ["europe"])["warnings"] == []


def test_it_does_not_where_rights_are_given_elsewhere():
    assert examined(described("europe.kafka_dr_users.1", user("shop", password=SECRET)))["warnings"] == []


def test_one_user_has_one_password():
    """Stages make it in both regions with that of the mirror's source."""
    right = {"resource": "topic", "name": "orders.", "pattern": "prefixed", "operations": ["READ", "DESCRIBE"]}
    (warned,) = examined(described("europe.kafka_dr_users.1", user("shop", right, password="another")))["warnings"]
    assert "'shop' has one password in 'north_america' and another one in 'europe'. Give it the same" in warned
    assert SECRET not in warned and "another'" not in warned
    learnt = user("shop", right, password="another", password_learned=True)
    assert examined(described("europe.kafka_dr_users.1", learnt))["warnings"] == []


def test_users_whose_passwords_were_learnt_are_read_too():
    """Such as in the second check of a play's inventory."""
    others = user("other", RIGHT, password="p", password_learned=True)
    (warned,) = examined(described("europe.kafka_dr_users.1", others))["warnings"]
    assert "'shop' has rights in 'north_america' and none in 'europe'" in warned
