# SPDX-License-Identifier: GPL-3.0-or-later
"""A manifest beside a watch takes back nothing that the watch knows; nor does an offset that nobody has."""

from __future__ import annotations

import time

import pytest
from confluent_kafka.admin import AdminClient, NewPartitions

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import portion
from tests.real.proof.support import create, drop, some
from tests.support.sides import saved

from .test_closing import ROWS, begun, closed, only, rewrite
from .watching import Watching, side

pytestmark = pytest.mark.real


def now():
    return int(time.time() * 1000)


def with_manifest(pair, name, tmp_path, copies):
    """A watch that has read all rows, of which a manifest has the first 500."""
    for cluster in pair.values():
        create(cluster, {name: (1, {})})
    watching = Watching(pair, name)
    for where in pair:
        watching.write(where, ROWS[:500])
    manifest = saved(side(pair["source"], "source"), name, str(tmp_path))
    watching.write("source", ROWS[500:])
    watching.write("target", copies)
    return watching, manifest, watching.rounds()


def test_a_loss_that_the_watch_named_beyond_its_end_stays_one(pair, tmp_path):
    name = "w.beside.loss"
    watching, manifest, state = with_manifest(pair, name, tmp_path, [*ROWS[500:700], *ROWS[701:]])
    state.partitions[name, 0].stopped = "the source's log start passed what was read, behind a difference"
    rewrite(watching, state)
    bounds = {"mirrored_through": {name: {"0": 2000}}, "target": {name: {"0": 1999}}}
    alone = closed(watching, bounds, pattern=name, seen_at=now())
    beside = closed(watching, bounds, pattern=name, seen_at=now(), manifest=manifest)
    assert alone["verdict"] == beside["verdict"] == "LOSS"
    missing = [row["source_offset"] for row in only(beside)["differences"] if row["kind"] == "missing"]
    assert missing == [700], only(beside)["differences"]


def test_a_difference_before_its_end_is_judged_by_it_alone(pair, tmp_path):
    """Who repaired the copy shows it so."""
    name = "w.beside.before"
    for cluster in pair.values():
        create(cluster, {name: (1, {})})
    watching = Watching(pair, name)
    watching.write("source", ROWS)
    watching.write("target", [*ROWS[:300], *ROWS[301:]])
    watching.rounds()
    manifest = saved(side(pair["source"], "source"), name, str(tmp_path))
    drop(pair["target"], [name])
    create(pair["target"], {name: (1, {})})
    watching.write("target", ROWS)
    bounds = {"mirrored_through": {name: {"0": 2000}}, "target": {name: {"0": 2000}}}
    assert closed(watching, bounds, pattern=name, seen_at=now())["verdict"] == "LOSS"
    report = closed(watching, bounds, pattern=name, seen_at=now(), manifest=manifest)
    assert report["verdict"] == "PROVEN", report["reasons"]


def test_records_that_the_watch_had_read_beyond_its_end_are_not_taken_for_shown(pair, tmp_path):
    name = "w.beside.cut"
    watching, manifest, dummy = with_manifest(pair, name, tmp_path, ROWS[500:])
    drop(pair["target"], [name])
    create(pair["target"], {name: (1, {})})
    watching.write("target", ROWS[:1500])
    bounds = {"mirrored_through": {name: {"0": 2000}}, "target": {name: {"0": 1500}}}
    report = closed(watching, bounds, pattern=name, seen_at=now(), manifest=manifest)
    assert report["verdict"] == "NOT_PROVABLE"
    (reason,) = [
        reason for reason in only(report)["reasons"] if reason.startswith("the manifest ends at 500, the watch")
    ]
    assert "had read up to 2000" in reason and "was made again" in reason


