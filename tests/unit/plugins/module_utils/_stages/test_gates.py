# SPDX-License-Identifier: GPL-3.0-or-later
"""Gates: which hold, which may be overridden, and the user's own."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages.gates import look

CLOSED = {"name": "source_alive", "holds": False, "message": "It  still\nanswers"}


def test_a_gate_that_holds_is_silent():
    assert look([{"name": "x", "holds": True, "message": "no"}], [], {}) == {
        "refusals": [],
        "overridden": [],
        "held": ["x"],
    }


@pytest.mark.parametrize("holds", ["False", "false", "", None, 0, "no"])
def test_whatever_is_not_true_is_closed(holds):
    assert look([dict(CLOSED, holds=holds)], [], {})["refusals"] == ["source_alive: It still answers"]


def test_templates_give_true_as_text():
    assert look([dict(CLOSED, holds="True")], [], {})["refusals"] == []


def test_a_refusal_names_its_override():
    (refusal,) = look([dict(CLOSED, override="failover_accept_source_alive")], [], {})["refusals"]
    assert "-e failover_accept_source_alive=true" in refusal


def test_an_override_is_named():
    seen = look([dict(CLOSED, override="failover_accept_source_alive", accepted="true")], [], {})
    assert seen == {"refusals": [], "overridden": ["source_alive"], "held": []}


def test_an_override_is_recorded_with_what_a_person_decided():
    gate = dict(CLOSED, override="failover_accept_split_brain", accepted=True, value="<region>", decided="eu")
    assert look([gate], [], {})["overridden"] == [f"{CLOSED['name']} (eu)"]
    (refusal,) = look([dict(gate, accepted=False)], [], {})["refusals"]
    assert refusal.endswith("-e failover_accept_split_brain=<region>")


def test_a_gate_without_override_cannot_be_accepted():
    assert look([dict(CLOSED, accepted=True)], [], {})["refusals"]


def test_every_closed_gate_is_told_at_once():
    assert len(look([CLOSED, dict(CLOSED, name="second", message="Nor this")], [], {})["refusals"]) == 2


FACTS = {"ledger": {"active_region": "europe", "proofs": [{"state": "proven"}]}}


@pytest.mark.parametrize(
    "query, opens",
    [
        ("ledger.active_region == 'europe'", True),
        ("ledger.active_region == 'asia'", False),
        ("ledger.active_region", False),  # truthy is not true
        ("ledger.nothing", False),
        ("length(ledger.proofs[?state=='proven']) > `0`", True),
    ],
)
def test_only_true_opens_a_gate_of_the_user(query, opens):
    refusals = look([], [{"query": query, "message": "Ask the duty officer"}], FACTS)["refusals"]
    assert bool(refusals) != opens
    assert look([], [{"query": query, "message": "Ask the duty officer"}], FACTS)["held"] == (
        ["Ask the duty officer"] if opens else []
    )
    if not opens:
        assert "Ask the duty officer" in refusals[0] and query in refusals[0]


@pytest.mark.parametrize("own", [{"query": "ledger.[", "message": "m"}, {"message": "m"}])
def test_a_gate_that_cannot_be_read_is_an_error(own):
    with pytest.raises(UsageError, match="cannot be read"):
        look([], [own], FACTS)


NAMED = {
    "name": "unfenced",
    "names": {"User:*": "everybody", "super.users": "is set"},
    "message": "Nobody else:",
    "override": "failover_accept_unfenced",
}


def test_a_gate_is_accepted_name_by_name():
    assert look([dict(NAMED, names={})], [], {}) == {"refusals": [], "overridden": [], "held": ["unfenced"]}
    (refusal,) = look([dict(NAMED, accepted=["User:*"])], [], {})["refusals"]
    assert (
        refusal.startswith("unfenced: Nobody else: super.users is set.")
        and """-e '{"failover_accept_unfenced": ["User:*", "super.users"]}'""" in refusal
    )
    accepted = look([dict(NAMED, accepted=["User:*", "super.users", "another"])], [], {})
    assert accepted == {"refusals": [], "overridden": ["unfenced (User:*, super.users)"], "held": []}
    told = look([dict(NAMED, accepted=" User:*\nsuper.users\n\n")], [], {})
    assert told == accepted, "a text, a name a line, as a survey gives it: names may hold commas"
    assert (
        look([dict(NAMED, accepted="User:*,super.users")], [], {})["refusals"]
        and look([dict(NAMED, accepted="")], [], {})["refusals"]
    )


def refused_by_name(*names):
    gate = {
        "name": "unfenced",
        "names": dict.fromkeys(names, "may WRITE"),
        "override": "failover_accept_unfenced",
        "message": "Found:",
    }
    (refusal,) = look([gate], [], {})["refusals"]
    return refusal


@pytest.mark.parametrize(
    "name",
    [
        "User:x'; touch /tmp/x; '",
        "User:{{ lookup('pipe', 'touch /tmp/x') }}",
        "User:{% x %}",
        "User:$(touch /tmp/x)",
        "User:`x`",
        "User:a\nb",
        "User:x\\",
        "User:\u202ex",
        "-e",
    ],
)
def test_a_name_that_a_shell_or_ansible_would_run_is_in_no_line_to_paste(name):
    """Whoever may make an ACL chooses the name; whoever is refused copies the line."""
    refusal = refused_by_name(name, "User:plain")
    assert "-e" not in refusal.split("may WRITE")[-1], refusal
    assert "cannot be accepted on a command line" in refusal


def test_a_plain_name_may_be_pasted():
    name = "User:CN=app-1.example.com,OU=Our Team"
    assert refused_by_name(name).endswith(
        """Or override it by name, recorded: -e '{"failover_accept_unfenced": ["%s"]}'""" % name
    )


def test_why_a_name_is_refused_is_one_sentence():
    gate = {
        "name": "unfenced",
        "names": {"na": "(in na) cannot be fenced: it does not answer. Correct the address."},
        "override": "x",
        "message": "Found:",
    }
    assert look([gate], [], {})["refusals"] == [
        "unfenced: Found: na (in na) cannot be fenced: it does not answer. Correct the address. "
        'Or override it by name, recorded: -e \'{"x": ["na"]}\''
    ]


WATCH = {"present": True, "unproven_records": 0, "unproven_seconds": 0, "differences": [], "proven_through": {}}
NO_WATCH = {"present": False, "reason": "no watch of the mirror has ever ended a round"}


def own(query, watch):
    """What a gate of the user's own comes to."""
    facts = {"ledger": {}, "report": {"watch": watch} if watch is not None else {}}
    return look([], [{"query": query, "message": "mine"}], facts)


