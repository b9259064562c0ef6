# SPDX-License-Identifier: GPL-3.0-or-later
"""Two nodes of one dedicated MirrorMaker 2, each kept by a supervisord of its own: restarted on a change only, one
after the other, copying all the time.
"""

from __future__ import annotations

import contextlib
import copy
import threading
import time
import urllib.request

import pytest
from confluent_kafka import Producer

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.groups import workers_of
from kafka_dr_lab.kafka_home import kafka_home
from kafka_dr_lab.supervisor import Supervisor
from tests.support.jars import jar
from tests.support.kafka import JVM, free_ports

from .mirrors import commit, create, ends, exists, read, until
from .playing import Inventory, changed

pytestmark = [pytest.mark.real, pytest.mark.full]
TOPIC = "rolling.items"
NODES = ("node_one", "node_two")
MIRROR = {
    "name": "backup",
    "source": "source",
    "target": "target",
    "topics": ["rolling\\..*"],
    "groups": ["rolling-.*"],
    "tuning": {"replication_factor": 1, "refresh_seconds": 3, "checkpoint_seconds": 1, "tasks_max": 4},
}


class Traffic(threading.Thread):
    """Ten records a second into the source, and when each was seen on the target."""

    def __init__(self, source, target):
        super().__init__(daemon=True)
        self.source, self.target = source, target
        self.stopped, self.sent, self.seen = threading.Event(), 0, []

    def run(self):
        producer = Producer({**self.source, "linger.ms": 0})
        while not self.stopped.wait(0.1):
            producer.produce(TOPIC, value=b"%06d" % self.sent, partition=self.sent % 4)
            producer.poll(0)
            self.sent += 1
            if self.sent % 5 == 0:
                arrived = (
                    sum(ends(self.target, TOPIC, partition)[1] for partition in range(4))
                    if exists(self.target, TOPIC)
                    else 0
                )
                self.seen.append((time.monotonic(), arrived))
        producer.flush(30)

    def longest_standstill(self, since: float) -> float:
        """Seconds without a new offset on the target."""
        rows = [row for row in self.seen if row[0] >= since]
        last, longest = rows[0], 0.0
        for row in rows:
            if row[1] != last[1]:
                longest, last = max(longest, row[0] - last[0]), row
        return max(longest, rows[-1][0] - last[0])


@pytest.fixture(scope="module")
def world(two_clusters, tmp_path_factory):
    directory = tmp_path_factory.mktemp("rolling")
    source, target = (two_clusters[name].client for name in ("source", "target"))
    create(source, TOPIC, partitions=4)
    ports = free_ports(4)
    supervisors = {name: Supervisor(directory / name / "keeper") for name in NODES}
    for supervisor in supervisors.values():
        supervisor.directory.mkdir(parents=True)
        supervisor.start()
    hosts = {
        name: node(directory / name, supervisors[name], *pair)
        for name, pair in zip(NODES, zip(ports[:2], ports[2:], strict=True), strict=True)
    }
    hosts["source"] = {"kafka_dr_platform": "host", "kafka_dr_client": source, "kafka_dr_client_secrets": {}}
    hosts["target"] = {
        "kafka_dr_platform": "host",
        "kafka_dr_client": target,
        "kafka_dr_client_secrets": {},
        "kafka_dr_mirror_hosts": list(NODES),
        "kafka_dr_kafka_home": str(kafka_home()),
        "kafka_dr_mirror_heap": "512m",
        "kafka_dr_java_options": " ".join(JVM),
    }
    mirror = copy.deepcopy(MIRROR)
    made = Inventory(directory / "play", hosts, {"kafka_dr_mirrors": [mirror], "kafka_dr_workdir": str(directory)})
    made.mirror, made.keepers, made.metrics = mirror, supervisors, dict(zip(NODES, ports[2:], strict=True))
    yield made
    for one in supervisors.values():
        one.stop()


def node(directory, supervisor, rest_port, metrics_port):
    """A machine of the mirror, whose processes this supervisord keeps."""
    return {
        "kafka_dr_mirror_directory": str(directory / "mirrors"),
        "kafka_dr_mirror_rest_host": "127.0.0.1",
        "kafka_dr_mirror_rest_port": rest_port,
        "kafka_dr_mirror_metrics": {
            "jar": str(jar("io.prometheus.jmx", "jmx_prometheus_javaagent", "1.0.1")),
            "port": metrics_port,
        },
        "kafka_dr_services": {
            "manager": "supervisord",
            "socket": supervisor.socket,
            "directory": str(supervisor.programs),
        },
    }


def pids(world) -> dict:
    return {name: {one["name"]: one["pid"] for one in keeper.processes()} for name, keeper in world.keepers.items()}


def members(target):
    return workers_of(KafkaClient(target, {}, 20), "source-mm2")


