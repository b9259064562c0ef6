# SPDX-License-Identifier: GPL-3.0-or-later
"""A manifest beside a watch, of a topic that was deleted since, or made again by its name."""

from __future__ import annotations

import pytest
from confluent_kafka import TopicPartition
from confluent_kafka.admin import AdminClient

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import NotProvableError
from tests.real.proof.support import create, drop, some
from tests.support.sides import saved

from .test_beside_a_manifest import now
from .test_closing import ROWS, closed
from .watching import Watching, side, watch_of

pytestmark = pytest.mark.real


def made_again(pair, name, tmp_path, partitions=1):
    """A watch that followed 1000 rows of each partition, a manifest of them, and another topic by the name since."""
    watching = watch_of(pair, name, partitions)
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
    assert report["watch"]["by_manifest"] == []


def test_what_differs_in_a_topic_that_was_made_again_is_not_judged_by_a_manifest_of_the_former_one(pair, tmp_path):
    name = "w.beside.again"
    watching, manifest, rows = made_again(pair, name, tmp_path)
    watching.write("target", [*rows[100:300], *rows[310:]])
    watching.rounds(lambda state: state.partitions[name, 0].read == 600 and state.standing_differences(), 100)
    bounds = {"mirrored_through": {name: {"0": 600}}, "target": {name: {"0": 1490}}}
    report = closed(watching, bounds, pattern=name, seen_at=now(), manifest=manifest)
    assert report["verdict"] == "LOSS", report
    assert report["watch"]["by_manifest"] == []


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
        watching.copy_anew(ROWS[:1000])
        ends[name]["0"] = 1000
    report = closed(watching, {**bounds, "target": ends}, seen_at=now(), manifest=manifest)
    assert report["verdict"] == ("NOT_PROVABLE" if cut else "PROVEN"), report


@pytest.mark.full
def test_a_strange_record_of_a_former_copy_is_none_of_the_one_that_was_made_again(pair, tmp_path):
    name = "w.beside.strange"
    watching = watch_of(pair, name)
    watching.write("source", ROWS)
    watching.write("target", [*ROWS[:300], *some(1, "strange", headers=()), *ROWS[300:]])
    watching.rounds()
    manifest = saved(side(pair["source"], "source"), name, str(tmp_path))
    watching.copy_anew(ROWS)
    bounds = {"mirrored_through": {name: {"0": 2000}}, "target": {name: {"0": 2000}}}
    report = closed(watching, bounds, pattern=name, seen_at=now(), manifest=manifest)
    assert report["verdict"] == "PROVEN", report


def test_nor_does_a_copy_stand_of_which_proven_records_were_deleted(pair, tmp_path):
    name = "w.beside.head"
    watching, manifest, bounds = gone_from_the_source(pair, name, tmp_path)
    admin = AdminClient(pair["target"].client)
    place = TopicPartition(name, 0, 1900)
    admin.delete_records([place])[TopicPartition(name, 0)].result(30)
    ends = {name: {"0": 2000}, f"{name}.live": {"0": 500}}
    report = closed(watching, {**bounds, "target": ends}, seen_at=now(), manifest=manifest)
    assert report["verdict"] != "PROVEN", report


def test_a_later_topic_by_the_name_of_one_that_was_deleted_is_missed(pair, tmp_path):
    """It was made, copied and saved while the watch was down, and its copy is gone."""
    name = "w.beside.later"
    watching, dummy, bounds = gone_from_the_source(pair, name, tmp_path / "before")
    drop(pair["target"], [name])
    for cluster in pair.values():
        create(cluster, {name: (1, {})})
    for where in pair:
        watching.write(where, some(1000, "later", headers=()))
    manifest = saved(side(pair["source"], "source"), f"{name}.*", str(tmp_path / "after"))
    drop(pair["target"], [name])
    bounds["mirrored_through"][name]["0"] = 1000
    report = closed(watching, bounds, seen_at=now(), manifest=manifest)
    assert report["verdict"] == "LOSS", report


@pytest.mark.parametrize("there", [False, pytest.param(True, marks=pytest.mark.full)])
def test_a_manifest_of_a_former_topic_says_nothing_of_a_later_one_that_was_deleted_too(pair, tmp_path, there):
    """Such as one that is made anew each day, and a manifest of some day."""
    name = f"w.later.daily.{'copy' if there else 'none'}"
    watching, manifest, bounds = gone_from_the_source(pair, name, tmp_path)
    drop(pair["target"], [name])
    for cluster in pair.values():
        create(cluster, {name: (1, {})})
    for where in pair:
        watching.write(where, some(300, "later", headers=()))
    watching.rounds(lambda state: name not in state.not_watched and state.partitions[name, 0].records == 300, 100)
    drop(pair["source"], [name])
    watching.rounds(lambda state: name in state.not_watched, 100)
    ends = {f"{name}.live": {"0": 500}}
    if there:
        ends[name] = {"0": 300}
    else:
        drop(pair["target"], [name])
    bounds["mirrored_through"][name]["0"] = 300
    report = closed(watching, {**bounds, "target": ends}, seen_at=now(), manifest=manifest)
    assert report["verdict"] == "PROVEN", report
    assert name not in report["watch"]["by_manifest"]


def test_where_all_was_deleted_on_both_sides_there_is_nothing_to_judge(pair, tmp_path):
    name = "w.later.nothing"
    watching, manifest, bounds = gone_from_the_source(pair, name, tmp_path)
    drop(pair["target"], [name])
    with pytest.raises(NotProvableError, match=rf"left to judge.*both deleted {name}"):
        closed(watching, bounds, pattern=name, seen_at=now(), manifest=manifest)
