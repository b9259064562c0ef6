# SPDX-License-Identifier: GPL-3.0-or-later
"""Bare regions whose ledgers tell a story, and stages that are run beside it, as their users run them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.topic_changes import ensure_topics
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.writer import write
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.append import append
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.epochs import NOWHERE, told
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2 import codec_connect
from tests.real.hosts.mirrors import create
from tests.real.hosts.moved import LEDGER, PURPOSES, SECRET, TOPIC, failure_of, ledger_of, played, region
from tests.real.hosts.spare import given_back, taken
from tests.support.kafka import Kafka

SALVAGE = "/nowhere/salvage"
# A machine that does not answer.
DEAD = {"ansible_connection": "ssh", "ansible_host": "127.0.0.1", "ansible_port": 1}


class Told:
    """Regions by their names, and what is written to their ledgers."""

    def __init__(self, directory: Path, names: Iterable[str], mirrors: list[dict[str, Any]]):
        self.directory, self.mirrors = directory, mirrors
        self.brokers: dict[str, Kafka] = {}
        self.hosts = {}
        supers = {"super.users": "User:ANONYMOUS;User:stages"}
        for name in names:
            self.brokers[name], of_user = taken(directory, name, list(PURPOSES), supers)
            create(self.brokers[name].client, TOPIC)
            self.hosts[name] = {**region(of_user("stages"), directory), "kafka_dr_platform": "host"}
        self.last = dict(NOWHERE)

    def starts_in(self, region_name: str, *applications: str) -> None:
        """Applications of the region that a task would start, and stop, which says so."""
        for file in ("start", "stop"):
            said = {"name": file, "ansible.builtin.debug": {"msg": f"{file} {{{{ __applications_each.name }}}} here"}}
            (self.directory / f"{file}.yml").write_text(yaml.safe_dump([said]))
        files = {f"{file}_tasks": str(self.directory / f"{file}.yml") for file in ("start", "stop")}
        self.hosts[region_name]["kafka_dr_applications"] = [
            {"name": name, "kind": "hook", "role": "consumer", **files} for name in applications
        ]

    def machines_gone(self) -> None:
        """The mirrors are on machines that do not answer."""
        for name in self.brokers:
            self.hosts[f"machine-{name}"] = DEAD
            self.hosts[name]["kafka_dr_mirror_hosts"] = [f"machine-{name}"]

    def down(self) -> None:
        for broker in self.brokers.values():
            given_back(broker)

    def lose(self, name: str) -> None:
        """Kill a region once all that was written to its ledger is decided."""
        self.known(name)
        self.brokers[name].kill()

    def client(self, name: str) -> KafkaClient:
        return KafkaClient(self.brokers[name].client)

    def known(self, name: str) -> dict[str, Any]:
        return ledger_of(self.brokers[name])

    def entry(self, name: str, run: str, stage: str, step: str, state: str, about: str, **more: Any) -> None:
        """An entry of a run that owns the ledger, unless ``fenced`` is false."""
        fenced = more.get("fenced", True)
        entry = {"run": run, "stage": stage, "step": step, "state": state, "region": about, "about": about}
        entry.update({"found": {}, "fenced": True, "by": "stages", "collection": "0", **more})
        after = self.known(name)["head"]["hash"] if fenced else None
        append(self.client(name), LEDGER, entry, False, 1, [SECRET], after)

    def stage(self, name: str, run: str, stage: str, about: str, *steps: str, ended: bool = False) -> None:
        """A run of a stage, with what it found empty."""
        self.entry(name, run, stage, "stage", "started", about)
        for step in steps:
            self.entry(name, run, stage, step, "done", about)
        if ended:
            self.entry(name, run, stage, "stage", "done", about)

    def ends(self, name: str, run: str, about: str) -> None:
        found = {"source": {}, "target": {}, "planned": False, "lost": {"total": 3}}
        self.entry(name, run, "failover", "ends", "done", about, found=found)

    def move(self, run: str, to: str, tell: Iterable[str] = ()) -> None:
        """Name a region in its own ledger, and tell others."""
        numbered = {"region": to, "epoch": self.last["epoch"] + 1, "epoch_from": self.last}
        self.entry(to, run, "failover", "active_region", "active", to, **numbered)
        move = {**self.known(to)["moves"][-1], "ledger": to}
        for other in tell:
            more = {"fenced": False, "found": told(move)}
            self.entry(other, run, "failover", "active_region", "active", to, **numbered, **more)
        self.last = {"epoch": numbered["epoch"], "region": to, "hash": move["hash"]}

    def mirrored(self, source: str, target: str) -> None:
        """What a mirror that has run once keeps in its target."""
        topic = {"name": f"mm2-offsets.{source}.internal", "partitions": 25, "replication_factor": 1}
        ensure_topics(self.client(target), [{**topic, "configs": {"cleanup.policy": "compact"}}], "present", False)
        rows = [codec_connect.SourceOffset("MirrorSourceConnector", source, TOPIC, 0, 0)]
        write(self.client(target), topic["name"], [(None, *codec_connect.encode_source_offset(row)) for row in rows])

    def run(self, name: str, *words: str, **given: Any) -> str:
        """With what a stage ends that fails; empty where it does not."""
        playbook = f"streamsafe.kafka_dr.{name}"
        return failure_of(played(self.directory, self.hosts, self.mirrors, playbook, given, *words))

    def play(self, tasks: list[dict[str, Any]], **given: Any) -> str:
        """What these tasks say, which do not fail."""
        play = {"name": "Play", "hosts": "localhost", "connection": "local", "gather_facts": False, "tasks": tasks}
        path = self.directory / "play.yml"
        path.write_text(yaml.safe_dump([play]))
        done = played(self.directory, self.hosts, self.mirrors, str(path), given)
        assert done.returncode == 0, (done.stdout + done.stderr)[-5000:]
        return " ".join(done.stdout.split())

    def failback(self, to: str, source: str, **more: Any) -> str:
        given = {"failback_region": to, "failback_from": source, "failback_salvage_directory": SALVAGE}
        return self.run("failback", **given, **more)

    def failover(self, source: str, target: str, **more: Any) -> str:
        return self.run("failover", failover_source=source, failover_target=target, **more)
