# SPDX-License-Identifier: GPL-3.0-or-later
"""KafkaUsers of users: how those that are there authenticate, and which of them have Secrets."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory.authentication import users_of_type
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.filters.kafka_resources import kafka_users

RULE = {"type": "allow", "resource": {"type": "topic", "name": "t"}, "operations": ["Write"], "host": "*"}


def declared(user, existing, how="without_allow", **more):
    (body,) = kafka_users([user], [], "main", "kafka", existing=existing, how=how, **more)
    return body["spec"]


@pytest.mark.parametrize("kind", ["tls", "tls-external", "scram-sha-512"])
@pytest.mark.parametrize("how", ["add", "remove", "without_allow", "exactly"])
def test_a_stage_leaves_it_to_a_user_how_to_authenticate(kind, how):
    there = {
        "metadata": {"name": "orders"},
        "spec": {"authentication": {"type": kind}, "authorization": {"type": "simple", "acls": [RULE]}},
    }
    secrets = {"orders": {"secret": "s", "key": "password"}}
    spec = declared({"name": "orders", "purpose": "application"}, [there], how, secrets=secrets)
    assert spec["authentication"]["type"] == kind
    assert ("password" in spec["authentication"]) == (kind == "scram-sha-512")
    assert spec["authorization"]["acls"] == ([RULE] if how in ("add", "remove") else [])


def test_the_inventory_may_name_another_way():
    there = {"metadata": {"name": "orders"}, "spec": {"authentication": {"type": "scram-sha-512"}}}
    assert declared({"name": "orders", "authentication": "tls"}, [there])["authentication"] == {"type": "tls"}


@pytest.mark.parametrize("existing", [[], None])
def test_a_new_user_has_a_password(existing):
    assert declared({"name": "orders"}, existing)["authentication"] == {"type": "scram-sha-512"}


def test_one_whom_something_else_names_gets_none():
    """Such as OAuth: its KafkaUser has rights alone."""
    there = {"metadata": {"name": "orders"}, "spec": {"authorization": {"type": "simple", "acls": []}}}
    assert "authentication" not in declared({"name": "orders"}, [there])
    assert "authentication" not in declared({"name": "orders", "authentication": "none"}, [])


def test_who_has_a_secret_and_who_a_password():
    users = [{"name": "a"}, *({"name": kind, "authentication": kind} for kind in ("tls", "tls-external"))]
    assert [user["name"] for user in users_of_type(users, "scram-sha-512", "tls")] == ["a", "tls"]
    assert [user["name"] for user in users_of_type(users, "scram-sha-512")] == ["a"]