@pytest.mark.parametrize(
    ("query", "watch", "holds"),
    [
        ("report.watch.unproven_records == `0`", WATCH, True),
        ("report.watch.unproven_records < `10`", {**WATCH, "unproven_records": 12}, False),
        ("report.watch.unproven_seconds < `60`", WATCH, True),
        ("length(report.watch.differences) == `0`", WATCH, True),
        ("length(report.watch.differences) == `0`", {**WATCH, "differences": [{"kind": "missing"}]}, False),
        (
            'report.watch.proven_through.orders."0"[0] >= `100`',
            {**WATCH, "proven_through": {"orders": {"0": [120, 90]}}},
            True,
        ),
        ('report.watch.proven_through.orders."0"[0] >= `100`', WATCH, False),
        ("report.watch.present && report.watch.unproven_records == `0`", WATCH, True),
    ],
)
def test_a_gate_asks_for_the_standing_proof(query, watch, holds):
    found = own(query, watch)
    assert (found["held"] == ["mine"]) is holds and bool(found["refusals"]) is not holds


@pytest.mark.parametrize(
    "query",
    [
        "report.watch.unproven_records == `0`",
        "!report.watch.differences",
        "!(report.watch.stopped)",
        "length(not_null(report.watch.differences, `[]`)) == `0`",
        "report.watch.differences[?kind == 'missing'] == null",
        "report | watch.unproven_records == null",
        "report.{w: watch}.w.unproven_records == null",
        "report.watch == null",
    ],
)
@pytest.mark.parametrize("watch", [NO_WATCH, None])
def test_without_a_watch_no_question_about_it_is_answered(query, watch):
    found = own(query, watch)
    assert found["held"] == []
    (refusal,) = found["refusals"]
    reason = NO_WATCH["reason"] if watch else "this stage reads none"
    assert "expected the standing proof of the mirror (report.watch), found none" in refusal and reason in refusal


def test_a_question_that_nothing_answers_is_refused():
    with pytest.raises(UsageError, match="does not have") as caught:
        own("!(report.watch.unproven_record)", WATCH)
    assert "unproven_records" in str(caught.value)
    with pytest.raises(UsageError, match="cannot be read"):
        own("report.watch.[", WATCH)
