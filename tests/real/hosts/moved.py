# SPDX-License-Identifier: GPL-3.0-or-later
"""Two regions whose applications were moved, and parts of stages that are played between them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import describe_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.append import append
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.ledger import known, read_ledger
from kafka_dr_lab.playbook import collections_path
from tests.real.hosts.mirrors import create
from tests.real.hosts.spare import taken
from tests.real.ledger.guarded import password
from tests.support.kafka import ROOT, Kafka

LEDGER, SECRET, TOPIC = "__kafka_dr_ledger", "a secret of these tests", "orders.items"
PURPOSES = {"stages": "stages", "mirror": "mirror", "shop": "application"}
# What no inventory knows.
STRAY = [
    {"principal": "shop", "resource": "topic", "name": "orders.", "pattern": "prefixed", "operations": ["WRITE"]},
    {"principal": "shop", "resource": "group", "name": "nightly", "operations": ["READ"], "host": "10.1.2.3"},
]
# One direction at a time: both would copy in a circle.
THERE = {"name": "there", "source": "na", "target": "eu", "topics": ["orders\\..*"]}
RETURN = {"name": "back", "source": "eu", "target": "na", "topics": ["orders\\..*"]}
BACK = {"failover_source": "eu", "failover_target": "na"}
AWAY = {"failover_source": "na", "failover_target": "eu"}
HOME = {"initial_setup_source": "eu", "initial_setup_target": "na"}
# A test's broker lets these do anything, and nobody can take that away.
ANYBODY = ["super.users", "User:ANONYMOUS"]
# A task that rescues what is expected to be refused.
TOLD = {"name": "Tell", "ansible.builtin.debug": {"msg": "REFUSED {{ ansible_failed_result.msg }}"}}


class World:
    """Two regions whose applications were moved from na to eu while na did not answer."""

    def __init__(self, directory: Path):
        self.directory = directory
        # What ansible-playbook is called with besides, such as --check.
        self.words: tuple[str, ...] = ()
        supers = {"super.users": "User:ANONYMOUS;User:stages"}
        self.brokers: dict[str, Kafka] = {}
        self.hosts = {}
        for name in ("na", "eu"):
            self.brokers[name], of_user = taken(directory, name, list(PURPOSES), supers)
            create(self.brokers[name].client, TOPIC)
            self.hosts[name] = region(of_user("stages"), directory)
        head = ""
        for step, state, about in (
            ("stage", "started", "na to eu"),
            ("active_region", "active", "eu"),
            ("stage", "done", "na to eu"),
        ):
            head = self.append("eu", step, state, about, head)

    def append(self, name: str, step: str, state: str, about: str, head: str) -> str:
        entry = {"run": "1", "stage": "failover", "step": step, "state": state, "region": about, "about": about}
        entry.update({"found": {}, "fenced": True, "by": "stages", "collection": "0"})
        client = KafkaClient(self.brokers[name].client)
        return str(append(client, LEDGER, entry, False, 1, [SECRET], head)["known"]["head"]["hash"])

    def rights(self) -> list[Any]:
        """What the application may do in na."""
        return sorted(describe_acls(KafkaClient(self.brokers["na"].client), ["shop"]))

    def run(self, playbook: str, mirror: dict[str, Any], **given: Any) -> str:
        done = played(self.directory, self.hosts, [mirror], playbook, given, *self.words)
        assert done.returncode == 0, (done.stdout + done.stderr)[-5000:]
        return " ".join(done.stdout.split())

    def play(
        self, stage: str, mirror: dict[str, Any], files: tuple[Any, ...], facts: dict[str, Any], **given: Any
    ) -> str:
        """These files of a stage's tasks, or of a role's that is named, or tasks themselves, by a run that has begun
        the stage in the ledger of the mirror's target.
        """
        source, target = mirror["source"], mirror["target"]
        own: dict[str, Any] = {
            "ledger_region": target,
            "ledger_stage": stage,
            "ledger_about": f"{source} to {target}",
            "ledger_subject": source,
        }
        own.update({"ledger_left": source, "ledger_left_answers": self.brokers[source].alive()})
        tasks: list[dict[str, Any]] = [{"name": "Know", "ansible.builtin.set_fact": facts}] if facts else []
        ledger = [("ledger", file) for file in ("read.yml", "elsewhere.yml", "begin.yml")]
        named = [(Path(one).parent.name or stage, Path(one).name) for one in files if isinstance(one, str)]
        for role, file in [*ledger, *named]:
            included = {"name": f"streamsafe.kafka_dr.{role}", "tasks_from": file}
            tasks.append(
                {"name": file, "ansible.builtin.include_role": included, "vars": own if role == "ledger" else {}}
            )
        tasks += [one for one in files if isinstance(one, dict)]
        play = {"name": "Play", "hosts": "localhost", "connection": "local", "gather_facts": False, "tasks": tasks}
        (self.directory / "play.yml").write_text(yaml.safe_dump([play]))
        return self.run(str(self.directory / "play.yml"), mirror, **given)

    def fence(self) -> None:
        self.run("streamsafe.kafka_dr.fence", THERE, fence_region="na", fence_survivor="eu")
        assert self.rights() == []

    def move_back(self, planned: bool) -> None:
        facts = {"__failover_source": {"reachable": planned, "error": "" if planned else "unreachable"}}
        files = ("taken_before.yml", "activate.yml")
        self.play("failover", RETURN, files, facts, failover_planned=planned, **BACK)


def played(
    directory: Path,
    hosts: dict[str, Any],
    mirrors: list[dict[str, Any]],
    playbook: str,
    given: dict[str, Any],
    *words: str,
) -> subprocess.CompletedProcess[str]:
    """A playbook that was run over these regions, with any exit code."""
    everywhere = {
        "ansible_python_interpreter": sys.executable,
        "kafka_dr_mirrors": mirrors,
        "kafka_dr_ledger_secret": [SECRET],
        "kafka_dr_ledger_replication_factor": 1,
    }
    inventory = directory / "inventory.yml"
    inventory.write_text(yaml.safe_dump({"all": {"hosts": hosts, "vars": everywhere}}))
    env = {key: value for key, value in os.environ.items() if not key.startswith("ANSIBLE_")}
    return subprocess.run(
        [str(Path(sys.executable).parent / "ansible-playbook"), "-i", str(inventory)]
        + [playbook, "-e", json.dumps(given), *words],
        env={**env, "ANSIBLE_COLLECTIONS_PATH": str(collections_path()), "ANSIBLE_NOCOLOR": "1"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def ledger_of(broker: Kafka) -> dict[str, Any]:
    """What the ledger says that a region's broker holds."""
    return known(read_ledger(KafkaClient(broker.client), LEDGER, [SECRET]), [SECRET])


