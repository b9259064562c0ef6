# SPDX-License-Identifier: GPL-3.0-or-later
"""The second pass against sides in memory: random damage is named exactly, also across chunk boundaries."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._digest import batch, chunks
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._digest.records import Records
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof import examine, stretches
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.excuses import Head
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.task import ExamineTask
from tests.support.records import from_rows

KINDS = (
    "missing_head",
    "missing_tail",
    "missing",
    "lost",
    "duplicated",
    "reordered",
    "altered",
    "foreign",
    "aborted",
    "beyond",
)


@pytest.fixture(autouse=True)
def short_chunks(monkeypatch):
    monkeypatch.setattr(chunks, "MASK", 0x3)


class Memory:
    """A side that holds rows; offsets are places in the list, uncommitted ones are left out unless asked for."""

    live = True
    detailed = staticmethod(lambda topic: True)
    name = "memory"

    def __init__(self, rows, high=None, uncommitted=(), stable=None):
        self.rows = [(at, *row) for at, row in enumerate(rows)]
        self.high = len(self.rows) if high is None else high
        self.uncommitted = set(uncommitted)
        self.stable = len(self.rows) if stable is None else stable

    def _between(self, low, high, isolation="read_committed"):
        rows = [
            row
            for row in self.rows
            if low <= row[0] < high
            and (isolation == "read_uncommitted" or (row[0] not in self.uncommitted and row[0] < self.stable))
        ]
        return from_rows(rows) if rows else Records()

    def records(self, topic, partition, ranges, keep="fields", isolation="read_committed", progress=None):
        return [self._between(low, high, isolation) for low, high in ranges]

    def scan(self, topic, partition, low, high, isolation="read_committed"):
        for at in range(low, high, 7):
            yield self._between(at, min(at + 7, high), isolation)

    def ends(self, partitions, isolation="read_committed"):
        return dict.fromkeys(partitions, self.stable if isolation == "read_committed" else len(self.rows))

    def chunks(self):
        return batch.cut_records(self._between(0, self.high))


def compare(source, target, head=(), **more):
    known = {"at": 0, "deleted": 0, "held": False, "retention_ms": None, "retention_bytes": None, "end": target.high}
    task = {
        "topic": "t",
        "target_topic": "t",
        "partition": 0,
        "mode": "delete",
        "timestamps": True,
        "source_chunks": source.chunks().to_bytes(),
        "target_chunks": target.chunks().to_bytes(),
        "source_range": (0, source.high),
        "target_range": (0, target.high),
        "source_started": 0,
        "head": Head(**{**known, **dict(head)}),
        "mirrored_through": None,
        "limit": 1000,
        "target_bounded": False,
        **more,
    }
    result = examine.examine(source, target, ExamineTask(**task))
    return result, {kind: count for kind, count in result["counts"].items() if count}


def row(number, **more):
    return (
        more.get("time", 1000 + number),
        more.get("key", b"k%d" % (number % 5)),
        more.get("value", b"v%d" % number),
        more.get("headers"),
    )


BASE = [row(number) for number in range(60)]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(0, 8), min_size=1, max_size=50), st.data())
def test_what_is_left_out_is_missing_and_nothing_else(values, data):
    rows = [row(value) for value in values]
    kept = [at for at in range(len(rows)) if data.draw(st.booleans())]
    if len(kept) == len(rows):
        return
    result, counts = compare(Memory(rows), Memory([rows[at] for at in kept]))
    assert sum(counts.values()) == len(rows) - len(kept)
    assert set(counts) <= {"missing", "missing_head", "missing_tail"}
    assert sum(entry[2] for entry in result["offset_map"]) == len(kept)


def test_a_chunk_that_stands_for_a_twin_does_not_make_a_loss_look_moved():
    """The last two are left; as chunks, the last looks like the first."""
    rows = [row(value) for value in (8, 0, 0, 0, 3, 0, 0, 8)]
    dummy, counts = compare(Memory(rows), Memory([rows[4], rows[7]]))
    assert "reordered" not in counts and sum(counts.values()) == 6


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(0, 8), min_size=1, max_size=40), st.data())
def test_what_is_copied_again_is_duplicated_and_nothing_else(values, data):
    rows = [row(value) for value in values]
    copied, extra = [], 0
    for at in range(len(rows)):
        copied.append(rows[at])
        if data.draw(st.integers(0, 9)) == 0:
            low = data.draw(st.integers(0, at))
            copied.extend(rows[low : at + 1])
            extra += at + 1 - low
    if not extra:
        return
    dummy, counts = compare(Memory(rows), Memory(copied))
    assert counts == {"duplicated": extra}


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.integers(0, 30), max_size=40), st.lists(st.integers(0, 30), max_size=40))
def test_counts_add_up(left, right):
    if left == right:
        return
    result, counts = compare(Memory([row(value) for value in left]), Memory([row(value) for value in right]))
    matched = sum(entry[2] for entry in result["offset_map"])
    lost = sum(counts.get(kind, 0) for kind in ("missing", "missing_head", "missing_tail"))
    extra = sum(counts.get(kind, 0) for kind in ("duplicated", "foreign", "aborted", "beyond"))
    moved = counts.get("reordered", 0) + counts.get("altered", 0)
    assert matched + moved + lost == len(left)
    assert matched + moved + extra == len(right)
    assert sum(counts.values()) > 0


def test_one_lost_is_named_with_its_offset():
    result, counts = compare(Memory(BASE), Memory(BASE[:33] + BASE[34:]))
    assert counts == {"missing": 1}
    assert [(one["kind"], one["source_offset"], one["timestamp"], one["count"]) for one in result["differences"]] == [
        ("missing", 33, 1033, 1)
    ]


def test_a_far_duplicate_is_found_by_scanning():
    dummy, counts = compare(Memory(BASE), Memory(BASE[:50] + BASE[3:5] + BASE[50:]))
    assert counts == {"duplicated": 2}


def test_a_loss_beside_a_far_duplicate_is_not_read_as_altered():
    same = [row(number, time=5, key=None) for number in range(60)]
    dummy, counts = compare(Memory(same), Memory([*same[:50], same[2], *same[51:]]))
    assert counts == {"missing": 1, "duplicated": 1}


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"value": b"x"}, "value"),
        ({"key": b"x"}, "key"),
        ({"time": 9}, "timestamp"),
        ({"headers": [("a", b"b")]}, "headers"),
        ({"key": b"x", "value": b"y"}, "key,value"),
    ],
)
def test_altered_names_the_field(changed, field):
    result, counts = compare(Memory(BASE), Memory([*BASE[:20], row(20, **changed), *BASE[21:]]))
    assert counts == {"altered": 1}
    assert (result["differences"][0]["field"], result["differences"][0]["source_offset"]) == (field, 20)


def test_beyond_is_what_the_source_got_later():
    dummy, counts = compare(Memory(BASE, high=50), Memory(BASE))
    assert counts == {"beyond": 10}


def test_what_the_source_never_had_is_foreign_also_at_the_tail():
    dummy, counts = compare(Memory(BASE), Memory([*BASE, row(99)]))
    assert counts == {"foreign": 1}


def test_uncommitted_at_the_source_is_aborted():
    dummy, counts = compare(Memory(BASE, uncommitted=[30, 31]), Memory(BASE))
    assert counts == {"aborted": 2}


def test_what_a_transaction_hides_that_is_open_at_the_source_is_beyond_its_bound():
    source = Memory([*BASE, row(900), row(901)], high=len(BASE), stable=len(BASE))
    dummy, counts = compare(source, Memory([*BASE, row(900), row(901)]))
    assert counts == {"beyond": 2}
    # What was aborted beyond the bound meanwhile is no stranger either.
    source = Memory([*BASE, row(900), row(901)], high=len(BASE), uncommitted=[len(BASE)])
    dummy, counts = compare(source, Memory([*BASE, row(900)]))
    assert counts == {"aborted": 1}


def test_head_needs_age_and_a_moved_log_start():
    for started, excused in ((0, 0), (5, 5)):
        result, counts = compare(
            Memory(BASE), Memory(BASE[5:]), head={"retention_ms": 100, "at": 1105, "deleted": started}
        )
        assert (counts, result["excused_head"]) == ({"missing_head": 5}, excused)


@pytest.mark.parametrize(
    ("retention", "young"), [(None, 5), (100, 2), (10000, 5), (1, 0)], ids=["no limit", "some", "long", "short"]
)
def test_what_lies_before_the_sources_log_start_is_told_by_its_age(retention, young):
    """Times are from 1000 on, one a millisecond."""
    head = {"retention_ms": retention, "at": 1103, "deleted": 0}
    result, counts = compare(Memory(BASE[5:]), Memory(BASE), source_started=5, head=head)
    assert (counts, result["young_beyond"]) == ({"beyond": 5}, young)


def test_of_a_record_without_a_time_nobody_knows_whether_it_has_expired():
    head = {"retention_ms": 100, "at": 10**6, "deleted": 0}
    timeless = [row(number, time=-1) for number in range(5)]
    result, counts = compare(Memory(BASE[5:]), Memory([*timeless, *BASE[5:]]), source_started=5, head=head)
    assert (counts, result["young_beyond"]) == ({"beyond": 5}, 5)


def test_a_long_missing_tail_is_not_read(monkeypatch):
    side = Memory([row(number) for number in range(400)])
    read = []
    monkeypatch.setattr(
        side, "records", lambda *words, **more: read.append(words) or Memory.records(side, *words, **more)
    )
    monkeypatch.setattr(stretches, "MOST", 50)
    result, counts = compare(side, Memory([]), limit=5)
    assert counts == {"missing_tail": 400}
    assert result["differences"][0]["count"] == 400
    assert all(high - low <= 400 for words in read for low, high in words[2])


def test_too_much_to_hold_is_counted(monkeypatch):
    monkeypatch.setattr(stretches, "MOST", 5)
    result, counts = compare(Memory(BASE), Memory([row(number + 1000) for number in range(58)]))
    assert (result["unnamed"] and counts == {"altered": 58, "missing": 2}) or sum(counts.values()) == 60


def test_records_that_went_away_between_the_passes_are_not_called_lost():
    from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import NotProvableError

    source = Memory(BASE)
    source.chunks()
    target = Memory(BASE[:20] + BASE[21:])
    kept = source.chunks().to_bytes()
    source.rows = source.rows[30:]
    with pytest.raises(NotProvableError, match="changed while it was compared"):
        compare(source, target, source_chunks=kept)


def test_columns_survive():
    assert np.array_equal(Memory(BASE)._between(0, 5).offset, np.arange(5))
