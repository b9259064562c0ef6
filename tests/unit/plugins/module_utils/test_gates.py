# SPDX-License-Identifier: GPL-3.0-or-later
"""Gates: which hold, which may be overridden, and the user's own."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._gates import look

CLOSED = {"name": "source_alive", "holds": False, "message": "It  still\nanswers"}


def test_a_gate_that_holds_is_silent():
    assert look([{"name": "x", "holds": True, "message": "no"}], [], {}) == {"refusals": [], "overridden": [], "held": ["x"]}


@pytest.mark.parametrize("holds", ["False", "false", "", None, 0, "no"])
def test_whatever_is_not_true_is_closed(holds):
    assert look([dict(CLOSED, holds=holds)], [], {})["refusals"] == ["It still answers"]


def test_templates_give_true_as_text():
    assert look([dict(CLOSED, holds="True")], [], {})["refusals"] == []


def test_a_refusal_names_its_override():
    refusal, = look([dict(CLOSED, override="failover_accept_source_alive")], [], {})["refusals"]
    assert "-e failover_accept_source_alive=true" in refusal


def test_an_override_is_named():
    seen = look([dict(CLOSED, override="failover_accept_source_alive", accepted="true")], [], {})
    assert seen == {"refusals": [], "overridden": ["source_alive"], "held": []}


def test_a_gate_without_override_cannot_be_accepted():
    assert look([dict(CLOSED, accepted=True)], [], {})["refusals"]


def test_every_closed_gate_is_told_at_once():
    assert len(look([CLOSED, dict(CLOSED, name="second", message="Nor this")], [], {})["refusals"]) == 2


FACTS = {"ledger": {"active_region": "europe", "proofs": [{"state": "proven"}]}}


@pytest.mark.parametrize("query, opens", [
    ("ledger.active_region == 'europe'", True),
    ("ledger.active_region == 'asia'", False),
    ("ledger.active_region", False),  # truthy is not true
    ("ledger.nothing", False),
    ("length(ledger.proofs[?state=='proven']) > `0`", True),
])
def test_only_true_opens_a_gate_of_the_user(query, opens):
    refusals = look([], [{"query": query, "message": "Ask the duty officer"}], FACTS)["refusals"]
    assert bool(refusals) != opens
    assert look([], [{"query": query, "message": "Ask the duty officer"}], FACTS)["held"] == (["Ask the duty officer"] if opens else [])
    if not opens:
        assert "Ask the duty officer" in refusals[0] and query in refusals[0]


@pytest.mark.parametrize("own", [{"query": "ledger.[", "message": "m"}, {"message": "m"}])
def test_a_gate_that_cannot_be_read_is_an_error(own):
    with pytest.raises(UsageError, match="cannot be read"):
        look([], [own], FACTS)


NAMED = {"name": "unfenced", "names": {"User:*": "everybody", "super.users": "is set"}, "message": "Nobody else:", "override": "failover_accept_unfenced"}


def test_a_gate_is_accepted_name_by_name():
    assert look([dict(NAMED, names={})], [], {}) == {"refusals": [], "overridden": [], "held": ["unfenced"]}
    refusal, = look([dict(NAMED, accepted=["User:*"])], [], {})["refusals"]
    assert refusal.startswith("Nobody else: super.users is set.") and """-e '{"failover_accept_unfenced": ["User:*", "super.users"]}'""" in refusal
    accepted = look([dict(NAMED, accepted=["User:*", "super.users", "another"])], [], {})
    assert accepted == {"refusals": [], "overridden": ["unfenced (User:*, super.users)"], "held": []}
