# SPDX-License-Identifier: GPL-3.0-or-later
"""Which records of a ledger are taken for its entries: what is lost, forged, moved or copied is seen and named."""

from __future__ import annotations

import json

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import FormatError, UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger import seal
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.chain import examine
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.parts import LARGEST, digest, join, split
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.schema import decoded

ID = "topic-id"
SECRET, NEWER = "the first secret of the lab", "the second secret of the lab"
KEYS, ROTATED = tuple(seal.keys([SECRET])), tuple(seal.keys([NEWER, SECRET]))


def body(step="ends", state="done", **more):
    return {
        "run": "1",
        "stage": "failover",
        "step": step,
        "state": state,
        "region": "europe",
        "about": "x",
        "found": {},
        "at": "2026-01-01T00:00:00Z",
        "by": "stages",
        "collection": "0",
        "fenced": True,
        **more,
    }


def written(*steps, keys=KEYS, before=(), topic_id=ID):
    """Values of a ledger's records, each entry after the one before."""
    made = list(before)
    for step in steps:
        tip = examine(list(enumerate(made)), 0, topic_id, keys).tip
        made += split(seal.sealed(body(step) if isinstance(step, str) else step, tip, topic_id, keys))
    return made


def old(step="ends", **more):
    return json.dumps(body(step, **more)).encode()


def looked(values, keys=KEYS, start=0, topic_id=ID):
    return examine(list(enumerate(values, start)), start, topic_id, keys)


def faults(*arguments, **named):
    return [(fault.offset, fault.what) for fault in looked(*arguments, **named).faults]


def test_a_ledger_that_stages_wrote_is_authentic():
    chain = looked(written("one", "two", "three"))
    assert (chain.faults, chain.authentic, [one["step"] for one in chain.entries]) == (
        [],
        True,
        ["one", "two", "three"],
    )


def test_without_the_secret_it_is_read_and_not_authentic():
    chain = looked(written("one", "two"), keys=[])
    assert (chain.faults, chain.authentic, chain.signed) == ([], False, True)


@pytest.mark.parametrize("keys", [KEYS, []], ids=["secret", "none"])
@pytest.mark.parametrize(
    ("change", "found"),
    [
        (lambda one: [one[0], one[2], one[3]], [(1, "lost")]),
        (lambda one: one[1:], [(0, "lost")]),
        (lambda one: [*one, b"{}"], [(4, "junk")]),
        (lambda one: [*one, b""], [(4, "junk")]),
        (lambda one: [*one, b"[1, 2]"], [(4, "junk")]),
        (lambda one: [*one, old()], [(4, "unchained")]),
        (lambda one: [*one, one[1]], [(4, "repeated")]),
    ],
)
def test_what_is_wrong_is_named(keys, change, found):
    assert faults(change(written("one", "two", "three", "four")), keys=keys) == found


def test_entries_in_another_order_are_seen():
    one = written("one", "two", "three", "four")
    assert (1, "lost") in faults([one[0], one[2], one[1], one[3]]) or (2, "lost") in faults(
        [one[0], one[2], one[1], one[3]]
    )
    assert faults([one[0], one[2], one[1], one[3]], keys=[])


def test_what_the_mirror_forges_names_nobody():
    values = written("one", "two")
    tip = looked(values).tip
    forged = body("active_region", "active", region="elsewhere")
    unsigned = seal.sealed(forged, tip, ID, [])
    guessed = seal.sealed(forged, tip, ID, seal.keys(["not the secret of this lab"]))
    assert faults([*values, unsigned]) == [(2, "unsigned")]
    assert faults([*values, guessed]) == [(2, "forged")]
    assert "elsewhere" in looked([*values, guessed]).faults[0].text()
    assert all(one["region"] != "elsewhere" for one in looked([*values, guessed]).entries)


