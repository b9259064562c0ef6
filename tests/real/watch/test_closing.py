# SPDX-License-Identifier: GPL-3.0-or-later
"""The proof after a loss, by what the watch kept: what it confirms stands, what it does not stand for is named."""

from __future__ import annotations

import time

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import NotProvableError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.comparison import Options
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.worker import InProcess
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import portion, rows
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.closing import Closing, Wanted
from tests.real.proof.support import create, drop, some
from tests.support.sides import saved

from .watching import Watching, side, watch_of

pytestmark = pytest.mark.real

ROWS = some(2000, headers=())
COMPACTED = {"cleanup.policy": "compact"}


def closed(watching, bounds=None, pattern=None, **wanted):
    """The report of a proof by the open windows, of which the source is not asked."""
    return Closing(
        side(watching.pair["target"], "target"),
        Wanted(watching.name, **wanted),
        Options(pattern or f"{watching.name}.*", bounds=bounds),
    ).run(InProcess())


def begun(pair, topic, first, config=None, partitions=1):
    """A watch of a topic whose source has all rows and whose target has the first."""
    watching = watch_of(pair, topic, partitions, config)
    watching.write("source", ROWS)
    watching.write("target", ROWS[:first])
    watching.rounds()
    return watching


def only(report):
    (topic,) = report["topics"]
    (part,) = topic["partitions"]
    return part


def test_what_is_confirmed_stands_and_what_is_open_is_compared(pair):
    watching = begun(pair, "w.close.open", 1500)
    watching.write("target", ROWS[1500:])
    report = closed(watching)
    assert report["verdict"] == "PROVEN", report["reasons"]
    part = only(report)
    assert part["records_source"] == 501, "more was compared than is open"
    assert part["proven_before"] == 1500 and part["proven_through"] == [1500, 1500]
    watch = report["watch"]
    assert (watch["used"], watch["proven_records"], watch["open_records"], watch["left_out"]) == (True, 1500, 500, [])


def test_each_lost_record_is_named_by_offset_digest_and_timestamp(pair):
    watching = begun(pair, "w.close.lost", 1500)
    watching.write("target", ROWS[1500:1990])
    bounds = {"mirrored_through": {watching.name: {"0": 1600}}, "target": {watching.name: {"0": 1990}}}
    report = closed(watching, bounds)
    part = only(report)
    assert report["verdict"] == "PROVEN" and part["lost"] == 10, report["reasons"]
    assert [row[0] for row in part["lost_records"]] == list(range(1990, 2000))
    assert [row[2] for row in part["lost_records"]] == [row.timestamp for row in ROWS[1990:]]
    assert len({row[1] for row in part["lost_records"]}) == 10 and part["lost_records_left_out"] == 0


def test_a_record_that_the_mirror_had_copied_is_a_loss(pair):
    watching = begun(pair, "w.close.gone", 1500)
    watching.write("target", ROWS[1500:1700])
    report = closed(watching, {"mirrored_through": {watching.name: {"0": 1800}}})
    assert report["verdict"] == "LOSS" and only(report)["missing_tail"] == 100


def test_what_the_mirror_copied_after_the_last_round_is_counted_and_not_proven(pair):
    watching = begun(pair, "w.close.unread", 2000)
    more = some(50, "later", headers=())
    watching.write("source", more)
    watching.write("target", more)
    report = closed(watching, {"mirrored_through": {watching.name: {"0": 2050}}})
    assert only(report)["beyond"] == 50 and report["watch"]["not_compared"] == 50
    assert any("50 offsets from 2000 on" in reason for reason in report["reasons"]), report["reasons"]


def test_what_the_watch_had_seen_and_not_read_is_no_tail_of_its_last_seconds(pair, monkeypatch):
    """It was behind, as after an outage or at its limit of bytes a second, and its rounds ended in time."""
    watching = begun(pair, "w.close.behind", 2000)
    more = some(500, "later", headers=())
    for where, records in (("source", more), ("target", [*more[:200], *more[300:]])):
        watching.write(where, records)
    monkeypatch.setattr(portion, "BATCH", 100)
    watching.watch.round()
    bounds = {"mirrored_through": {watching.name: {"0": 2500}}}
    report = closed(watching, bounds, seen_at=int(time.time() * 1000))
    assert report["verdict"] == "NOT_PROVABLE", report["reasons"]
    assert any("in its last round it had seen 400 offsets that" in reason for reason in report["reasons"])


def test_what_the_watch_found_before_is_a_difference_now(pair):
    watching = begun(pair, "w.close.hole", 0)
    watching.write("target", [*ROWS[:700], *ROWS[701:]])
    watching.rounds()
    report = closed(watching)
    part = only(report)
    assert report["verdict"] == "LOSS" and part["missing"] == 1
    assert [(row["kind"], row["source_offset"]) for row in part["differences"]] == [("missing", 700)]


def beside_a_table(pair, topic):
    """A watch of a topic that is whole, and of a compacted one, which it leaves out."""
    for cluster in pair.values():
        create(cluster, {f"{topic}.c": (1, COMPACTED)})
    watching = begun(pair, topic, 2000)
    for where in pair:
        watching.write(where, ROWS[:20], f"{topic}.c")
    return watching