@pytest.fixture(scope="module")
def running(world, two_clusters):
    source, target = (two_clusters[name].client for name in ("source", "target"))
    world.play("install")
    until(lambda: len(members(target)[1]) == 2 and members(target)[0] == "Stable", "two nodes in one group", 90)
    traffic = Traffic(source, target)
    traffic.start()
    until(lambda: exists(target, TOPIC) and traffic.seen and traffic.seen[-1][1] > 20, "records on the target", 120)
    yield traffic
    traffic.stopped.set()


def test_unchanged_restarts_nothing(world, running):
    before = pids(world)
    assert changed(world.play("install")) == 0
    assert pids(world) == before


def test_check_mode_tells_the_change_and_restarts_nothing(world, running):
    before = pids(world)
    world.mirror["tuning"]["offset_lag_max"] = 3
    assert changed(world.play("install", "--check")) > 0
    assert pids(world) == before


@contextlib.contextmanager
def fewest_running(world):
    """A list with one number: how many nodes ran at the worst moment."""
    fewest, ended = [2], threading.Event()

    def watch():
        while not ended.wait(0.2):
            states = [
                one["statename"]
                for keeper in world.keepers.values()
                for one in keeper.processes()
                if one["name"] == "mirror-backup"
            ]
            fewest[0] = min(fewest[0], states.count("RUNNING"))

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    yield fewest
    ended.set()
    watcher.join(5)


def test_a_change_whose_restart_failed_is_made_by_the_next_run(world, running):
    before, services = pids(world), world.hosts[NODES[0]]["kafka_dr_services"]
    world.mirror["tuning"]["offset_lag_max"] = 7
    right, services["socket"] = services["socket"], "/nowhere/socket"
    assert world.play("install", check=False).returncode != 0
    services["socket"] = right
    world.play("install", timeout=400)
    after = pids(world)
    assert all(after[name]["mirror-backup"] != before[name]["mirror-backup"] for name in NODES)
    assert changed(world.play("install")) == 0
    world.mirror["tuning"]["offset_lag_max"] = 3


def test_a_change_restarts_one_node_after_the_other_while_copying_goes_on(world, running, two_clusters):
    target = two_clusters["target"].client
    before, since = pids(world), time.monotonic()
    with fewest_running(world) as fewest:
        world.play("install", timeout=400)
    after = pids(world)
    for name in NODES:
        assert after[name]["mirror-backup"] != before[name]["mirror-backup"], f"{name} runs with old settings"
        assert after[name]["witness-backup"] == before[name]["witness-backup"], (
            f"the witness of {name} was restarted for nothing"
        )
    assert fewest[0] == 1, "both nodes were down at the same time"
    assert members(target)[0] == "Stable" and len(members(target)[1]) == 2
    sent = running.sent
    until(lambda: running.seen[-1][1] and running.sent >= sent + 20, "some more records", 30)
    assert running.longest_standstill(since) < 40, "copying stood still"
    running.stopped.set()
    running.join(30)
    wanted = sorted(b"%06d" % number for number in range(running.sent))
    until(
        lambda: sum(len(read(target, TOPIC, partition)) for partition in range(4)) >= running.sent,
        "every record on the target",
        60,
    )
    assert sorted(one.value() for partition in range(4) for one in read(target, TOPIC, partition)) == wanted, (
        "lost or doubled by the restarts"
    )


def test_the_metrics_page_has_the_latency_of_a_topic_and_listens_on_loopback(world, running, two_clusters):
    commit(two_clusters["source"].client, "rolling-group", TOPIC, ends(two_clusters["source"].client, TOPIC)[1])

    def page():
        texts = [
            urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10).read().decode()
            for port in world.metrics.values()
        ]
        return "".join(texts)

    text = until(
        lambda: page() if "kafka_connect_mirror_checkpoint_checkpoint_latency_ms" in page() else None,
        "the checkpoint connector's metrics",
        40,
    )
    assert "kafka_connect_mirror_source_replication_latency_ms_avg{" in text and f'topic="{TOPIC}"' in text
    for name in ("record_age_ms", "byte_rate", "record_count"):
        assert f"kafka_connect_mirror_source_{name}{{" in text
    assert "kafka_connect_task_status{" in text and "jvm_heap_used_bytes" in text
    listening = {line.split()[1] for line in open("/proc/net/tcp").readlines()[1:]} | {
        line.split()[1] for line in open("/proc/net/tcp6").readlines()[1:]
    }
    for port in world.metrics.values():
        heard = [
            one
            for one in listening
            if one.endswith(f":{port:04X}") and not one.startswith(("0100007F", "0000000000000000FFFF00000100007F"))
        ]
        assert heard == [], f"metrics are served beyond loopback: {heard}"


def test_stop_ends_every_node(world, running, two_clusters):
    world.play("stop")
    assert members(two_clusters["target"].client)[1] == []
    world.play("remove")
    assert not [one for keeper in world.keepers.values() for one in keeper.processes()]