def test_what_was_forged_while_a_stage_wrote_is_the_fault_and_not_the_stage():
    values = written("one")
    forged = seal.sealed(body("active_region", "active", region="elsewhere"), looked(values).tip, ID, [])
    chain = looked([values[0], forged, written("two", before=values)[1]])
    assert [(one.offset, one.what) for one in chain.faults] == [(1, "unsigned")] and [
        one["step"] for one in chain.entries
    ] == ["one", "two"]


def test_a_changed_entry_is_not_authentic():
    values = written("one", "two")
    changed = values[1].replace(b'"europe"', b'"africa"')
    assert changed != values[1] and faults([values[0], changed]) == [(1, "forged")]


def test_entries_of_another_ledger_are_not_authentic():
    assert faults(written("one", "two", topic_id="another")) == [(0, "forged"), (1, "forged")]


def test_a_secret_is_changed_and_the_old_one_retired():
    values = written("two", before=written("one"), keys=ROTATED)
    assert looked(values, keys=ROTATED).faults == []
    retired = looked(values, keys=seal.keys([NEWER]))
    assert (retired.faults, retired.authentic, len(retired.entries)) == ([], True, 2)
    assert faults(values, keys=seal.keys([SECRET])) == [(1, "forged")], (
        "who has only the old secret cannot tell who wrote the last"
    )


def test_an_old_ledger_is_taken_over_once():
    before = [old("one"), old("two")]
    assert looked(before).faults == [] and not looked(before).signed
    values = written("three", before=before)
    assert looked(values).faults == [] and looked(values).authentic and len(looked(values).entries) == 3
    assert faults([*values, old("four")]) == [(3, "unchained")]
    assert faults([values[0], values[2]]) == [(1, "lost")], "an old entry that went is missed"
    assert faults([values[0], old("forged"), values[2]]) == [(2, "lost")]


def test_a_head_that_was_deleted_is_missed():
    assert faults(written("one", "two")[1:], start=1) == [(1, "lost")]
    assert faults([old()], start=7) == [(7, "lost")]
    assert faults([], start=7) == [(7, "lost")], "a topic whose records were all deleted is not an empty ledger"


def accepted(values, start=0, keys=KEYS, **decisions):
    by_offset = {fault.offset: fault for fault in looked(values, keys, start).faults}
    found = {
        name: [{"offset": offset, "hash": by_offset[offset].hash} for offset in rows]
        for name, rows in decisions.items()
    }
    given = {name: {(one["offset"], one["hash"]) for one in found.get(name, [])} for name in ("passed", "kept")}
    tip = examine(list(enumerate(values, start)), start, ID, keys, given).tip
    return [
        *values,
        seal.sealed(body("ledger", "accepted", stage="ledger", found=found) | {"step": "ledger"}, tip, ID, keys),
    ]


@pytest.mark.parametrize("keys", [KEYS, []], ids=["secret", "none"])
def test_junk_that_is_passed_over_ends_nothing_any_more(keys):
    values = accepted([*written("one", keys=keys), b"junk", old()], keys=keys, passed=[1, 2])
    chain = looked(values, keys)
    assert chain.faults == [] and [one["step"] for one in chain.entries] == ["one", "ledger"]
    assert faults([*values, b"junk"], keys=keys) == [(4, "junk")], "what comes later is not accepted with it"
    assert looked(written("two", before=values, keys=keys), keys).faults == []


@pytest.mark.parametrize("keys", [KEYS, []], ids=["secret", "none"])
def test_an_entry_after_a_gap_can_be_kept(keys):
    values = accepted(written("one", "two", "three", keys=keys)[1:], keys=keys, kept=[0])
    assert looked(values, keys).faults == [] and [one["step"] for one in looked(values, keys).entries] == [
        "two",
        "three",
        "ledger",
    ]
    assert (
        accepted([], start=7, keys=keys, kept=[7])
        and looked(accepted([], start=7, keys=keys, kept=[7]), keys, start=7).faults == []
    )


def test_nobody_without_the_secret_accepts_anything():
    values = written("one")
    forged = accepted([*values, b"junk"], keys=[], passed=[1])
    assert {(1, "junk"), (2, "unsigned")} == set(faults(forged))