@pytest.mark.parametrize("through", ["topic", "nothing", None])
def test_a_watch_that_was_behind_is_told_where_nobody_knows_how_far_the_mirror_came(pair, monkeypatch, through):
    name = f"w.beside.behind.{through}"
    watching = begun(pair, name, 2000)
    more = some(500, "later", headers=())
    watching.write("source", more)
    watching.write("target", [*more[:200], *more[300:]])
    monkeypatch.setattr(portion, "BATCH", 100)
    watching.watch.round()
    known = {name: {}} if through == "topic" else {}
    bounds = None if through is None else {"mirrored_through": known, "target": {name: {"0": 2400}}}
    report = closed(watching, bounds, seen_at=now())
    assert report["verdict"] == "NOT_PROVABLE" and "the watch was behind" in " ".join(only(report)["reasons"])


def test_so_is_one_that_was_silent(pair):
    name = "w.beside.silent"
    watching = begun(pair, name, 2000)
    watching.write("source", some(300, "later", headers=()))
    bounds = {"mirrored_through": {name: {}}, "target": {name: {"0": 2000}}}
    report = closed(watching, bounds, seen_at=now() + 3_600_000)
    assert report["verdict"] == "NOT_PROVABLE" and "before the source was seen last" in " ".join(
        only(report)["reasons"]
    )


def made_again(pair, name, tmp_path, partitions=1):
    """A watch that followed 1000 rows of each partition, a manifest of them, and another topic by the name since."""
    for cluster in pair.values():
        create(cluster, {name: (partitions, {})})
    watching = Watching(pair, name)
    for number in range(partitions):
        for where in pair:
            watching.write(where, some(1000, f"former {number}", partition=number, headers=()))
    watching.rounds()
    manifest = saved(side(pair["source"], "source"), name, str(tmp_path))
    drop(pair["source"], [name])
    create(pair["source"], {name: (1, {})})
    rows = some(600, "later", headers=())
    watching.write("source", rows)
    return watching, manifest, rows


def test_the_offset_of_a_topic_that_was_made_again_bounds_nothing_of_the_former_one(pair, tmp_path):
    name = "w.beside.fewer"
    watching, manifest, rows = made_again(pair, name, tmp_path, 2)
    watching.write("target", [*rows[:200], *rows[300:]])
    watching.rounds(lambda state: name in state.not_watched, 100)
    bounds = {"mirrored_through": {name: {"0": 600}}, "target": {name: {"0": 1500, "1": 1000}}}
    report = closed(watching, bounds, pattern=name, seen_at=now(), manifest=manifest)
    assert report["verdict"] == "NOT_PROVABLE", report
    assert "was made again on the source" in str(watching.state().partitions[name, 1].stopped)


def test_what_differs_in_a_topic_that_was_made_again_is_not_judged_by_a_manifest_of_the_former_one(pair, tmp_path):
    name = "w.beside.again"
    watching, manifest, rows = made_again(pair, name, tmp_path)
    watching.write("target", [*rows[100:300], *rows[310:]])
    watching.rounds(lambda state: state.partitions[name, 0].read == 600 and state.standing_differences(), 100)
    bounds = {"mirrored_through": {name: {"0": 600}}, "target": {name: {"0": 1490}}}
    report = closed(watching, bounds, pattern=name, seen_at=now(), manifest=manifest)
    assert report["verdict"] == "LOSS", report
    assert "another topic by this name" in " ".join(only(report)["reasons"])


def gone_from_the_source(pair, name, tmp_path):
    """A topic that a manifest has in part, that the watch has proven whole, and that its owner deleted."""
    live = f"{name}.live"
    for cluster in pair.values():
        create(cluster, {name: (1, {}), live: (1, {})})
    watching = Watching(pair, name)
    for where in pair:
        watching.write(where, ROWS[:500])
        watching.write(where, ROWS[:500], live)
    manifest = saved(side(pair["source"], "source"), f"{name}.*", str(tmp_path))
    for where in pair:
        watching.write(where, ROWS[500:])
    watching.rounds()
    drop(pair["source"], [name])
    watching.rounds(lambda state: name in state.not_watched, 100)
    return watching, manifest, {"mirrored_through": {name: {"0": 2000}, live: {"0": 500}}}