def test_a_compacted_topic_is_named_and_not_proven(pair):
    topic = "w.close.table"
    watching = beside_a_table(pair, topic)
    report = closed(watching)
    verdicts = {row["topic"]: row["verdict"] for row in report["topics"]}
    assert verdicts == {topic: "PROVEN", f"{topic}.c": "NOT_PROVABLE"}
    assert report["verdict"] == "NOT_PROVABLE" and "compacted" in " ".join(report["reasons"])
    assert [row["topic"] for row in report["watch"]["left_out"]] == [f"{topic}.c"]


def test_a_manifest_stands_in_for_what_the_watch_leaves_out(pair, tmp_path):
    topic = "w.close.both"
    watching = beside_a_table(pair, topic)
    manifest = saved(side(pair["source"], "source"), f"{topic}.*", str(tmp_path))
    report = closed(watching, manifest=manifest)
    assert {row["verdict"] for row in report["topics"]} == {"PROVEN"}
    assert report["verdict"] == "PROVEN" and report["watch"]["by_manifest"] == [f"{topic}.c"]


def test_a_manifest_tells_of_a_topic_that_only_it_knows(pair, tmp_path):
    watching = begun(pair, "w.close.only", 2000)
    create(pair["source"], {"w.close.only.x": (1, {})})
    watching.write("source", ROWS[:20], "w.close.only.x")
    manifest = saved(side(pair["source"], "source"), "w.close.only.*", str(tmp_path))
    report = closed(watching, manifest=manifest)
    assert report["verdict"] == "LOSS", report["reasons"]


def test_a_topic_that_the_mirror_copied_and_the_watch_never_read_is_named(pair):
    watching = begun(pair, "w.close.new", 2000)
    create(pair["target"], {"w.close.new.later": (1, {})})
    watching.write("target", ROWS[:5], "w.close.new.later")
    for bounds in (None, {"mirrored_through": {"w.close.new.later": {"0": 5}}}):
        report = closed(watching, bounds)
        assert {row["topic"]: row["verdict"] for row in report["topics"]}["w.close.new.later"] == "NOT_PROVABLE"
        assert report["verdict"] == "NOT_PROVABLE"


def test_what_is_created_in_the_target_after_the_move_says_nothing(pair):
    watching = begun(pair, "w.close.used", 2000)
    create(pair["target"], {"w.close.used.own": (1, {})})
    watching.write("target", ROWS[:5], "w.close.used.own")
    watching.write("target", ROWS[:5])
    ends = {watching.name: {"0": 2000}, "w.close.used.own": {"0": 0}}
    report = closed(watching, {"target": ends, "mirrored_through": {watching.name: {"0": 2000}}})
    assert report["verdict"] == "PROVEN", report["reasons"]


def test_a_copy_that_was_made_again_is_not_the_one_that_was_proven(pair):
    watching = begun(pair, "w.close.again", 2000)
    drop(pair["target"], [watching.name])
    create(pair["target"], {watching.name: (1, {})})
    watching.write("target", ROWS)
    report = closed(watching)
    assert report["verdict"] == "NOT_PROVABLE" and "made again" in " ".join(report["reasons"])


@pytest.mark.parametrize(
    ("name", "more"), [("digest", {"digest": 1}), ("epoch", {"epoch": 7}), ("gone", {"offset": 5000})]
)
def test_a_log_that_was_cut_and_written_otherwise_is_not_proven(pair, name, more):
    """The record that was read last is read again: the state names another one than what is there."""
    watching = begun(pair, f"w.close.cut.{name}", 2000)
    assert closed(watching)["verdict"] == "PROVEN"
    state = watching.state()
    part = state.partitions[watching.name, 0]
    part.target_tip = part.target_tip._replace(**more)
    rewrite(watching, state)
    report = closed(watching)
    assert report["verdict"] == "NOT_PROVABLE" and "is gone, or another one" in " ".join(report["reasons"])


def rewrite(watching, state):
    """Write the rows of a state as they were changed."""
    place = (watching.name, 0)
    state.round += 1
    watching.watch.keeper.write(
        [rows.confirmed_row(state.mirror, place, state.partitions[place], state.at), rows.watch_row(state)]
    )


def test_a_fault_of_one_partition_spoils_no_other(pair):
    topic = "w.close.parts"
    watching = watch_of(pair, topic, 2)
    for where in pair:
        watching.write(where, ROWS[:500])
        watching.write(where, some(500, partition=1, headers=()))
    watching.rounds()
    state = watching.state()
    state.partitions[topic, 0].stopped = "its log is another one"
    rewrite(watching, state)
    report = closed(watching)
    (row,) = report["topics"]
    assert [part["verdict"] for part in row["partitions"]] == ["NOT_PROVABLE", "PROVEN"]
    assert "its log is another one" in " ".join(report["reasons"])


def test_a_watch_of_another_source_is_refused(pair):
    watching = begun(pair, "w.close.other", 2000)
    with pytest.raises(NotProvableError, match="another mirror"):
        closed(watching, source_cluster="another")
    with pytest.raises(NotProvableError, match="no state"):
        closed(Watching(pair, "w.close.none"))


def test_a_manifest_stands_in_for_a_watch_that_cannot_be_used(pair, tmp_path):
    watching = begun(pair, "w.close.stand", 2000)
    manifest = saved(side(pair["source"], "source"), watching.name, str(tmp_path))
    report = closed(watching, manifest=manifest, source_cluster="another", pattern=watching.name)
    assert report["verdict"] == "PROVEN" and not report["watch"]["used"]
    assert "cannot be used" in report["reasons"][0]
