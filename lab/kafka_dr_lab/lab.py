# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab as a whole: up, down, status, and the loss of a region."""

from __future__ import annotations

import os
import shutil
import signal
import time
from pathlib import Path
from typing import Any

import psutil

from .errors import LabError
from .inventory import Inventory
from .java import require_java
from .kafka_home import kafka_home
from .landscape import APPLICATIONS_MACHINE, CLUSTERS, LOST_REGION
from .machine import Machine
from .playbook import Playbooks
from .ports import require_free
from .supervisor import Supervisor

NEEDED_MEGABYTES = 3000


def undisturbed() -> None:
    """Ignore signals from now on, so that they cannot interrupt the cleaning up at the end of the program."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


class Lab:
    """One lab, with all of its files below one directory."""

    # Further versions for the report.
    versions: dict[str, str] = {}
    loss = "every process of {region} is killed and its data deleted"
    outage = "every process of {region} is killed; its disks stay"
    sleep = "every process of {region} is stopped, and goes on later"

    def __init__(self, directory: Path, verbose: bool = False):
        self.directory = Path(directory).resolve()
        self.inventory = Inventory(self.directory)
        self.supervisor = Supervisor(self.directory / "services")
        self.playbooks = Playbooks(self.directory, self.inventory, verbose)

    @property
    def sleeper_files(self) -> Path:
        """Where the producer that sleeps with its region keeps its journal, in a drill that has one."""
        return self.inventory.machine(APPLICATIONS_MACHINE, 0).files

    def up(self, options: dict[str, Any]) -> None:
        """Start the regions' clusters anew, or leave a running lab as it is.

        :param options: see :meth:`Inventory.write`.
        :raises LabError: Java, disk space or a port is missing.
        """
        require_java()
        if self.supervisor.pid() and self.inventory.exists():
            print(f"The lab already runs in {self.directory}", flush=True)
            return
        self.down()
        self.directory.mkdir(parents=True, exist_ok=True)
        self._require_space()
        kafka_home()
        self.inventory.write(options)
        hosts = self.inventory.load()["all"]["hosts"]
        require_free(
            {
                f"{name}'s broker": host["kafka_dr_kafka"]["port"]
                for name, host in hosts.items()
                if "kafka_dr_kafka" in host
            }
        )
        self.supervisor.start()
        for machine in self.inventory.machines().values():
            machine.start()
        self.playbooks.run("lab.up")

    def _require_space(self) -> None:
        free = shutil.disk_usage(self.directory).free // 1_000_000
        if free < NEEDED_MEGABYTES:
            raise LabError(
                f"The lab needs {NEEDED_MEGABYTES} MB in {self.directory}; found {free} MB free. "
                "Make room, or name another directory: make drill LAB_DIR=/path"
            )

    def down(self) -> None:
        """Stop everything that the lab started, and delete its data."""
        for machine in self.inventory.machines().values():
            machine.remove()
        self.supervisor.stop()
        for part in self._parts():
            path = self.directory / part
            if path.is_dir():
                shutil.rmtree(path, ignore_errors=True)
            elif path.exists():
                path.unlink()

    def _parts(self) -> tuple[str, ...]:
        """The parts of the directory that are deleted with the lab."""
        return ("regions", "machines", "inventory", "services", "work", "rebuild", ".vault_password")

    def runs(self) -> bool:
        """Whether any process of the lab still runs."""
        return bool(self.supervisor.pid()) or any(
            machine.keeper.pid() for machine in self.inventory.machines().values()
        )

    def status(self) -> str:
        """One line for each program, machine and cluster."""
        programs = self.supervisor.processes()
        if not programs:
            return "The lab is down. Start it with: make lab-up"
        lines = [
            f"{program['name']:32} {program['statename']:10} {program['description']}"
            for program in sorted(programs, key=lambda program: program["name"])
        ]
        hosts = self.inventory.load()["all"]["hosts"]
        lines += [
            f"{name:32} machine, {'runs' if machine.keeper.pid() else 'lost'}"
            for name, machine in self.inventory.machines().items()
        ]
        lines += [
            f"{name:32} {host['kafka_dr_client']['bootstrap.servers']}"
            for name, host in hosts.items()
            if "kafka_dr_client" in host
        ]
        return "\n".join(lines)

    def cluster(self, name: str) -> str:
        """Check that a region has this name and a cluster; returns the name.

        :raises LabError: the lab is down, or has no such region.
        """
        if not self.inventory.exists():
            raise LabError(f"The lab in {self.directory} is down: expected it to run. Start it with: make lab-up")
        if name not in CLUSTERS:
            raise LabError(f"Region {name} has no cluster in the lab: expected {' or '.join(CLUSTERS)}")
        return name

    def client(self, region: str, user: str) -> dict[str, Any]:
        """librdkafka configuration of a user in a region, with its password."""
        client = self.inventory.load()["all"]["hosts"][region]["kafka_dr_client"]
        return {**client, "sasl.username": user, "sasl.password": self.inventory.load_secrets()["lab_passwords"][user]}

    def halt(self, name: str) -> None:
        """Stop an application or a mirror, and wait until it is gone."""
        machines = [machine.keeper for machine in self.inventory.machines().values()]
        keeper = next((keeper for keeper in (self.supervisor, *machines) if keeper.info(name)), self.supervisor)
        keeper.api().stopProcess(name, True)

    def revive(self, name: str) -> None:
        """Start an application or a mirror again, without waiting for it."""
        self.supervisor.api().startProcess(name, False)

    def clear(self, region: str) -> None:
        """Remove what a lost region leaves behind that blocks its restore; on hosts there is nothing."""

    def bring_back(self, region: str) -> None:
        """Start a lost region again, empty."""
        self.playbooks.run("lab.return_region", {"lab_region": region})

    def pids(self, *names: str) -> list[int]:
        """Process ids of programs and of all their children."""
        found = []
        for name in names:
            info = self.supervisor.info(name)
            if info and info["pid"]:
                parent = psutil.Process(info["pid"])
                found += [parent.pid, *(child.pid for child in parent.children(recursive=True))]
        return found

    def signal(self, number: int, *names: str) -> None:
        """Send a signal to programs."""
        for pid in self.pids(*names):
            os.kill(pid, number)

    def start_again(self, region: str) -> None:
        """Start the broker of a region that was lost with its disks kept, so that nothing of it expires."""
        self.playbooks.run("start_held", {"start_held_region": region})

    def fall_asleep(self, region: str) -> float:
        """Stop every process of the region, its machines included: they answer nobody, and know nothing of it.

        :returns: when, in seconds since the epoch.
        """
        when = time.time()
        self.signal(signal.SIGSTOP, *self._programs(region))
        for machine in self._machines(region):
            machine.hang()
        return when

    def wake(self, region: str) -> float:
        """Let every process of the region go on; returns when, in seconds since the epoch."""
        when = time.time()
        self.signal(signal.SIGCONT, *self._programs(region))
        for machine in self._machines(region):
            machine.go_on()
        return when

    def _machines(self, region: str) -> list[Machine]:
        return list(self.inventory.machines().values()) if region == LOST_REGION else []

    def _programs(self, region: str) -> list[str]:
        """The region's broker, and further programs with files there, such as a mirror that copies its records back."""
        broker = self.inventory.load()["all"]["hosts"][region]["kafka_dr_kafka"]["name"]
        place = self.directory / "regions" / region
        paths = sorted(self.supervisor.programs.glob("*.conf"))
        return [broker, *(path.stem for path in paths if path.stem != broker and f"{place}/" in path.read_text())]

    def lose(self, region: str, keep: bool = False) -> float:
        """Kill every process of the region with SIGKILL, its machines included, and delete its data.

        :param keep: whether its disks stay.

        :returns: the time of the loss, seconds since the epoch.
        """
        broker, *others = self._programs(region)
        place = self.directory / "regions" / region
        when = time.time()
        self.signal(signal.SIGKILL, broker, *others)
        for machine in self._machines(region):
            machine.stop()
        for name in others:
            if keep:
                self.supervisor.rest(name)
            else:
                self.supervisor.forget(name)
                (self.supervisor.programs / f"{name}.conf").unlink()
        if not keep:
            shutil.rmtree(place, ignore_errors=True)
        # supervisord does not read a program's description when the directory of its log is missing.
        (place / "kafka").mkdir(parents=True, exist_ok=True)
        end = time.monotonic() + 10
        while (self.supervisor.info(broker) or {}).get("statename") == "RUNNING":
            if time.monotonic() > end:
                raise LabError(f"{broker} still runs 10 s after SIGKILL")
            time.sleep(0.05)
        return when