def test_a_large_entry_is_split_and_joined():
    large = body(
        found={
            "ends": {"topic-%d" % number: {str(part): number * part for part in range(100)} for number in range(1000)}
        }
    )
    values = written("one", large, "two")
    assert len(values) > 4 and max(map(len, values)) <= LARGEST
    chain = looked(values)
    assert (
        chain.faults == []
        and chain.entries[1]["found"] == large["found"]
        and chain.entries[1]["offset"] == len(values) - 2
    )


def test_quotes_in_an_entry_do_not_make_its_parts_too_large():
    values = split(json.dumps({"x": '"\\' * 400_000}).encode())
    assert max(map(len, values)) <= LARGEST and len(join(list(enumerate(values)))) == 1


def test_parts_that_are_missing_or_changed_are_junk():
    large = body(found={"text": "x" * 1_400_000})
    values = written(large)
    assert len(values) > 2
    assert {what for dummy, what in faults(values[1:])} == {"junk"}
    assert {what for dummy, what in faults([values[0].replace(b"xxx", b"xxy"), *values[1:]])} == {"junk"}
    again = looked([values[0], values[0], *values[1:]])
    assert [(one.offset, one.what) for one in again.faults] == [(1, "junk")] and len(again.entries) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"run": ""},
        {"run": 7},
        {"state": "excellent"},
        {"found": []},
        {"fenced": "yes"},
        {"at": 5},
        {"format": 1},
        {"format": True},
        {"previous": "x"},
        {"previous": None},
        {"mac": "x"},
        {"epoch": 0},
        {"epoch": "1"},
        {"epoch_from": None},
        {"epoch_from": {"epoch": 2, "region": "eu"}},
        {"epoch_from": {"epoch": 3, "region": "eu", "hash": "a" * 64}},
        {"epoch_from": {"epoch": "2", "region": "eu", "hash": "a" * 64}},
        {"epoch_from": {"epoch": 2, "region": "eu", "hash": "x"}},
        {"epoch_from": {"epoch": 2, "region": "", "hash": "a" * 64}},
        {"epoch_from": {"epoch": 2, "region": "", "hash": ""}},
        {"state": "active", "region": "eu"},
        {"evil": 1},
        {"state": "active", "region": ""},
        {"stage": None},
        {"region": {}},
    ],
)
def test_an_entry_has_a_form(change):
    good = {**body(), "format": 2, "previous": "", "epoch": 3}
    assert decoded(json.dumps(good).encode())["epoch"] == 3
    with pytest.raises(FormatError):
        decoded(json.dumps({**good, **change}).encode())


@pytest.mark.parametrize(
    "change",
    [
        {"epoch": 1, "epoch_from": {"epoch": 0, "region": "", "hash": ""}},
        {"epoch": 1, "epoch_from": {"epoch": 0, "region": "eu", "hash": "a" * 64}},
        {"epoch": 3, "epoch_from": {"epoch": 2, "region": "eu", "hash": "a" * 64}},
        {},
    ],
)
def test_an_epoch_names_the_move_before_it(change):
    """The first has none, or one that an older version wrote; and so older versions named the active region."""
    good = {**body(), "state": "active", "region": "eu", "format": 2, "previous": "", **change}
    assert decoded(json.dumps(good).encode()).get("epoch") == change.get("epoch")


def test_an_entry_of_a_later_version_says_so():
    chain = looked([json.dumps({**body(), "format": 3, "previous": "", "later": 1}).encode()])
    assert "later version" in chain.faults[0].about


def test_deep_nesting_is_junk():
    assert faults([b"[" * 100_000]) == [(0, "junk")]


def test_a_short_secret_is_refused_and_not_shown():
    with pytest.raises(UsageError, match="too short") as error:
        seal.keys([SECRET, "hunter2"])
    assert "hunter2" not in str(error.value.to_result()) + str(error.value)


def test_the_hash_of_a_record_is_that_of_its_bytes():
    assert looked(written("one")).tip == digest(written("one")[0])
