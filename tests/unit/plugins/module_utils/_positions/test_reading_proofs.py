# SPDX-License-Identifier: GPL-3.0-or-later
"""A proof's report as evidence."""

from __future__ import annotations

import json

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import FormatError, UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.proof_map import read_proof


def report(path, compared=True, **counts):
    runs = [{"source_offset": 0, "target_offset": 0, "count": 5}, {"source_offset": 7, "target_offset": 6, "count": 3}]
    partition = {"partition": 2, "source_range": [0, 12], "target_range": [0, 10], "offset_map": runs, **counts}
    topic = {
        "topic": "items",
        "source_topic_id": "one",
        "target_topic_id": "other",
        "timestamps_compared": compared,
        "partitions": [partition, {"partition": 3, "offset_map": []}],
    }
    path.write_text(json.dumps({"topics": [topic]}))
    return str(path)


def test_runs_become_a_map(tmp_path):
    maps = read_proof(report(tmp_path / "report.json", duplicated=0))
    assert list(maps) == [("items", 2)]
    assert [maps["items", 2].copy_at(position) for position in (0, 4, 5, 7, 9, 10, 12)] == [0, 4, 6, 6, 8, None, None]
    assert list(maps["items", 2].pairs()) == [(0, 0), (4, 4), (7, 6), (9, 8)] and maps["items", 2].one_to_one
    assert maps["items", 2].ids == ("one", "other")


@pytest.mark.parametrize("found", ["duplicated", "reordered", "foreign", "altered", "aborted"])
def test_what_was_found_spoils_the_map(tmp_path, found):
    assert not read_proof(report(tmp_path / "report.json", **{found: 1}))["items", 2].one_to_one


@pytest.mark.parametrize("found", ["missing_head", "missing_tail", "missing", "lost", "beyond"])
def test_where_content_alone_was_compared_and_one_side_has_more_there_is_no_map(tmp_path, found):
    path = report(tmp_path / "report.json", compared=False, **{found: 1})
    assert read_proof(path) == {}
    assert read_proof(report(tmp_path / "report.json", **{found: 1}))["items", 2].one_to_one
    assert read_proof(report(tmp_path / "report.json", compared=False))["items", 2].one_to_one


def test_what_is_no_report_is_refused(tmp_path):
    with pytest.raises(UsageError, match="cannot be read"):
        read_proof(str(tmp_path / "none.json"))
    for text in ("{", "{}", '{"topics":[{"topic":"t","partitions":[{"partition":0,"offset_map":[{}]}]}]}'):
        (tmp_path / "bad.json").write_text(text)
        with pytest.raises(FormatError):
            read_proof(str(tmp_path / "bad.json"))
