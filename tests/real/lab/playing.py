# SPDX-License-Identifier: GPL-3.0-or-later
"""Play modules and stages on the lab as users do, and look at what there is before and after."""

from __future__ import annotations

import copy
import itertools
import json
import os
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import yaml
from confluent_kafka.admin import AdminClient

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import describe_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.cluster import cluster_state
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.users import existing_users
from kafka_dr_lab.inventory import Inventory
from kafka_dr_lab.lab import Lab
from kafka_dr_lab.playbook import Playbooks
from tests.support.module_runs import run_module_file

ROOT = Path(__file__).resolve().parents[3]
SOURCE, TARGET = "north_america", "europe"
OPTIONS = {"history": 2000, "rate": 50.0, "records": 2000000}

# Playbooks that take <name>_source and <name>_target; a test names the regions of the others itself.
OF_TWO_REGIONS = ("initial_setup", "failover", "probe")


class Playground:
    """A lab with its secrets at hand."""

    def __init__(self, directory: Path, **options):
        self.lab = Lab(directory)
        self.lab.up({**OPTIONS, **options})
        self.hosts = self.lab.inventory.load()["all"]["hosts"]
        self.secrets = self.lab.inventory.load_secrets()

    def client(self, region: str) -> dict:
        return self.hosts[region]["kafka_dr_client"]

    def client_secrets(self, region: str) -> dict:
        return {"sasl.password": self.secrets["lab_passwords"]["kdr-stages"]}

    def admin(self, region: str) -> dict:
        """librdkafka configuration of the cluster's administrator."""
        return {
            **self.client(region),
            "sasl.username": "admin",
            "sasl.password": self.secrets["lab_clusters"][region]["admin_password"],
            "log_level": 0,
        }

    def module(self, name: str, check: bool = False, region: str = TARGET, **arguments) -> dict:
        """Run one module as Ansible does: its file, arguments on standard input, JSON back."""
        arguments = {
            "client": self.client(region),
            "client_secrets": self.client_secrets(region),
            "timeout": 30,
            **arguments,
            "_ansible_check_mode": check,
            "_ansible_diff": True,
        }
        result, done = run_module_file(name, arguments)
        assert [secret[:4] for secret in self.every_secret() if secret in done.stdout] == []
        return result

    def stage(self, name: str, extra: dict | None = None, *words: str, change=None) -> subprocess.CompletedProcess:
        """Run a stage; output captured, any exit code.

        :param change: function that changes a copy of the inventory for this run.
        """
        regions = {f"{name}_source": SOURCE, f"{name}_target": TARGET} if name in OF_TWO_REGIONS else {}
        extra = {**regions, **(extra or {})}
        if change is None:
            return self.lab.playbooks.run(name, extra, *words, capture=True, check=False)
        other = self.lab.directory / "work" / "changed_inventory"
        shutil.rmtree(other, ignore_errors=True)
        shutil.copytree(self.lab.inventory.directory, other)
        described = self.lab.inventory.load()
        change(described["all"])
        (other / "regions.yml").write_text(yaml.safe_dump(described))
        inventory = Inventory(self.lab.directory)
        inventory.directory = other
        return Playbooks(self.lab.directory, inventory).run(name, extra, *words, capture=True, check=False)

    def lose_and_return(self, meanwhile: Callable[[], object] = lambda: None) -> None:
        """Lose the source, fail over, and start the source again with its disks.

        :param meanwhile: what to do between the loss and the failover.
        """
        self.lab.lose(SOURCE, keep=True)
        meanwhile()
        done = self.stage("failover")
        assert done.returncode == 0, done.stdout[-3000:]
        self.lab.start_again(SOURCE)
        AdminClient(self.admin(SOURCE)).list_topics(timeout=120)

    def kill_after(self, name: str, step: str, extra: dict, seconds: float = 600) -> None:
        """Run a stage and SIGKILL its whole process group as soon as this step is in the steps file."""
        steps = self.lab.playbooks.steps_file
        have = len(steps.read_text().splitlines())
        self.kill_when(
            name,
            lambda: step in [json.loads(line)["step"] for line in steps.read_text().splitlines()[have:]],
            f"'{step}'",
            extra,
            seconds,
        )

    def kill_when(self, name: str, so: Callable[[], bool], what: str, extra: dict, seconds: float = 600) -> None:
        """Run a stage and SIGKILL its whole process group as soon as something is so; ``what`` names it where it never
        is.
        """
        with self._started(name, extra) as process:
            end = time.monotonic() + seconds
            while not so():
                assert process.poll() is None, f"{name} ended before {what}"
                assert time.monotonic() < end, f"{name} did not come to {what}"
                time.sleep(0.05)
            os.killpg(process.pid, signal.SIGKILL)
            assert process.wait(10) == -signal.SIGKILL

    def killed_at_each_change(
        self, name: str, extra: dict, places: Path, within: Path | None = None, seconds: float = 600
    ) -> Iterator[None]:
        """Run a stage again and again, each time until it has changed something that no run before was killed at; that
        run is killed with all its processes. The last run ends by itself; what it says is beside the file of places.

        :param places: file that names the places, with the seconds that a task took.
        :param within: the file of an earlier campaign: kill in the midst of the tasks that it names instead.
        :yields: after each run that was killed.
        """
        told = {
            "ANSIBLE_CALLBACK_PLUGINS": str(ROOT / "tests" / "support" / "callbacks"),
            "ANSIBLE_CALLBACKS_ENABLED": "killed",
            "KAFKA_DR_KILLED_AT": str(places),
            **({"KAFKA_DR_KILLED_WITHIN": str(within)} if within else {}),
        }
        output, code = places.with_suffix(".output"), -signal.SIGKILL
        for runs in itertools.count(1):
            with output.open("w") as file, self._started(name, extra, told, file) as process:
                code = process.wait(seconds)
            if code != -signal.SIGKILL:
                break
            assert len(places.read_text().splitlines()) == runs
            yield
        assert code == 0, output.read_text()

    @contextmanager
    def _started(
        self, name: str, extra: dict, told: dict[str, str] | None = None, output: int | IO[str] = subprocess.DEVNULL
    ) -> Iterator[subprocess.Popen]:
        """A stage for the time of a block, in a process group of its own, which does not outlive it."""
        playbooks = self.lab.playbooks
        process = subprocess.Popen(
            playbooks.command(name, extra),
            env={**playbooks.environment(), **(told or {})},
            cwd=self.lab.directory,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait(10)

    def kill_when_gone(self, name: str, program: str, extra: dict) -> None:
        """Run a stage and SIGKILL its whole process group as soon as supervisord's description of a program is gone."""
        description = self.lab.directory / "services" / "programs" / f"{program}.conf"
        self.kill_when(name, lambda: not description.exists(), f"{program} to be gone", extra)

    def state(self) -> dict:
        """What a stage could have changed: topics with configs and ends, ACLs, users, programs, files of regions."""
        found: dict = {}
        for region in (SOURCE, TARGET):
            client = KafkaClient(self.client(region), self.client_secrets(region), 60, region)
            topics = copy.deepcopy(cluster_state(client, ["topics", "configs"])["topics"])
            found[region] = {
                "topics": topics,
                "acls": describe_acls(client),
                "users": existing_users(client, list(self.secrets["lab_passwords"])),
            }
        found["programs"] = {one["name"]: one["statename"] for one in self.lab.supervisor.processes()}
        regions = self.lab.directory / "regions"
        found["files"] = sorted(
            str(path) for path in regions.rglob("*") if "kafka" not in path.relative_to(regions).parts
        )
        return found

    def every_secret(self) -> list[str]:
        """Passwords, and a line of every private key."""
        clusters = self.secrets["lab_clusters"].values()
        keys = [one[part]["key"].splitlines()[1] for one in clusters for part in ("authority", "broker")]
        return [*self.secrets["lab_passwords"].values(), *(one["admin_password"] for one in clusters), *keys]


@contextmanager
def playground(directory: Path, **options) -> Iterator[Playground]:
    """A lab in this directory that ends with the block, also where it was made half-way."""
    try:
        yield Playground(directory, **options)
    finally:
        Lab(directory).down()
