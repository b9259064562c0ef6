# SPDX-License-Identifier: GPL-3.0-or-later
"""What groups processed in both regions, told from their positions in each."""

from __future__ import annotations

import json

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import FormatError, UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.plan import plan_result
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.reprocessed import (
    Aligned,
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
