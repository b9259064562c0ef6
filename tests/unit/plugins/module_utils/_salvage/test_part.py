# SPDX-License-Identifier: GPL-3.0-or-later
"""What is known of the records of one partition, and noted beside the files."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._salvage import actions, report, spans
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._salvage.part import Part
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._salvage.progress import Progress


def made_of(action="replay", **runs):
    pair = SimpleNamespace(result=None, source_range=[0, 900])
    choice = SimpleNamespace(expired=7)
    work = SimpleNamespace(topic="orders", topic_id="t", target_topic="orders")
    return Part(pair, action, choice, work, Progress(), **{name: spans.as_runs(pairs) for name, pairs in runs.items()})


def test_each_record_whose_place_is_known_is_accounted_for():
    part = made_of(write=[[0, 5]], export=[[5, 2], [20, 1]], superseded=[[7, 1]], already=[[10, 2]])
    topic_id, runs = part.accounted
    assert (topic_id, runs.tolist()) == ("t", [[0, 8], [10, 2], [20, 1]])


@pytest.mark.parametrize(("action", "offsets"), [("export", [[5, 2], [20, 1]]), (actions.NONE, [])])
def test_what_was_exported_is_noted_by_its_offsets(action, offsets):
    part = report.of_partition(made_of(action, export=[[5, 2], [20, 1]], superseded=[[7, 1]], already=[[10, 2]]))
    assert (part["exported_offsets"], part["superseded"], part["already"], part["expired"]) == (offsets, 1, 2, 7)


def test_they_stand_beside_the_files_and_are_too_long_for_a_summary():
    keys = ("source", "target", "began", "complete", "reasons")
    part = report.of_partition(made_of("export", export=[[5, 2]]))
    whole = {**dict.fromkeys(keys), "topics": {"orders": {"action": "export", "partitions": {"0": part}}}}
    kept, short = (
        topics["orders"]["partitions"]["0"] for topics in (report.for_directory(whole)["topics"], report.short(whole))
    )
    assert kept["exported_offsets"] == [[5, 2]] and "offset_map" not in kept
    assert not {"exported_offsets", "offset_map", "written_map"} & short.keys()


@pytest.mark.parametrize("torn", [[], [[7, 2]]])
def test_a_key_that_is_divided_leaves_nothing_complete(torn):
    part = made_of(write=[[0, 5]], export=[[7, 2]], torn=torn)
    part.written, part.exported = 5, 2
    topic = SimpleNamespace(
        name="orders", source={"topic_id": "t"}, target_name="orders", changed=False, reasons=[], pairs=[part.pair]
    )
    part.pair.topic, part.pair.number, part.pair.reasons, part.choice.reasons = topic, 0, [], []
    comparison = SimpleNamespace(
        topics=[topic],
        hidden=[],
        reasons=[],
        source=SimpleNamespace(name="north"),
        target=SimpleNamespace(name="south"),
    )
    salvage = SimpleNamespace(
        comparison=comparison,
        parts=[part],
        rules=actions.parse([{"topics": ".*", "action": "replay"}]),
        reasons=[],
        files={},
        began=0,
        wanted=SimpleNamespace(out="/out"),
        source=comparison.source,
        target=comparison.target,
    )
    found = report.build(salvage)
    assert found["complete"] is not bool(torn)
    assert len(found["reasons"]) == bool(torn)
    assert all("orders-0: 2 records from offset 7 on are exported" in reason for reason in found["reasons"])