def failure_of(done: subprocess.CompletedProcess[str]) -> str:
    """With what a playbook ended that failed; empty where it did not."""
    said = " ".join((done.stdout + done.stderr).replace("\\n", " ").split())
    failed = [said.index(word) for word in ("fatal: [", "failed: [") if word in said]
    assert (done.returncode == 0) != bool(failed), said[-3000:]
    return said[min(failed) :] if failed else ""


def region(client: dict[str, Any], directory: Path) -> dict[str, Any]:
    """What an inventory says of a region whose machine is this one; its mirrors would lie in the directory."""
    return {
        "ansible_connection": "local",
        "kafka_dr_platform": "managed",
        "kafka_dr_client": {key: value for key, value in client.items() if key != "sasl.password"},
        "kafka_dr_client_secrets": {"sasl.password": client["sasl.password"]},
        "kafka_dr_unverified_tls": "a test on one machine",
        "kafka_dr_mirror_directory": str(directory / "mirrors"),
        "kafka_dr_kafka_home": str(directory / "kafka"),
        "kafka_dr_super_users": ["User:stages"],
        "kafka_dr_users": [
            {"name": name, "password": password(name), "purpose": purpose} for name, purpose in PURPOSES.items()
        ],
    }


def of_role(role: str, file: str, **more: Any) -> dict[str, Any]:
    """A task that includes a file of a role's tasks; with ``public``, the role's variables are known from then on."""
    included = {"name": f"streamsafe.kafka_dr.{role}", "tasks_from": file, **more}
    return {"name": file, "ansible.builtin.include_role": included}


def stage_tasks() -> list[dict[str, Any]]:
    """The tasks of the stage ``failover``, in order."""
    tasks: list[dict[str, Any]] = yaml.safe_load((ROOT / "roles" / "failover" / "tasks" / "main.yml").read_text())
    return tasks


def begin_tasks() -> list[dict[str, Any]]:
    """Those of them that begin the stage in the ledger, after its preflight."""
    names = ("Begin the stage in the ledger of the target", "Check that no other stage has begun elsewhere")
    tasks = [task for task in stage_tasks() if task["name"] in names]
    assert len(tasks) == len(names), tasks
    return tasks
