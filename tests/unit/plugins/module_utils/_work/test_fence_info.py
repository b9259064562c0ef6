# SPDX-License-Identifier: GPL-3.0-or-later
"""What a fence says of brokers without an authorizer; that real ones are found is seen in tests/real/hosts."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka import brokers
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work import fence_info as _fence_info

NAME = brokers.AUTHORIZER
SHOP = {"name": "shop", "username": "shop", "password": None}


class Client:
    """Two brokers, of which the second one has no authorizer."""

    name, timeout, config = "na", 1, {}

    def __init__(self, *words):
        pass

    def metadata(self):
        return SimpleNamespace(topics={"orders": None}, brokers={1: None, 2: None})


def settings(client, broker):
    return {NAME: SimpleNamespace(value="StandardAuthorizer" if broker == 1 else "")}


@pytest.fixture
def look(monkeypatch):
    monkeypatch.setattr(_fence_info, "KafkaClient", Client)
    monkeypatch.setattr(_fence_info, "binding_acls", lambda client: [])
    monkeypatch.setattr(_fence_info, "acls_by_broker", lambda client: ({1: set()}, {2: "no authorizer"}))
    monkeypatch.setattr(_fence_info, "broker_settings", settings)

    def call(fenced, *principals, accepted=(), **more):
        given = {"client": {}, "client_secrets": {}, "timeout": 1, "topics": "orders", "others": True, "above": []}
        given.update({"known": [], "readers": [], "super_users": None, "allow_everyone": None})
        return _fence_info.fence_info(
            {**given, "principals": principals, "fenced": fenced, "accepted": list(accepted), **more}, False
        )

    return call


@pytest.mark.parametrize("principals", [(), (SHOP,)])
def test_it_is_named_and_never_counts_as_fenced_unless_that_was_accepted(look, principals):
    assert look(False, *principals)["unfenceable"] == {NAME: "is not set on broker 2: no ACL binds anybody there"}
    found = look(True, *principals)
    assert (found["ready"], found["left"]) == (False, ["broker 2 has no authorizer and lets everybody write"])
    assert look(True, *principals, accepted=[NAME])["ready"]


def test_only_brokers_that_say_so_have_none(monkeypatch):
    told = {1: {NAME: SimpleNamespace(value="X")}, 2: {NAME: SimpleNamespace(value="")}, 3: {}}
    monkeypatch.setattr(brokers, "broker_settings", lambda client, broker: told[broker])
    client = SimpleNamespace(metadata=lambda: SimpleNamespace(brokers=dict.fromkeys(told)))
    assert brokers.without_authorizer(client) == [2]


def test_a_super_user_that_nobody_describes_is_named(look):
    supers = ["User:boss", "CN=broker", "User:shop"]
    named = look(False, SHOP, super_users=supers, above=["CN=broker"], known=["stages"])["unfenceable"]
    assert "the inventory does not describe it" in named["User:boss"]
    assert "take it out of super.users" in named["User:shop"] and "User:CN=broker" not in named
    assert "User:boss" not in look(False, SHOP, super_users=supers, others=False)["unfenceable"]
