# SPDX-License-Identifier: GPL-3.0-or-later
"""The proof of a living source by its watch: the tail is compared, and everything where that would not be the same."""

from __future__ import annotations

import json

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.commits import commit_positions
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.proof_map import read_proof
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof import worker
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.comparison import Options, prepare
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import track
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.tail import Tail
from tests.real.proof.support import Job, create, delete_before, drop, read_back, some

from .watching import Watching, side, watch_of

pytestmark = pytest.mark.real

ROWS = some(2000, headers=())
OTHER = some(100, "other", headers=())


def proven(pair, topic, config=None):
    """A watch that has proven all rows."""
    watching = watch_of(pair, topic, config=config)
    for where in pair:
        watching.write(where, ROWS)
    watching.rounds()
    return watching


def marked(pair, topic):
    """A watch of a topic with transaction markers between its records, that has proven the first 60."""
    watching = watch_of(pair, topic)
    for begin in range(0, 60, 6):
        watching.write("source", ROWS[begin : begin + 6], transactional=True)
    watching.write("target", ROWS[:60])
    watching.rounds()
    return watching


def both(watching, **more):
    """The report by the watch, and the whole proof's verdict and counts of its partition."""
    specs = side(watching.pair["source"], "source"), side(watching.pair["target"], "target")
    options = Options(f"{watching.name}.*", wait_seconds=0, **more)
    found = Tail(*specs, watching.name, options).run(worker.InProcess())
    return found, prepare(*specs, options).run(worker.InProcess())


def only(report):
    (topic,) = report["topics"]
    (part,) = topic["partitions"]
    return part


def counts(report):
    return {kind: count for kind, count in report["totals"].items() if count and not kind.startswith(("rec", "bytes"))}


def test_only_what_follows_is_read_and_the_map_is_whole(pair, tmp_path):
    watching = proven(pair, "w.tail.whole")
    for where in pair:
        watching.write(where, OTHER)
    report, whole = both(watching)
    assert report["verdict"] == whole["verdict"] == "PROVEN"
    part = only(report)
    assert part["records_source"] == 101 and part["proven_before"] == 2000
    assert report["watch"]["used"] and report["watch"]["proven_records"] == 2000
    assert list(part["offset_map"]) == list(only(whole)["offset_map"])
    assert part["source_range"] == only(whole)["source_range"] and part["target_range"] == only(whole)["target_range"]


def test_its_map_leads_to_equal_records_with_markers_between(pair, tmp_path):
    topic = "w.tail.marked"
    watching = marked(pair, topic)
    watching.write("source", ROWS[60:80], transactional=True)
    watching.write("target", ROWS[60:80])
    job = Job(tmp_path, pair["source"], pair["target"])
    code, told, errors = job.run(job.words(topic, "--watch", topic))
    assert code == 0 and told.startswith("PROVEN"), errors
    report = json.loads(job.report_path.read_text())
    assert report["watch"]["used"] and report["engine"] == {"name": "in-process"}
    held = {where: read_back(pair[where], [(topic, 0)])[topic, 0] for where in pair}
    known = read_proof(str(job.report_path))[topic, 0]
    for position in range(max(held["source"]) + 1):
        after = [offset for offset in held["source"] if offset >= position]
        if after and known.source_range[0] <= position:
            assert held["target"][known.copy_at(position)] == held["source"][min(after)]


@pytest.mark.parametrize(
    ("name", "source", "target"),
    [
        ("lost", OTHER, OTHER[:-1]),
        ("hole", OTHER, [*OTHER[:5], *OTHER[6:]]),
        ("swap", OTHER, [OTHER[1], OTHER[0], *OTHER[2:]]),
        ("strange", [], OTHER[:3]),
        ("copies", OTHER, [*ROWS[:20], *OTHER]),
        ("altered", OTHER, [OTHER[0].but(value=b"x"), *OTHER[1:]]),
    ],
)
def test_whatever_is_not_equal_is_judged_as_a_whole(pair, name, source, target):
    watching = proven(pair, f"w.tail.{name}")
    watching.write("source", source)
    watching.write("target", target)
    report, whole = both(watching)
    assert whole["verdict"] != "PROVEN"
    assert (report["verdict"], counts(report)) == (whole["verdict"], counts(whole))
    assert only(report)["records_source"] == only(whole)["records_source"]
    assert only(report)["differences"] == only(whole)["differences"]