def test_what_its_owner_deleted_on_both_sides_is_no_loss(pair, tmp_path):
    name = "w.beside.both"
    watching, manifest, bounds = gone_from_the_source(pair, name, tmp_path)
    drop(pair["target"], [name])
    report = closed(watching, {**bounds, "target": {f"{name}.live": {"0": 500}}}, seen_at=now(), manifest=manifest)
    assert report["verdict"] == "PROVEN", report
    assert f"{name}: neither side has it any more, and it is not judged" in report["reasons"]


@pytest.mark.parametrize("cut", [False, True])
def test_the_copy_of_a_topic_that_was_deleted_in_the_source_stays_proven_while_it_is_whole(pair, tmp_path, cut):
    """MirrorMaker 2 deletes no copy, and no later manifest has what was deleted."""
    name = f"w.beside.gone.{'cut' if cut else 'whole'}"
    watching, manifest, bounds = gone_from_the_source(pair, name, tmp_path)
    ends = {name: {"0": 2000}, f"{name}.live": {"0": 500}}
    if cut:
        drop(pair["target"], [name])
        create(pair["target"], {name: (1, {})})
        watching.write("target", ROWS[:1000])
        ends[name]["0"] = 1000
    report = closed(watching, {**bounds, "target": ends}, seen_at=now(), manifest=manifest)
    assert report["verdict"] == ("NOT_PROVABLE" if cut else "PROVEN"), report


def test_a_partition_that_a_manifest_lacks_is_not_passed_over(pair, tmp_path):
    name = "w.beside.added"
    for cluster in pair.values():
        create(cluster, {name: (1, {})})
    watching = Watching(pair, name)
    for where in pair:
        watching.write(where, ROWS[:500])
    manifest = saved(side(pair["source"], "source"), name, str(tmp_path))
    for cluster in pair.values():
        admin = AdminClient(cluster.client)
        admin.create_partitions([NewPartitions(name, 2)])[name].result(30)
    rows = some(500, "added", partition=1, headers=())
    watching.write("source", rows)
    watching.write("target", [*rows[:200], *rows[300:]])
    place = (name, 1)
    watching.rounds(lambda state: place in state.partitions and state.partitions[place].read == 500, 100)
    drop(pair["target"], [name])
    create(pair["target"], {name: (2, {})})
    watching.write("target", ROWS[:500])
    report = closed(watching, pattern=name, seen_at=now(), manifest=manifest)
    assert report["verdict"] == "LOSS", report


def test_a_run_of_missing_records_across_its_end_counts(pair, tmp_path):
    name = "w.beside.across"
    for cluster in pair.values():
        create(cluster, {name: (1, {})})
    watching = Watching(pair, name)
    watching.write("source", ROWS[:500])
    watching.write("target", ROWS[:400])
    manifest = saved(side(pair["source"], "source"), name, str(tmp_path))
    watching.write("source", ROWS[500:])
    watching.write("target", ROWS[600:])
    state = watching.rounds()
    state.partitions[name, 0].stopped = "the source's log start passed what was read, behind a difference"
    rewrite(watching, state)
    bounds = {"mirrored_through": {name: {"0": 400}}, "target": {name: {"0": 1800}}}
    assert closed(watching, bounds, pattern=name, seen_at=now(), manifest=manifest)["verdict"] == "LOSS"


def test_a_strange_record_of_a_former_copy_is_none_of_the_one_that_was_made_again(pair, tmp_path):
    name = "w.beside.strange"
    for cluster in pair.values():
        create(cluster, {name: (1, {})})
    watching = Watching(pair, name)
    watching.write("source", ROWS)
    watching.write("target", [*ROWS[:300], *some(1, "strange", headers=()), *ROWS[300:]])
    watching.rounds()
    manifest = saved(side(pair["source"], "source"), name, str(tmp_path))
    drop(pair["target"], [name])
    create(pair["target"], {name: (1, {})})
    watching.write("target", ROWS)
    bounds = {"mirrored_through": {name: {"0": 2000}}, "target": {name: {"0": 2000}}}
    report = closed(watching, bounds, pattern=name, seen_at=now(), manifest=manifest)
    assert report["verdict"] == "PROVEN", report
