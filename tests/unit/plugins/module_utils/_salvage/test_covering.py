# SPDX-License-Identifier: GPL-3.0-or-later
"""A key that an application writes once the salvage has looked at the keys gets an older value: that is named."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._salvage import proving
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._salvage.writing import HEADER, Work
from tests.support.compared import NOW
from tests.support.looked import Side, reading

SOURCE = [(100, NOW, b"k", b"v1", None), (101, NOW, b"o", b"w1", None)]


class Log(Side):
    """One that refuses to be read below its start, as a broker does."""

    def scan(self, topic, partition, low, high):
        assert low >= self.start, "an offset is no longer there"
        return super().scan(topic, partition, low, high)


def written(offset, source_offset):
    dummy, time, key, value, dummy = SOURCE[source_offset - 100]
    return (offset, time, key, value, [(HEADER, b"north/t-0@%d" % source_offset)])


def theirs(offset, key=b"k"):
    return (offset, NOW, key, b"theirs", None)


@pytest.fixture
def proved(monkeypatch):
    """A function that proves rows of a target, of which the salvage's own lie at the offsets that are given."""
    reading(monkeypatch, proving)
    monkeypatch.setattr(proving, "await_decided", lambda *args: None)
    monkeypatch.setattr(proving, "list_offsets", lambda client, places, *args, **more: {places[0]: client.side.start})

    def prove(target, own, since=200, start=0):
        work = Work("north", "t", "S", 0, "replay", "t", "T", 1 << 20, [])
        claim = proving.Claim(work, [[100, 2]], [[offset, 1] for offset in own], True, since)
        return proving.prove(Side(SOURCE), Log(target, start), claim, lambda *args: None)

    return prove


def test_what_nobody_wrote_meanwhile_is_covered_by_nothing(proved):
    found = proved([written(200, 100), written(201, 101)], [200, 201])
    assert (found["equal"], found["covered"]) == (True, 0)


@pytest.mark.parametrize(
    ("at", "covered"),
    [(200, 1), (202, 1), (203, 0), (199, 0)],
    ids=["before all", "in between", "later", "before the copy ended"],
)
def test_a_key_that_was_written_before_its_older_record_is_counted(proved, at, covered):
    """What others write afterwards is newer, and what was there when the copy ended is what the records follow."""
    own = [written(201, 101), written(203 if at == 202 else 202, 100)]
    found = proved(sorted([*own, theirs(at)], key=lambda row: row[0]), [row[0] for row in own])
    assert found["covered"] == covered


def test_another_key_is_no_matter(proved):
    found = proved([theirs(200, b"x"), written(201, 100), written(202, 101)], [201, 202])
    assert (found["equal"], found["covered"]) == (True, 0)


def test_where_nothing_is_compacted_nobody_asks(proved):
    found = proved([theirs(200), written(201, 100), written(202, 101)], [201, 202], since=None)
    assert (found["equal"], found["covered"]) == (True, 0)


@pytest.mark.parametrize(("start", "unseen"), [(0, 0), (200, 0), (500, 500), (901, 901)])
def test_what_retention_has_taken_of_what_others_wrote_is_named_and_ends_no_run(proved, start, unseen):
    found = proved([written(901, 100), written(902, 101)], [901, 902], start=start)
    assert (found["equal"], found["covered"], found["unseen"]) == (True, 0, unseen)
