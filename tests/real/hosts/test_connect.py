# SPDX-License-Identifier: GPL-3.0-or-later
"""The connectors of a mirror on a real Kafka Connect cluster of two workers: made, changed, paused, stopped, set back,
removed.
"""

from __future__ import annotations

import pytest

from tests.support.kafka import own_clusters

from .connecting import Cluster, Mirror, only
from .mirrors import create, exists, send, until

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def two_clusters(tmp_path_factory):
    with own_clusters(tmp_path_factory.mktemp("clusters")) as made:
        yield made


@pytest.fixture(scope="module")
def cluster(two_clusters, tmp_path_factory):
    made = Cluster(tmp_path_factory.mktemp("connect"), two_clusters["target"])
    yield made
    made.stop()


@pytest.fixture(scope="module")
def mirror(two_clusters):
    made = Mirror("connect", two_clusters)
    create(made.clients["source"], made.topic, partitions=2)
    send(made.clients["source"], made.topic, [b"first-%d" % number for number in range(100)])
    return made


def test_check_mode_tells_what_would_be_created_and_creates_nothing(cluster, mirror):
    told = cluster.module("connect_connectors", check=True, connectors=mirror.described())
    assert told["changed"] and told["created"] == list(mirror.names.values())
    assert told["diff"]["before"] == {} and set(told["diff"]["after"]) == set(mirror.names.values())
    assert cluster.module("connect_connectors_info")["connectors"] == {}


def test_three_connectors_are_made_in_one_call_and_copy_exactly_once(cluster, mirror):
    made = cluster.ensure(mirror.described())
    assert made["created"] == list(mirror.names.values()) and made["changed"]
    assert all(one["state"] == "RUNNING" for one in made["connectors"].values())
    until(lambda: len(mirror.values("target")) == 100, "100 records on the target", 90)
    again = cluster.ensure(mirror.described())
    assert not again["changed"] and again["diff"] == {"before": {}, "after": {}}
    assert exists(mirror.clients["target"], "mm2-offsets.source.internal") and exists(
        mirror.clients["target"], "__transaction_state"
    )


def test_an_update_changes_what_differs_and_says_it(cluster, mirror):
    name = mirror.names["source"]
    wanted = mirror.described(**{"offset.lag.max": 3})
    told = cluster.module("connect_connectors", check=True, connectors=wanted)
    assert cluster.seen(name)["config"]["offset.lag.max"] == "10", "check mode changed it"
    done = cluster.ensure(wanted)
    assert done["updated"] == told["updated"] == [name] and done["created"] == []
    before, after = (done["diff"][side][name]["config"] for side in ("before", "after"))
    assert {key for key in before | after if before.get(key) != after.get(key)} == {"offset.lag.max"}
    assert cluster.seen(name)["config"]["offset.lag.max"] == "3"
    assert not cluster.ensure(wanted)["changed"]


def test_pause_stop_and_resume(cluster, mirror):
    name = mirror.names["source"]
    assert cluster.ensure(only(name), state="paused")["moved"] == [name]
    seen = cluster.seen(name)
    assert seen["state"] == "PAUSED" and seen["tasks"] and {task["state"] for task in seen["tasks"]} == {"PAUSED"}
    assert not cluster.ensure(only(name), state="paused")["changed"]
    assert cluster.module("connect_connectors", check=True, connectors=only(name), state="stopped")["moved"] == [name]
    assert cluster.seen(name)["state"] == "PAUSED", "check mode stopped it"
    stopped = cluster.ensure(only(name), state="stopped")
    assert stopped["connectors"][name] == {"state": "STOPPED", "tasks": []}
    count = len(mirror.values("target"))
    send(mirror.clients["source"], mirror.topic, [b"second-%d" % number for number in range(50)])
    assert len(mirror.values("target")) == count, "a stopped connector copied"
    info = cluster.module("connect_connectors_info", names=[name], until="stopped", offsets=True)
    assert info["ready"] and info["connectors"][name]["offsets"]
    assert not cluster.module("connect_connectors_info", names=[name], until="running")["ready"]
    assert cluster.ensure(only(name))["moved"] == [name]
    until(lambda: len(mirror.values("target")) == 150, "the records sent meanwhile")
    assert mirror.values("target") == mirror.values("source")


def test_offsets_are_set_only_when_stopped_and_then_copying_goes_on_from_them(cluster, mirror):
    name = mirror.names["source"]
    back = {"partition": {"cluster": "source", "partition": 0, "topic": mirror.topic}, "offset": {"offset": 139}}
    assert "stopped" in cluster.refused(only(name, offsets=[back]))["msg"]
    told = cluster.module("connect_connectors", check=True, connectors=only(name, offsets=[back]), state="stopped")
    assert told["offsets_set"] == [name] and back not in cluster.offsets(name)
    done = cluster.ensure(only(name, offsets=[back]), state="stopped")
    assert done["offsets_set"] == [name] and back in cluster.offsets(name)
    assert done["diff"]["before"][name]["offsets"] != done["diff"]["after"][name]["offsets"]
    assert not cluster.ensure(only(name, offsets=[back]), state="stopped")["changed"]
    cluster.ensure(only(name))
    # Offset 139 counts as copied: 140 to 149 come again.
    until(lambda: len(mirror.values("target")) == 160, "the ten records after offset 139 once more")
    assert mirror.values("target")[150:] == mirror.values("source")[140:]


def test_errors_name_the_thing_and_the_way_out(cluster, mirror):
    wrong = cluster.refused(only("x", config={"connector.class": "org.example.Missing"}))
    assert "org.example.Missing" in wrong["msg"] and "MirrorSourceConnector" in wrong["expected"]
    bad = cluster.refused(only("x", config={"connector.class": "MirrorHeartbeat", "tasks.max": "many"}))
    assert "tasks.max" in bad["msg"] and "nothing was changed" in bad["msg"]
    assert "does not exist" in cluster.refused(only("nobody"))["msg"]
    assert cluster.refused(only(mirror.names["source"]), password="wrong")["error"] == "authentication"
    assert cluster.refused(only(mirror.names["source"]), urls=["http://127.0.0.1:1"])["error"] == "unreachable"
    assert cluster.seen("x") is None


def test_reset_and_removal(cluster, mirror):
    name = mirror.names["source"]
    cluster.ensure(mirror.every(), state="stopped")
    told = cluster.ensure(mirror.forgetting(), state="stopped")
    assert name in told["offsets_set"] and cluster.offsets(name) == []
    assert cluster.module("connect_connectors", check=True, connectors=only(name), state="absent")["deleted"] == [name]
    assert cluster.seen(name) is not None
    gone = cluster.ensure(mirror.every(), state="absent")
    assert sorted(gone["deleted"]) == sorted(mirror.names.values()) and gone["diff"]["after"] == {}
    assert not cluster.ensure(mirror.every(), state="absent")["changed"]
