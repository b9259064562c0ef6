# SPDX-License-Identifier: GPL-3.0-or-later
"""The mirror as a systemd unit in a booted guest: a real systemd starts it, hardened, as a user of its own, and keeps
it.
"""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from kafka_dr_lab.java import require_java
from kafka_dr_lab.kafka_home import kafka_home
from tests.support.guest import Guest, why_not
from tests.support.kafka import JVM, free_ports

from .mirrors import create, exists, read, send, until
from .playing import Inventory, changed

pytestmark = [
    pytest.mark.real,
    pytest.mark.full,
    pytest.mark.skipif(bool(why_not()), reason=why_not() or "a guest can be booted"),
]
TOPIC = "guest.items"
UNIT = "mirror-backup.service"


class World:
    """A guest, and the role played inside it."""

    def __init__(self, directory, clusters):
        self.target = clusters["target"].client
        regions = {
            "source": {
                "kafka_dr_platform": "host",
                "kafka_dr_client": clusters["source"].client,
                "kafka_dr_client_secrets": {},
            },
            "target": {
                "kafka_dr_platform": "host",
                "kafka_dr_client": self.target,
                "kafka_dr_client_secrets": {},
                "kafka_dr_mirror_directory": "/var/lib/kafka-mirror",
                "kafka_dr_kafka_home": "/opt/kafka",
                "kafka_dr_mirror_heap": "512m",
                "kafka_dr_java": str(Path(require_java()).resolve()),
                "kafka_dr_java_options": " ".join(JVM),
                "kafka_dr_mirror_user": "kafka-mirror",
                "kafka_dr_mirror_rest_port": free_ports(1)[0],
            },
        }
        self.mirror = {
            "name": "backup",
            "source": "source",
            "target": "target",
            "topics": ["guest\\..*"],
            "tuning": {"replication_factor": 1, "refresh_seconds": 3},
        }
        self.inventory = Inventory(
            directory / "play", regions, {"kafka_dr_mirrors": [self.mirror], "kafka_dr_workdir": "/root"}
        )
        self.guest = Guest(directory, self.inventory.directory)

    def boot(self):
        self.guest.boot()
        self.guest.run("useradd", "--system", "--home-dir", "/var/lib/kafka-mirror", "--create-home", "kafka-mirror")
        # Root's home, where Kafka is kept for tests, is no place that a service may read.
        self.guest.run(
            "sh", "-c", f"mkdir -p /opt/kafka && cp -r {kafka_home()}/libs /opt/kafka/libs && chmod -R a+rX /opt/kafka"
        )

    def play(self, verb: str, *words: str):
        environment = {
            **self.inventory.environment(),
            "ANSIBLE_REMOTE_TEMP": "/tmp/ansible",
            "ANSIBLE_LOCAL_TEMP": "/tmp/ansible",
        }
        # No Python of the mirror's user for the witness in here.
        done = self.guest.run(
            *self.inventory.command(verb, "mirror", {"mirror_witness": False}, *words),
            check=False,
            timeout=300,
            environment=environment,
        )
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-500:]
        return done

    def pid(self) -> int:
        return int(self.guest.show(UNIT, "MainPID"))


@pytest.fixture(scope="module")
def world(two_clusters, tmp_path_factory):
    made = World(tmp_path_factory.mktemp("guest"), two_clusters)
    create(two_clusters["source"].client, TOPIC)
    send(two_clusters["source"].client, TOPIC, [b"first-%d" % number for number in range(50)])
    try:
        made.boot()
        made.play("install")
        yield made
    finally:
        made.guest.stop()


def copied(world, count):
    until(
        lambda: exists(world.target, TOPIC) and len(read(world.target, TOPIC)) == count,
        f"{count} records on the target",
        120,
    )


def test_systemd_runs_it_and_it_copies(world):
    assert world.guest.show(UNIT, "ActiveState") == "active" and world.guest.show(UNIT, "UnitFileState") == "enabled"
    copied(world, 50)


def test_it_runs_hardened_as_a_user_of_its_own(world):
    assert world.guest.run("stat", "-c", "%U", f"/proc/{world.pid()}").stdout.strip() == "kafka-mirror"
    status = world.guest.run("cat", f"/proc/{world.pid()}/status").stdout
    assert re.search(r"^NoNewPrivs:\s+1$", status, re.M) and re.search(r"^CapEff:\s+0+$", status, re.M)
    attempt = "touch /usr/x /etc/x /opt/kafka/x; touch /var/lib/kafka-mirror/backup/x && echo own"
    inside = world.guest.run("nsenter", "-t", str(world.pid()), "-m", "sh", "-c", attempt, check=False)
    assert inside.stderr.count("Read-only file system") == 3 and "own" in inside.stdout
    files = [f"/var/lib/kafka-mirror/backup/{name}.properties" for name in ("mm2", "secrets")]
    modes = world.guest.run("stat", "-c", "%a %U", *files).stdout.split()
    assert modes == ["600", "kafka-mirror"] * 2
    assert world.guest.run("systemctl", "--failed", "--no-legend").stdout.strip() == ""


def test_unchanged_leaves_it_alone(world):
    before = world.pid()
    assert changed(world.play("install")) == 0
    assert world.pid() == before


def test_a_change_restarts_it(world):
    before = world.pid()
    world.mirror["tuning"]["offset_lag_max"] = 3
    assert changed(world.play("install", "--check")) > 0 and world.pid() == before
    assert changed(world.play("install")) > 0
    assert world.pid() not in (0, before)


def test_systemd_starts_it_again_when_it_dies(world, two_clusters):
    before = world.pid()
    world.guest.run("systemctl", "kill", "--kill-whom=main", "--signal=KILL", UNIT)
    until(
        lambda: world.pid() not in (0, before) and world.guest.show(UNIT, "ActiveState") == "active",
        "systemd to start it again",
        30,
    )
    send(two_clusters["source"].client, TOPIC, [b"second-%d" % number for number in range(10)])
    copied(world, 60)
    # Java says 143 for SIGTERM; that alone is no failure.
    assert "143" in world.guest.show(UNIT, "SuccessExitStatus")


def test_stopped_it_stays_stopped_and_removed_it_is_gone(world):
    world.play("stop")
    assert world.guest.show(UNIT, "ActiveState") == "inactive" and world.guest.show(UNIT, "UnitFileState") == "disabled"
    assert world.guest.show(UNIT, "Result") == "success", "Java's exit code for SIGTERM counts as a failure"
    time.sleep(6)
    assert world.pid() == 0, "Restart= brought it back"
    world.play("start")
    assert world.pid() and world.guest.show(UNIT, "UnitFileState") == "enabled"
    world.play("remove")
    assert world.guest.show(UNIT, "LoadState") == "not-found"
    assert world.guest.run("test", "-e", "/var/lib/kafka-mirror/backup", check=False).returncode == 1
