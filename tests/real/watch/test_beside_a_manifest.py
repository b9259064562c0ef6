# SPDX-License-Identifier: GPL-3.0-or-later
"""A manifest beside a watch takes back nothing that the watch knows; nor does an offset that nobody has."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from confluent_kafka.admin import AdminClient, NewPartitions

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import portion
from tests.real.proof.support import create, drop, some
from tests.support.sides import saved

from .test_closing import ROWS, begun, closed, only, rewrite
from .watching import side, watch_of

pytestmark = pytest.mark.real


def now():
    return int(time.time() * 1000)


def with_manifest(pair, name, tmp_path, copies):
    """A watch that has read all rows, of which a manifest has the first 500."""
    watching = watch_of(pair, name)
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
    watching = watch_of(pair, name)
    watching.write("source", ROWS)
    watching.write("target", [*ROWS[:300], *ROWS[301:]])
    watching.rounds()
    manifest = saved(side(pair["source"], "source"), name, str(tmp_path))
    watching.copy_anew(ROWS)
    bounds = {"mirrored_through": {name: {"0": 2000}}, "target": {name: {"0": 2000}}}
    assert closed(watching, bounds, pattern=name, seen_at=now())["verdict"] == "LOSS"
    report = closed(watching, bounds, pattern=name, seen_at=now(), manifest=manifest)
    assert report["verdict"] == "PROVEN", report["reasons"]


def test_records_that_the_watch_had_read_beyond_its_end_are_not_taken_for_shown(pair, tmp_path):
    name = "w.beside.cut"
    watching, manifest, dummy = with_manifest(pair, name, tmp_path, ROWS[500:])
    watching.copy_anew(ROWS[:1500])
    bounds = {"mirrored_through": {name: {"0": 2000}}, "target": {name: {"0": 1500}}}
    report = closed(watching, bounds, pattern=name, seen_at=now(), manifest=manifest)
    assert report["verdict"] == "NOT_PROVABLE"
    (reason,) = [
        reason for reason in only(report)["reasons"] if reason.startswith("the manifest ends at 500, the watch")
    ]
    assert "had read up to 2000" in reason and "was made again" in reason


@pytest.mark.parametrize(
    "through", ["topic", *(pytest.param(how, marks=pytest.mark.full) for how in ("nothing", None))]
)
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


def test_a_partition_that_a_manifest_lacks_is_not_passed_over(pair, tmp_path):
    name = "w.beside.added"
    watching = watch_of(pair, name)
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
    watching.copy_anew(ROWS[:500], 2)
    report = closed(watching, pattern=name, seen_at=now(), manifest=manifest)
    assert report["verdict"] == "LOSS", report


def test_a_run_of_missing_records_across_its_end_counts(pair, tmp_path):
    name = "w.beside.across"
    watching = watch_of(pair, name)
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


@pytest.mark.parametrize("later", [pytest.param("behind", marks=pytest.mark.full), "down"])
def test_nobody_compared_the_tail_of_a_topic_that_was_deleted_since(pair, tmp_path, monkeypatch, later):
    """The watch was behind, or down while records were copied and the topic deleted."""
    name = f"w.beside.tail.{later}"
    watching = watch_of(pair, name)
    for where in pair:
        watching.write(where, ROWS[:500])
    manifest = saved(side(pair["source"], "source"), name, str(tmp_path))
    for where in pair:
        watching.write(where, ROWS[500:])
    watching.rounds()
    more = some(500, "later", headers=())
    watching.write("source", more)
    watching.write("target", [*more[:200], *more[300:]])
    if later == "behind":
        monkeypatch.setattr(portion, "BATCH", 100)
        watching.watch.round()
    drop(pair["source"], [name])
    watching.rounds(lambda state: name in state.not_watched, 100)
    bounds = {"mirrored_through": {name: {"0": 2500}}, "target": {name: {"0": 2400}}}
    report = closed(watching, bounds, pattern=name, seen_at=now(), manifest=manifest)
    assert report["verdict"] == "NOT_PROVABLE", report


def test_a_manifest_of_the_later_topic_judges_it_alone(pair, tmp_path):
    """What differed in the former one holds nothing up, also where nobody watches the later one."""
    name = "w.beside.compacted"
    watching = watch_of(pair, name)
    watching.write("source", ROWS[:1000])
    watching.write("target", [*ROWS[:300], *ROWS[301:1000]])
    watching.rounds(lambda state: state.standing_differences())
    for cluster in pair.values():
        drop(cluster, [name])
        create(cluster, {name: (1, {"cleanup.policy": "compact"})})
    rows = [replace(row, key=b"%d" % at) for at, row in enumerate(some(600, "later", headers=()))]
    for where in pair:
        watching.write(where, rows)
    watching.rounds(lambda state: name in state.not_watched, 100)
    manifest = saved(side(pair["source"], "source"), name, str(tmp_path))
    bounds = {"mirrored_through": {name: {"0": 600}}, "target": {name: {"0": 600}}}
    report = closed(watching, bounds, pattern=name, seen_at=now(), manifest=manifest)
    assert report["verdict"] == "PROVEN", report
