# SPDX-License-Identifier: GPL-3.0-or-later
"""What somebody who may write to the ledger, and does not have the secret, can make of its true entries."""

from __future__ import annotations

import json

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger import seal
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.chain import examine
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.ledger import known
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.parts import digest

ID = "topic-id"
KEYS = tuple(seal.keys(["the secret of this test"]))
BOTH = pytest.mark.parametrize("keys", [KEYS, ()], ids=["secret", "none"])


def body(step="ends", **more):
    return {
        "run": "1",
        "stage": "failover",
        "step": step,
        "state": "done",
        "region": "europe",
        "about": "x",
        "found": {},
        "at": "2026-01-01T00:00:00Z",
        "by": "stages",
        "collection": "0",
        "fenced": True,
        **more,
    }


def looked(values, keys=KEYS, decided=None):
    return examine(list(enumerate(values)), 0, ID, list(keys), decided)


def faults(values, keys=KEYS, decided=None):
    return [(fault.offset, fault.what) for fault in looked(values, keys, decided).faults]


def after(values, entry, keys=KEYS):
    """The bytes of an entry that follows these."""
    return seal.sealed(entry, looked(values, keys).tip, ID, list(keys))


def written(*steps, keys=KEYS):
    made = []
    for step in steps:
        made.append(after(made, body(step), keys))
    return made


def test_an_entry_that_is_written_again_in_other_bytes_is_the_fault_and_not_what_followed_it():
    """Its code is over what it says: otherwise the way out names the true entries as those to drop."""
    values = written("one", "two", "three")
    for other in (
        json.dumps(json.loads(values[0])).encode(),
        values[0] + b" ",
        b'{"about":"y",' + values[0][1:],
        values[0].replace(b'"step"', b'"st\\u0065p"'),
    ):
        chain = looked([*values, other])
        assert [(one.offset, one.what) for one in chain.faults] == [(3, "forged")], other
        assert [one["step"] for one in chain.entries] == ["one", "two", "three"]


@BOTH
@pytest.mark.parametrize("value", ["NaN", "-Infinity", "1e999"])
def test_a_number_that_is_none_is_junk_and_can_be_passed_over(value, keys):
    values = written("one", keys=keys)
    forged = after(values, body(found={"x": "here"}))
    unchained = json.dumps(body(found={"x": "here"})).encode()
    for bad in (forged, unchained):
        bad = bad.replace(b'"here"', value.encode())
        assert faults([*values, bad], keys) == [(1, "junk")]
        assert faults([*values, bad], keys, {"passed": {(1, digest(bad))}, "kept": set()}) == []


@BOTH
def test_lists_within_lists_that_can_be_read_and_not_written_again_are_junk(keys):
    values = written("one", keys=keys)
    forged = after(values, body(found={"x": "here"}), keys)
    for depth in (100, *range(800, 1000)):
        deep = forged.replace(b'"here"', b"[" * depth + b"]" * depth)
        assert faults([*values, deep], keys) == [(1, "junk")], depth


@pytest.mark.parametrize(
    "more",
    [
        {"step": "fenced", "found": {"region": {"a": 1}, "removed": []}},
        {"step": "fenced", "found": {"region": ["x"]}},
        {"step": "fencing", "found": {"removed": 7}},
        {"step": "given_back", "found": {"region": {}, "removed": True}},
        {"step": "ledger", "state": "accepted", "found": {"passed": [], "kept": 7}},
        {"step": "ledger", "state": "accepted", "found": {"passed": {"a": 1}}},
        {"step": "x", "epoch": 10**10},
        {"step": "x", "epoch": int("9" * 4300)},
    ],
)
def test_facts_of_another_kind_end_no_stage(more):
    """Without a secret, anybody's entry is read; what it says must not be an error without a way out."""
    values = written("one", keys=())
    forged = after(values, body(**more), ())
    chain = looked([*values, forged], ())
    known(chain, None)
    wrong = [(one.offset, one.what) for one in chain.faults]
    assert wrong in ([(1, "junk")], []) and len(chain.entries) == 2 - len(wrong)
