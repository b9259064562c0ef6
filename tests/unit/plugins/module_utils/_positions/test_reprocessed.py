# SPDX-License-Identifier: GPL-3.0-or-later
"""What groups processed in both regions, told from their positions in each."""

from __future__ import annotations

import json

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import FormatError, UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.plan import plan_result
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.reprocessed import (
    Aligned,
    Written,
    compare,
    read_maps,
)

# The copy lacks the source's offsets 10 and 11, and holds something of its own at 20.
MAPS = {("orders", 0): Aligned("copies.orders", [(0, 0, 10), (12, 10, 10), (22, 21, 9)])}
SOURCE, TARGET = ("orders", 0), ("copies.orders", 0)


@pytest.mark.parametrize(
    ("stood", "went_on", "expected"),
    [
        (10, 4, (4, 9, 6, False)),
        (4, 4, None),
        (4, 10, None),
        (12, 10, None),
        (13, 10, (10, 10, 1, False)),
        (25, 5, (5, 23, 18, False)),
        (31, 0, (0, 29, 29, False)),
        (99, 28, (28, 29, 2, True)),
        (99, 30, None),
    ],
)
def test_ranges(stood, went_on, expected):
    ranges, unknown = compare({"g": {SOURCE: stood}}, {"g": {TARGET: went_on}}, MAPS)
    assert not unknown
    told = [(one["first"], one["last"], one["records"], one["clipped"]) for one in ranges]
    assert told == ([expected] if expected else [])
    assert all((one["group"], one["topic"], one["partition"]) == ("g", "copies.orders", 0) for one in ranges)


# A salvage wrote the source's offsets 31 to 34 and 40 to 45 behind what applications had written there.
RUNS = [(31, 50, 4), (40, 54, 2), (42, 57, 4)]


@pytest.mark.parametrize(
    ("stood", "expected"),
    [
        (31, []),
        (33, [(50, 51, 2)]),
        (40, [(50, 53, 4)]),
        (43, [(50, 55, 6), (57, 57, 1)]),
        (99, [(50, 55, 6), (57, 60, 4)]),
    ],
)
@pytest.mark.parametrize(("action", "place"), [("replay", "copies.orders"), ("side_topic", "copies.orders.salvaged")])
def test_what_a_salvage_wrote_again(stood, expected, action, place):
    maps = {SOURCE: MAPS[SOURCE]._replace(written=Written(action, place, RUNS))}
    for went_on in ({"g": {TARGET: 30}}, {}):
        ranges, unknown = compare({"g": {SOURCE: stood}}, went_on, maps)
        assert [(one["first"], one["last"], one["records"]) for one in ranges] == expected
        assert {(one["cause"], one["topic"], one["source_topic"]) for one in ranges} <= {(action, place, "orders")}
        assert all((one["went_on"], one["clipped"]) == (30 if went_on else None, None) for one in ranges)
        assert [one["reason"] for one in unknown] == ([] if went_on else ["where it went on is not known"])


def test_what_was_read_from_before_comes_first():
    maps = {SOURCE: MAPS[SOURCE]._replace(written=Written("replay", "copies.orders", RUNS))}
    ranges, dummy = compare({"a": {SOURCE: 99}, "b": {SOURCE: 99}}, {"a": {TARGET: 28}, "b": {TARGET: 28}}, maps)
    told = [(one["group"], one["cause"]) for one in ranges]
    assert told == [("a", "position"), ("b", "position"), *[("a", "replay")] * 2, *[("b", "replay")] * 2]


def test_what_cannot_be_told_is_named():
    stood = {"new": {SOURCE: 5}, "elsewhere": {("others", 0): 3}}
    went_on = {"gone": {TARGET: 3}, "unread": {("copies.other", 1): 3}}
    ranges, unknown = compare(stood, went_on, MAPS)
    assert not ranges
    assert [(one["group"], one["reason"]) for one in unknown] == [
        ("gone", "it has no position there any more"),
        ("new", "where it went on is not known"),
        ("unread", "it was not aligned"),
    ]


def test_both_reports_have_maps(tmp_path):
    path = tmp_path / "report.json"
    salvage = {"orders": {"target_topic": "copies.orders", "partitions": {"0": {"offset_map": [[0, 0, 3]]}}}}
    run = {"source_offset": 0, "target_offset": 0, "count": 3}
    proof = [
        {"topic": "orders", "target_topic": "copies.orders", "partitions": [{"partition": 0, "offset_map": [run]}]}
    ]
    for topics in (salvage, proof):
        path.write_text(json.dumps({"topics": topics}))
        assert read_maps(str(path)) == {SOURCE: Aligned("copies.orders", [(0, 0, 3)])}
    salvage["orders"] |= {"action": "replay", "written_to": "copies.orders"}
    salvage["orders"]["partitions"]["0"]["written_map"] = [[7, 9, 1], [3, 5, 2]]
    path.write_text(json.dumps({"topics": salvage}))
    written = Written("replay", "copies.orders", [(3, 5, 2), (7, 9, 1)])
    assert read_maps(str(path)) == {SOURCE: Aligned("copies.orders", [(0, 0, 3)], written)}
    for text in ("{", "[]", '{"topics": {"x": {}}}', '{"topics": [1]}'):
        path.write_text(text)
        with pytest.raises(FormatError):
            read_maps(str(path))
    with pytest.raises(UsageError):
        read_maps(str(tmp_path / "none"))


def test_a_translation_tells_where_each_group_goes_on():
    row = {"group": "g", "topic": "orders", "target_topic": "copies.orders", "partition": 0, "to": 7, "from": None}
    row |= {"confidence": "exact_verified", "reprocess_at_most": 0, "unseen_at_most": 0, "position_at": None}
    unknown = {**row, "partition": 1, "to": None, "confidence": "unknown"}
    told = plan_result({"groups": []}, {"g": {}}, {}, [row, unknown], [], {}, {})
    assert told["positions"] == {"g": {"copies.orders": {"0": 7}}}
