# SPDX-License-Identifier: GPL-3.0-or-later
"""A state comes back as it was written, and nothing else is taken for one."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import FormatError, NotProvableError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import fields, rows
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.reasons import COMPACTED
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.state import (
    Confirmed,
    Difference,
    Tip,
    WatchState,
    Window,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.summary import figures, summarise
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.wholeness import believed

PLACE = ("orders", 3)
BIG = (1 << 64) - 1


def known():
    part = Confirmed("a.orders", "id1", "id2", begins=(5, 0), through=(90, 85), examined=(90, 85), read=120)
    part.anchor = {"source": 89, "target": 84, "digest": BIG, "timestamp": 1000}
    part.source_tip, part.target_tip = Tip(119, 2, BIG), Tip(84, -1, 7)
    part.records, part.waiting, part.oldest_waiting, part.unproven = 85, 30, 4000, 5
    part.map_runs = [[5, 0, 85]]
    window = Window(90, 120, 30, b"r" * 16, b"c" * 240, b"t" * 240, "", "ab")
    found = Difference("orders", 3, 0, "missing", 7, None, 99, None, 2, 123)
    state = WatchState("a-to-b", "A", "B", "orders", began=1, at=5000, round=9, seconds=0.5)
    state.not_watched = {"table": "compacted"}
    state.partitions[PLACE], state.windows[PLACE], state.differences = part, [window], [found]
    return state


def records(state):
    found = [rows.window_row(state.mirror, place, window, state.at) for place in state.windows
             for window in state.windows[place]]  # fmt: skip
    found += [rows.confirmed_row(state.mirror, place, part, state.at) for place, part in state.partitions.items()]
    found += [rows.difference_row(state.mirror, difference, state.at) for difference in state.differences]
    return [(at, *row, None) for at, row in enumerate([*found, rows.watch_row(state)])]


def test_a_state_comes_back_as_it_was():
    state = known()
    assert rows.fold(records(state)) == {"a-to-b": state}


def test_one_record_names_ten_thousand_topics_that_are_not_watched():
    state = known()
    state.not_watched = {f"{'payments' * 8}.{number}": COMPACTED for number in range(10000)}
    name, value = rows.watch_row(state)
    assert rows.fold([(0, name, value, None)])["a-to-b"].not_watched == state.not_watched
    assert len(value) < 1_000_000


def test_a_state_of_a_former_version_is_read():
    state = known()
    former = []
    for offset, name, value, stamped in records(state):
        kept = {key: content for key, content in json.loads(value).items() if key not in fields.LATER}
        if "not_watched" in kept:
            kept["not_watched"] = state.not_watched
        former.append((offset, name, json.dumps(kept).encode(), stamped))
    assert rows.fold(former) == {"a-to-b": state}


def test_a_round_ended_when_the_broker_took_it():
    *before, (offset, name, value, dummy) = records(known())
    assert rows.fold([*before, (offset, name, value, 4321)])["a-to-b"].at == 4321


@pytest.mark.parametrize("seconds", ["NaN", "Infinity", "-1.5", "-1"])
def test_a_round_takes_a_time(seconds):
    *before, (offset, name, value, stamped) = records(known())
    assert b'"seconds":0.5' in value
    wrong = value.replace(b'"seconds":0.5', b'"seconds":' + seconds.encode())
    with pytest.raises(FormatError, match="no watch wrote"):
        rows.fold([*before, (offset, name, wrong, stamped)])


def test_a_null_value_takes_a_record_away():
    state = known()
    gone = [(100, rows.key("window", "a-to-b", "orders", 3, 90), None, None)]
    assert rows.fold([*records(state), *gone])["a-to-b"].windows == {}


def test_what_no_round_ended_is_not_whole():
    with pytest.raises(NotProvableError, match=r"the record that ends a round.*begin the watch anew"):
        believed(rows.fold(records(known())[:-1])["a-to-b"])
    begun = WatchState("a-to-b", "A", "B", "orders", began=1)
    assert believed(rows.fold(records(begun))["a-to-b"]) is None and believed(None) is None


def whole():
    """A state of two partitions, of which one has a difference, and that of a partition that is no more."""
    state = known()
    state.partitions[PLACE].differences, state.kept = 1, 2
    state.partitions["orders", 4] = replace(state.partitions[PLACE], waiting=0, differences=0)
    state.differences.append(replace(state.differences[0], partition=9))
    return state


@pytest.mark.parametrize(
    ("lost", "lacks"),
    [
        (("difference", "orders", 3, 0), "1 differences of orders-3, found 0"),
        (("confirmed", "orders", 3), "records of 2 partitions, found 1"),
        (("confirmed", "orders", 4), "records of 2 partitions, found 1"),
        (("watch",), "the record that ends a round"),
        (("difference", "orders", 9, 0), None),
    ],
)
def test_a_record_that_is_lost_is_no_record_that_says_nothing(lost, lacks):
    state = whole()
    kind, *place = lost
    gone = (100, rows.key(kind, "a-to-b", *place), None, None)
    found = rows.fold([*records(state), gone])["a-to-b"]
    if lacks is None:
        assert believed(found) is found
        return
    with pytest.raises(NotProvableError, match="is not whole") as error:
        believed(found)
    assert lacks in str(error.value) and "--begin-anew" in str(error.value)


def test_a_state_is_whole_in_all_that_it_has():
    assert believed(rows.fold(records(whole()))["a-to-b"]) == whole()


def test_all_that_there_is_of_a_mirror_is_forgotten_also_what_cannot_be_read():
    state = whole()
    strange = [(90, name, b"x", None) for name in (b'["confirmed","a-to-b", 7]', b"x", b'["watch"]', b"[" * 100000)]
    others = [(99, rows.key("watch", "c-to-d"), b"x", None), (100, None, b"x", None)]
    gone = (101, rows.key("difference", "a-to-b", "orders", 9, 0), None, None)
    names = rows.names_of([*records(state), *strange, *others, gone], "a-to-b")
    own = {row[1] for row in records(state)} - {gone[1]}
    assert set(names) == own | {b'["confirmed","a-to-b", 7]'}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (None, b"{}"),
        (b"x", b"{}"),
        (b'["watch"]', b"{}"),
        (b'["confirmed","m","t","0"]', b'{"v":1,"at":1}'),
        (b'["confirmed","m","t",-1]', b'{"v":1,"at":1}'),
        (b'["nothing","m"]', b'{"v":1,"at":1}'),
        (b"[" * 100000, b"{}"),
        (b'["accepted","m","t",0,0]', b"{}"),
    ],
)
def test_what_is_not_of_the_format_is_refused_by_its_key(name, value):
    with pytest.raises(FormatError, match="delete that record") as error:
        rows.fold([(4, name, value, None)])
    assert "at offset 4" in str(error.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (b'["watch","m"]', b"{"),
        (b'["watch","m"]', b'{"v":2,"at":1}'),
        (b'["watch","m"]', b"[" * 100000),
        (b'["watch","m"]', b"[1]"),
        (b'["watch","m"]', b'{"v":1,"at":1,"round":true}'),
        (b'["difference","m","t",0,0]', b"x"),
        (b'["confirmed","m","t",0]', b"x"),
    ],
)
def test_what_stands_in_the_place_of_a_record_of_its_own_is_not_to_be_deleted(name, value):
    with pytest.raises(FormatError, match=r"begin the watch of the mirror 'm' anew.*only where there is no such watch"):
        rows.fold([(4, name, value, None)])


@pytest.mark.parametrize(
    "name",
    [b'"a\\ud800"', b'""', b'" "', b'"a b"', b'"a/b"', b'"a\\u0000"', b'".."', b'"' + b"a" * 250 + b'"', b'"\\u0061"'],
)
def test_what_is_no_topic_has_no_record(name):
    part = rows.confirmed_row("m", PLACE, known().partitions[PLACE], 1)[1]
    with pytest.raises(FormatError, match=r"no watch wrote.*delete that record"):
        rows.fold([(0, b'["confirmed","m",' + name + b",0]", part, None)])
    if len(name) < 250 and b"0061" not in name and name != b'".."':
        with pytest.raises(FormatError, match="no watch wrote"):
            rows.fold([(0, rows.key("confirmed", "m", "t", 0), part.replace(b'"a.orders"', name), None)])


@pytest.mark.parametrize("name", [b'["watch", "m"]', b' ["watch","m"]', b'["confirmed","m","t",%d]' % (1 << 31)])
def test_another_writing_of_a_name_is_no_record_of_its_own(name):
    row = rows.confirmed_row("m", PLACE, known().partitions[PLACE], 1)[1]
    with pytest.raises(FormatError, match="delete that record"):
        rows.fold([(0, name, row if b"confirmed" in name else rows.watch_row(known())[1], None)])


@pytest.mark.parametrize("field", sorted(fields.CONFIRMED | fields.LATER))
def test_each_field_of_a_partition_is_checked(field):
    state = known()
    name, value = rows.confirmed_row("m", PLACE, state.partitions[PLACE], 1)
    for wrong in (1 if field in ("unstamped", "gone") else True, {"x": [1]}, [["a"]]):
        with pytest.raises(FormatError):
            rows.fold([(0, name, json.dumps({**json.loads(value), field: wrong}).encode(), None)])


@pytest.mark.parametrize("text", ["!", "", fields.pack(b"x" * (fields.ARRAY_BYTES + 1)), fields.pack(b"x")[:-8]])
def test_an_array_is_bounded_and_whole(text):
    with pytest.raises((ValueError, rows.zlib.error)):
        fields.unpack(text)


def test_a_summary_counts_what_is_not_proven():
    told = summarise(known(), {PLACE: 130}, 9000)
    assert told["unproven_records"] == 5 + 30 + 10
    assert told["unproven_seconds"] == 5.0
    assert told["age_seconds"] == 4.0
    assert told["proven_through"] == {"orders": {"3": [90, 85]}}
    assert told["topics_not_watched"] == [{"topic": "table", "reason": "compacted"}]
    assert [found["kind"] for found in told["differences"]] == ["missing"]


@pytest.mark.parametrize("now, age, ahead", [(5000, 0, 0), (5000 - 30_000, 0, 0), (5000 - 31_000, None, 31.0)])
def test_a_round_that_ended_in_the_future_says_nothing_of_how_long_ago_it_was(now, age, ahead):
    told = summarise(known(), now_ms=now)
    assert (told["age_seconds"], told["ahead_seconds"]) == (age, ahead)


def test_the_differences_of_former_logs_hold_nothing_up():
    state = known()
    state.partitions[PLACE].since = state.differences[0].found_at + 1
    assert summarise(state, now_ms=9000)["differences"] == [] and figures(state, 9000).differences == 0


def test_behind_a_difference_nothing_is_proven():
    state = known()
    state.partitions[PLACE].examined = (100, 95)
    assert summarise(state, None, 9000)["unproven_records"] == 5 + 30 + 10


def test_an_acceptance_is_of_one_difference_and_no_other():
    state = known()
    (found,) = state.differences
    accepted = (50, *rows.accepted_row(state.mirror, found, "ann", "test", 6), None)
    assert rows.fold([*records(state), accepted])["a-to-b"].differences[0].accepted == {
        "by": "ann",
        "reason": "test",
        "at": 6,
    }
    for changes in ({"count": 3}, {"found_at": 124}, {"kind": "foreign"}, {"source_offset": 8}, {"number": 1}):
        state.differences = [replace(found, **changes)]
        assert rows.fold([*records(state), accepted])["a-to-b"].differences[0].accepted is None
    # Of another mirror.
    state.mirror = "c-to-d"
    state.differences = [found]
    assert rows.fold([*records(state), accepted])["c-to-d"].differences[0].accepted is None


def test_an_accepted_difference_is_none():
    state = known()
    state.differences[0].accepted = {"by": "ann", "reason": "test", "at": 6}
    told = summarise(state, None, 9000)
    assert (told["differences"], told["differences_accepted"]) == ([], 1)
    assert figures(state, 9000).differences == 0


def test_figures_are_by_topic_too():
    found = figures(known(), 9000)
    assert (found.unproven_records, found.proven_age_seconds, found.mirror_lag_records) == (35, 5.0, 30)
    assert found.topics["orders"].differences == 1


@pytest.mark.parametrize("wrong", [[1], "x", 5, None, {"a": 5}, {"a": {"b": 1}}, {"a": [5]}], ids=str)
def test_topics_that_are_not_watched_are_told_by_reason_or_refused(wrong):
    name, value = rows.watch_row(known())
    changed = {**json.loads(value), "not_watched": wrong}
    with pytest.raises(FormatError):
        rows.fold([(0, name, json.dumps(changed).encode(), None)])
