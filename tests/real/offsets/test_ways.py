# SPDX-License-Identifier: GPL-3.0-or-later
"""Other mirrors than the usual one: names with a prefix, the way back to a region that was made anew, and one that
copies twice.
"""

from __future__ import annotations

import pytest

from tests.support import offsets_lab as lab
from tests.support import traffic
from tests.support.kafka import clusters

from .conftest import place_groups

pytestmark = pytest.mark.full

EXACT = {"exact_verified", "exact_counted", "exact_at_end"}


@pytest.fixture(scope="module")
def regions(tmp_path_factory):
    """Three clusters: ``a`` is the source, ``b`` its target, ``c`` the first region made anew."""
    base = tmp_path_factory.mktemp("ways")
    made = clusters(["a", "b", "c"], base)
    lab.prepare_target(made["b"])
    yield made, base
    for one in made.values():
        one.stop()


def answers(plan, group):
    return {row["partition"]: row["to"] for row in plan if row["group"] == group}


def all_committed(done):
    """Whether all groups were committed that the mirror's own group sync had not brought there already."""
    moved = {row["group"] for row in done["plan"] if row["to"] != row["from"]}
    return done["committed"] == len(moved) > 0


def judged(plan, journals, target, copy_of=lambda topic: topic):
    """{group: (repeated, skipped)}; skipped is what was not processed and has no copy at or after the answer."""
    found = {}
    for group, journal in journals.items():
        topic = group.rsplit("-", 1)[0]
        begin, done = answers(plan, group), {(partition, value) for partition, dummy, value in journal}
        assert len(begin) == 3, (group, begin)
        repeated = skipped = 0
        for partition, records in lab.copies(target, copy_of(topic)).items():
            ahead = {value for offset, value in records if offset >= begin[partition]}
            skipped += sum((partition, value) not in done for value in {value for dummy, value in records} - ahead)
            repeated += sum((partition, value) in done for offset, value in records if offset >= begin[partition])
        found[group] = (repeated, skipped)
    return found


def test_names_with_a_prefix(regions):
    """DefaultReplicationPolicy: topics and checkpoints carry the source's name."""
    made, base = regions
    source, target = made["a"], made["b"]
    lab.create(source, ("prefixed", 3, {}))
    traffic.Writer(source, "prefixed").write(3000)
    journals = place_groups(source, ["prefixed"])
    mirror = lab.start_mirror(base / "prefixed", source, target, "prefixed", policy="Default")
    witness = lab.WitnessProcess(base / "prefixed-witness", source, target, interval=1)
    try:
        lab.await_ready(
            source, target, 180, until_caught_up=True, until_heartbeat=True, topics="prefixed", policy="default"
        )
        lab.await_ready(source, target, 60, until_witness=True, max_witness_age=5)
    finally:
        mirror.stop()
        witness.stop()
    ends = lab.ends_of(target, "a.prefixed")
    lost = lab.translate(None, target, check=True, topics="prefixed", policy="default", target_ends=ends)["plan"]
    assert {row["target_topic"] for row in lost} == {"a.prefixed"} and {row["confidence"] for row in lost} <= EXACT
    assert set(judged(lost, journals, target, lambda topic: "a." + topic).values()) == {(0, 0)}
    done = lab.translate(source, target, topics="prefixed", policy="default")
    assert all_committed(done) and {row["confidence"] for row in done["plan"]} <= EXACT
    assert set(judged(done["plan"], journals, target, lambda topic: "a." + topic).values()) == {(0, 0)}


def test_the_way_back_to_a_region_made_anew(regions):
    """The survivor is the source now; its topics hold records of both times, with control records of the mirror that
    once wrote there.
    """
    made, base = regions
    first, survivor, anew = made["a"], made["b"], made["c"]
    lab.create(first, ("stock", 3, {}))
    traffic.Writer(first, "stock", transaction=7).write(2100)
    there = lab.start_mirror(base / "there", first, survivor, "stock")
    try:
        lab.await_ready(first, survivor, 180, until_caught_up=True, topics="stock")
    finally:
        there.stop()
    again = traffic.Writer(survivor, "stock", transaction=11)
    again.written = 10**6  # new numbers
    again.write(2200)
    journals = place_groups(survivor, ["stock"])
    way = {"source_alias": "b", "target_alias": "a", "topics": "stock"}
    lab.prepare_target(anew, "b")
    back = lab.start_mirror(base / "back", survivor, anew, "stock", alias=("b", "a"))
    witness = lab.WitnessProcess(base / "back-witness", survivor, anew, interval=1)
    try:
        lab.await_ready(survivor, anew, 180, until_caught_up=True, until_heartbeat=True, **way)
        lab.await_ready(survivor, anew, 60, until_witness=True, max_witness_age=5, **way)
    finally:
        back.stop()
        witness.stop()
    ends = lab.ends_of(anew, "stock")
    lost = lab.translate(None, anew, check=True, target_ends=ends, **way)["plan"]
    most = {group: sum(row["reprocess_at_most"] for row in lost if row["group"] == group) for group in journals}
    for group, (repeated, skipped) in judged(lost, journals, anew).items():
        assert skipped == 0 and repeated <= most[group], group
    done = lab.translate(survivor, anew, **way)
    assert all_committed(done) and {row["confidence"] for row in done["plan"]} <= {"exact_verified", "exact_at_end"}
    assert set(judged(done["plan"], journals, anew).values()) == {(0, 0)}


def test_a_mirror_that_copies_twice(regions):
    """Not exactly-once, killed before it noted how far it was: it copies again from the beginning. Too low may be, too
    high never.
    """
    made, base = regions
    source, target = made["a"], made["b"]
    lab.create(source, ("twice", 3, {}))
    writer = traffic.Writer(source, "twice")
    writer.write(3000)
    journals = place_groups(source, ["twice"])
    plain = {"b.exactly.once.source.support": "disabled", "offset.flush.interval.ms": 3600000}
    mirror = lab.start_mirror(base / "twice", source, target, "twice", **plain)
    witness = lab.WitnessProcess(base / "twice-witness", source, target, interval=1)
    try:
        lab.until(lambda: held(target, "twice") >= 3000, 180)
        mirror.kill()
        mirror.start()
        lab.until(lambda: held(target, "twice") >= 6000, 180)
        lab.await_ready(None, target, 60, until_witness=True, max_witness_age=5)
    finally:
        mirror.stop()
        witness.stop()
    assert held(target, "twice") >= 6000, "the mirror was to copy twice"
    ends = lab.ends_of(target, "twice")
    for plan in (
        lab.translate(None, target, check=True, topics="twice", target_ends=ends)["plan"],
        lab.translate(source, target, check=True, topics="twice")["plan"],
    ):
        assert not {row["confidence"] for row in plan} & {"unknown", "interpolated"}
        for group, (repeated, skipped) in judged(plan, journals, target).items():
            most = sum(row["reprocess_at_most"] for row in plan if row["group"] == group)
            assert skipped == 0 and repeated <= most, (group, repeated, skipped, most)


def held(cluster, topic):
    try:
        return sum(map(len, lab.copies(cluster, topic).values()))
    except Exception:  # not there yet
        return 0
