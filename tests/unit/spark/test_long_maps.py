# SPDX-License-Identifier: GPL-3.0-or-later
"""A map of offsets with a row for each transaction is written whole, and never held as dictionaries."""

from __future__ import annotations

import json
import tracemalloc

import numpy as np
import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.offset_rows import OffsetRows
from kafka_dr_spark.settings import write_json


def rows(count):
    at = np.arange(count, dtype=np.int64)
    return np.stack([at * 4, at * 5, np.full(count, 4)], axis=1)


def test_all_rows_are_written(tmp_path):
    write_json(
        str(tmp_path / "report.json"), {"topics": [{"offset_map": OffsetRows(rows(25001)), "empty": OffsetRows([])}]}
    )
    (topic,) = json.loads((tmp_path / "report.json").read_text())["topics"]
    assert topic["empty"] == [] and len(topic["offset_map"]) == 25001
    assert topic["offset_map"][25000] == {"source_offset": 100000, "target_offset": 125000, "count": 4}
    assert topic["offset_map"] == list(OffsetRows(rows(25001)))


def test_they_are_never_all_in_memory_as_dictionaries(tmp_path):
    found = OffsetRows(rows(100000))
    tracemalloc.start()
    try:
        write_json(str(tmp_path / "report.json"), {"offset_map": found})
        dummy, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 8_000_000
    assert (tmp_path / "report.json").read_text().count("source_offset") == 100000


def test_it_is_a_sequence_of_rows():
    found = OffsetRows([[0, 0, 3], [5, 3, 2]])
    assert len(found) == 2 and found and not OffsetRows([])
    assert found[1] == {"source_offset": 5, "target_offset": 3, "count": 2} == found[-1]
    assert found[:1] == [{"source_offset": 0, "target_offset": 0, "count": 3}]
    assert found == list(found) and found != list(found)[:1]


def test_nothing_else_slips_into_a_report(tmp_path):
    with pytest.raises(TypeError, match="set has no JSON"):
        write_json(str(tmp_path / "report.json"), {"names": {"a"}})
