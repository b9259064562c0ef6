# SPDX-License-Identifier: GPL-3.0-or-later
"""What a watch proves, names and keeps, of two clusters whose records a test writes itself."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import FormatError, RefusedError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.writer import write
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import keeping, state
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.rounds import Options, Watch
from tests.real.proof.support import create, delete_before, drop, some

from .watching import Watching, side, watch_of

pytestmark = pytest.mark.real

ROWS = some(3000, headers=())


@pytest.fixture
def watching(pair, request):
    name = f"w.{request.node.name[5:40].strip('_')}"
    for cluster in pair.values():
        create(cluster, {name: (1, {})})
    return Watching(pair, name)


def part_of(state, topic, number=0):
    return state.partitions[topic, number]


def test_a_copy_is_proven_as_it_comes(watching):
    watching.write("source", ROWS)
    found = part_of(watching.rounds(), watching.name)
    assert (found.begins, found.waiting, found.unproven) == (None, 3000, 0)
    watching.write("target", ROWS[:1000])
    found = part_of(watching.rounds(), watching.name)
    assert (found.through, found.waiting, found.records) == ((1000, 1000), 2000, 1000)
    watching.write("target", ROWS[1000:])
    now = watching.rounds()
    found = part_of(now, watching.name)
    assert (found.through, found.waiting, found.records) == ((3000, 3000), 0, 3000)
    assert now.windows == {} and now.differences == []
    assert found.map_runs == [[0, 0, 3000]]
    watching.check(now)


def test_a_watch_goes_on_from_its_state(watching):
    watching.write("source", ROWS)
    watching.write("target", ROWS[:500])
    watching.rounds()
    watching.write("target", ROWS[500:1500])
    found = part_of(watching.open().rounds(), watching.name)
    assert (found.through, found.waiting) == ((1500, 1500), 1500)
    # What waits is known by its digests, whether the source still has it or not.
    delete_before(watching.pair["source"], watching.name, 0, 2900)
    watching.write("target", ROWS[1500:])
    now = watching.open().rounds()
    assert (part_of(now, watching.name).through, part_of(now, watching.name).records) == ((3000, 3000), 3000)
    assert now.windows == {}


@pytest.mark.parametrize(
    ("name", "copy", "kinds", "through"),
    [
        ("lost", [*ROWS[:700], *ROWS[702:]], [("missing", 700, None, 2)], 700),
        ("swap", [*ROWS[:700], ROWS[701], ROWS[700], *ROWS[702:]], [("reordered", None, None, 1)], 700),
        ("foreign", [*ROWS[:700], ROWS[0].but(value=b"x"), *ROWS[700:]], [("foreign", None, 700, 1)], 700),
        ("altered", [*ROWS[:700], ROWS[700].but(value=b"x"), *ROWS[701:]], [("altered", 700, 700, 1)], 700),
        ("twin", [*ROWS[:700], ROWS[699], *ROWS[700:]], [], 3000),
    ],
)
def test_a_fault(pair, name, copy, kinds, through):
    topic = f"w.fault.{name}"
    watching = watch_of(pair, topic)
    watching.write("source", ROWS)
    watching.write("target", copy)
    now = watching.rounds()
    told = [(row.kind, row.source_offset, row.target_offset, row.count) for row in now.differences]
    assert len(told) == len(kinds)
    for row, wanted in zip(told, kinds, strict=True):
        assert row[0] == wanted[0] and row[3] == wanted[3]
        assert all(want is None or got == want for got, want in zip(row, wanted, strict=True))
    assert part_of(now, topic).through[0] == through
    assert part_of(now, topic).examined == (3000, len(copy))
    watching.check(now)


def test_aborted_and_open_transactions(watching):
    bad = [row.but(value=b"aborted-%d" % at, group=-1) for at, row in enumerate(ROWS[:5])]
    rows = [row.but(group=at // 50 + 1) for at, row in enumerate(ROWS[:200])]
    watching.write("source", [*rows[:100], *bad, *rows[100:]], transactional=True)
    watching.write("target", rows, transactional=True)
    now = watching.rounds()
    assert part_of(now, watching.name).records == 200 and now.differences == []
    assert part_of(now, watching.name).waiting == 0
    watching.write("target", bad[:2])
    now = watching.rounds()
    assert [(row.kind, row.count) for row in now.differences] == [("aborted", 2)]
    watching.check(now)


def test_a_log_that_is_another_one_is_stopped(watching):
    """Records that were read are deleted and others written at their offsets: the state of a log that lost its end."""
    watching.write("source", ROWS[:100])
    watching.write("target", ROWS[:100])
    watching.rounds()
    track = watching.watch.tracks[watching.name, 0]
    track.part.target_tip = track.target_tip = track.target_tip._replace(digest=track.target_tip.digest ^ 1)
    watching.write("source", ROWS[100:200])
    watching.write("target", ROWS[100:200])
    now = watching.rounds()
    assert "is not the one that was read" in part_of(now, watching.name).stopped
    assert part_of(now, watching.name).through == (100, 100)
    # It stays so.
    now = watching.open().rounds()
    assert part_of(now, watching.name).stopped and part_of(now, watching.name).through == (100, 100)


@pytest.mark.parametrize("where", ["source", "target", "both"])
def test_a_topic_made_again(pair, where):
    topic = f"w.again.{where}"
    watching = watch_of(pair, topic)
    watching.write("source", ROWS[:100])
    watching.write("target", ROWS[:90])
    watching.rounds()
    for name in ("source", "target") if where == "both" else (where,):
        drop(pair[name], [topic])
        create(pair[name], {topic: (1, {})})
    if where != "target":
        watching.write("source", ROWS[200:300])
    else:
        watching.write("source", ROWS[100:200])
    watching.write("target", ROWS[100:200] if where == "target" else ROWS[200:300])
    # A round may come before the new topic has a leader.
    now = watching.rounds(lambda state: part_of(state, topic).records == 100)
    found = part_of(now, topic)
    begins = {"source": (0, 90), "target": (100, 0), "both": (0, 0)}[where]
    assert (found.begins, found.stopped, now.differences) == (begins, None, [])
    assert found.records == 100 and "begun anew" in found.notes[0]
    assert found.unproven == (100 if where == "target" else 0)
    assert now.windows == {}


def test_retention_passes_the_watch(watching):
    watching.write("source", ROWS[:1000])
    watching.write("target", ROWS[:1000])
    watching.rounds()
    watching.write("source", ROWS[1000:])
    watching.write("target", ROWS[1000:])
    delete_before(watching.pair["source"], watching.name, 0, 2000)
    delete_before(watching.pair["target"], watching.name, 0, 2500)
    now = watching.rounds()
    found = part_of(now, watching.name)
    assert found.stopped is None and now.differences == []
    assert (found.begins, found.through) == ((2500, 2500), (3000, 3000))
    assert found.unproven == 1500
    watching.check(now)


def test_partitions_and_topics_come_and_go(pair):
    watching = Watching(pair, "w.come")
    for cluster in pair.values():
        create(cluster, {"w.come": (1, {}), "w.come.table": (1, {"cleanup.policy": "compact"})})
    watching.write("source", ROWS[:50])
    watching.write("target", ROWS[:50])
    now = watching.rounds()
    assert list(now.partitions) == [("w.come", 0)] and "compacted" in now.not_watched["w.come.table"]
    create(pair["source"], {"w.come.later": (1, {})})
    watching.write("source", ROWS[:60], "w.come.later")
    found = part_of(watching.rounds(lambda now: ("w.come.later", 0) in now.partitions), "w.come.later")
    assert (found.target_id, found.waiting) == ("", 60)
    create(pair["target"], {"w.come.later": (1, {})})
    watching.write("target", ROWS[:40], "w.come.later")
    found = part_of(watching.rounds(lambda now: part_of(now, "w.come.later").target_id), "w.come.later")
    assert (found.through, found.waiting) == ((40, 40), 20)
    from confluent_kafka.admin import AdminClient, NewPartitions

    for cluster in pair.values():
        admin = AdminClient(cluster.client)
        for future in admin.create_partitions([NewPartitions("w.come", 2)]).values():
            future.result()
        write(KafkaClient(cluster.client), "w.come", [(1, b"k", b"v")])
    now = watching.rounds(lambda now: ("w.come", 1) in now.partitions)
    assert part_of(now, "w.come", 1).waiting + part_of(now, "w.come", 1).records == 1
    drop(pair["source"], ["w.come.later"])
    now = watching.rounds(lambda now: "w.come.later" in now.not_watched)
    assert "does not list" in now.not_watched["w.come.later"] and part_of(now, "w.come.later").through == (40, 40)


def test_two_watches_at_once(watching):
    watching.write("source", ROWS[:50])
    watching.rounds()
    first = watching.watch
    watching.open().rounds()
    with pytest.raises(RefusedError, match="Another watch of the mirror"):
        first.round()
    watching.rounds()


def test_state_of_other_clusters_is_refused(pair, watching):
    watching.write("source", ROWS[:50])
    watching.rounds()
    other = Watching({"source": pair["target"], "target": pair["source"]}, watching.name)
    other.rounds()
    swapped = Watching(pair, watching.name)
    swapped.watch = watching.watch
    watching.watch.state.source_cluster = "another"
    watching.watch.round()
    with pytest.raises(RefusedError, match="between other clusters"):
        watching.open()
    now = watching.open(begin_anew=True).rounds()
    assert part_of(now, watching.name).waiting == 50


def test_a_strange_record_is_refused_by_its_key(pair, watching):
    topic = "__kafka_dr_strange"
    watching.options["state"] = topic
    watching.write("source", ROWS[:50])
    watching.open().watch.round()
    client = KafkaClient(pair["target"].client)
    write(client, topic, [(0, b'["watch"]', b"{}")])
    with pytest.raises(FormatError, match="no watch wrote"):
        state.read_state(client, watching.name, topic)
    write(client, topic, [(0, b'["watch"]', None)])
    assert state.read_state(client, watching.name, topic).round == 1
    assert keeping.read_states(client, "__kafka_dr_none") == {}


def test_one_cluster_under_two_names_is_not_watched(pair):
    target = pair["target"]
    another = {"bootstrap.servers": target.bootstrap.replace("127.0.0.1", "localhost")}
    source = {**side(target, "source"), "config": {**target.client, **another}}
    with pytest.raises(RefusedError, match="source and target are one cluster"):
        Watch(source, side(target, "target"), Options(mirror="w.itself", topics=r"w\.itself.*"))
    assert state.read_state(KafkaClient(target.client), "w.itself") is None, "nothing was begun"