@pytest.mark.parametrize(("position", "used"), [(10, False), (50, True)])
def test_a_group_that_is_further_behind_than_the_map_is_not_left_without_one(pair, monkeypatch, position, used):
    monkeypatch.setattr(track, "MAP_RUNS", 4)
    topic = f"w.tail.behind.{position}"
    watching = marked(pair, topic)
    commit_positions(KafkaClient(pair["source"].client), {f"group.{position}": {(topic, 0): position}})
    report, whole = both(watching)
    assert report["verdict"] == whole["verdict"] == "PROVEN" and report["watch"]["used"] is used
    assert len(only(report)["offset_map"]) == (4 if used else 10)


@pytest.mark.parametrize("where", ["source", "target"])
def test_a_topic_that_was_made_again_is_compared_as_a_whole(pair, where):
    topic = f"w.tail.again.{where}"
    watching = proven(pair, topic)
    drop(pair[where], [topic])
    create(pair[where], {topic: (1, {})})
    watching.write(where, [*ROWS[:700], *ROWS[701:]])
    report, whole = both(watching)
    assert not report["watch"]["used"]
    assert (report["verdict"], counts(report)) == (whole["verdict"], counts(whole)) and report["verdict"] != "PROVEN"


def test_a_log_that_was_cut_is_compared_as_a_whole(pair):
    """The state names a last record that is not there: a log of the same topic id that went back and on."""
    watching = proven(pair, "w.tail.cut")
    state = watching.state()
    tip = state.partitions[watching.name, 0].target_tip
    state.partitions[watching.name, 0].target_tip = tip._replace(digest=tip.digest ^ 1)
    from .test_closing import rewrite

    rewrite(watching, state)
    report, dummy = both(watching)
    assert report["verdict"] == "PROVEN" and not report["watch"]["used"] and only(report)["records_source"] == 2000


def test_what_the_target_held_before_is_judged_as_a_whole(pair):
    topic = "w.tail.older"
    watching = watch_of(pair, topic)
    watching.write("target", OTHER)
    for where in pair:
        watching.write(where, ROWS)
    watching.rounds()
    report, whole = both(watching)
    assert (report["verdict"], counts(report)) == (whole["verdict"], counts(whole)) == ("DIFFERENT", {"foreign": 100})


def test_what_the_target_deleted_is_missing(pair):
    watching = proven(pair, "w.tail.deleted", {"retention.ms": -1})
    delete_before(pair["target"], watching.name, 0, 500)
    report, whole = both(watching)
    assert report["verdict"] == whole["verdict"] == "LOSS" and counts(report) == {"missing_head": 500}


def test_what_both_deleted_is_not_asked_for(pair):
    watching = proven(pair, "w.tail.expired")
    for cluster in pair.values():
        delete_before(cluster, watching.name, 0, 500)
    report, whole = both(watching)
    assert report["verdict"] == whole["verdict"] == "PROVEN"
    assert report["watch"]["used"] and only(report)["records_source"] == 1


def test_a_difference_that_the_watch_found_is_found_again(pair):
    topic = "w.tail.found"
    for cluster in pair.values():
        create(cluster, {topic: (1, {}), f"{topic}.c": (1, {"cleanup.policy": "compact"})})
    watching = Watching(pair, topic)
    watching.write("source", ROWS)
    watching.write("target", [*ROWS[:100], *ROWS[101:]])
    for where in pair:
        watching.write(where, ROWS[:20], f"{topic}.c")
    watching.rounds()
    report, whole = both(watching)
    assert report["verdict"] == whole["verdict"] == "LOSS" and counts(report) == counts(whole) == {"missing": 1}
    assert {row["topic"]: row["verdict"] for row in report["topics"]}[f"{topic}.c"] == "PROVEN"


def test_without_a_watch_everything_is_compared(pair):
    watching = Watching(pair, "w.tail.none")
    for where, cluster in pair.items():
        create(cluster, {watching.name: (1, {})})
        watching.write(where, ROWS)
    report, dummy = both(watching)
    assert report["verdict"] == "PROVEN" and only(report)["records_source"] == 2000
    assert "has no state of the mirror" in report["watch"]["reason"]
