# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's regions as an inventory, with passwords and keys in a vault beside it."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
from pathlib import Path

import yaml

from .ansible_programs import environment, program
from .errors import LabError
from .kafka_home import kafka_home
from .machine import Machine, require_ssh
from .pki import new_authority, new_certificate
from .ports import HOST, free_ports

CLUSTERS = ("north_america", "europe")
APPLICATIONS_REGION = "south_america"
SERVICE_USERS = {"stages": "kdr-stages", "mirror": "kdr-mirror", "proof": "kdr-proof", "witness": "kdr-witness"}
TOPICS = ("flights.departed", "flights.cancelled", "flights.delayed")
PARTITIONS = 3
GROUP = "flights-dashboard"
# Machines of the region that is lost, where a drill asks for some: one keeps an application, the other runs the mirror beside the target's own.
LOST_REGION, MIRROR_TARGET = "north_america", "europe"
APPLICATIONS_MACHINE, MIRROR_MACHINE = "america_apps", "america_mirror"
ARCHIVE, ARCHIVE_GROUP = "departures-archive", f"{GROUP}-archive"
MIRROR: dict = {
    "name": "north-america-to-europe", "source": "north_america", "target": "europe", "topics": [r"flights\..*"], "groups": [f"{GROUP}.*"],
    "tuning": {"replication_factor": 1, "refresh_seconds": 5, "checkpoint_seconds": 2, "tasks_max": 2, "max_record_bytes": 8388608},
}
JAVA_OPTIONS = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Dorg.slf4j.simpleLogger.defaultLogLevel=warn -Dorg.slf4j.simpleLogger.showDateTime=true"

APPLICATION_USERS: list[dict] = [
    {"name": "departures-producer", "purpose": "application", "acls": [
        {"resource": "topic", "name": "flights.", "pattern": "prefixed", "operations": ["WRITE", "DESCRIBE"]}]},
    {"name": "departures-consumer", "purpose": "application", "acls": [
        {"resource": "topic", "name": "flights.", "pattern": "prefixed", "operations": ["READ", "DESCRIBE"]},
        {"resource": "group", "name": GROUP, "pattern": "prefixed", "operations": ["READ", "DESCRIBE"]}]},
]

# What years leave behind in a cluster, and no inventory lists.
STRAY_ACLS: list[dict] = [
    {"principal": "departures-producer", "resource": "topic", "name": "*", "operations": ["ALL"]},
    {"principal": "departures-consumer", "resource": "topic", "name": TOPICS[0], "operations": ["WRITE"]},
    {"principal": "departures-consumer", "resource": "cluster", "operations": ["CREATE"]},
    {"principal": "departures-producer", "resource": "transactional_id", "name": "*", "operations": ["WRITE"]},
]


def _cluster_id() -> str:
    """A random cluster id; none that begins with a dash, which the format command would take for an option (as Kafka's Uuid avoids)."""
    while (made := secrets.token_urlsafe(16)).startswith("-"):
        pass
    return made


def _application(directory: Path, name: str, role: str, words: str, **more) -> dict:
    """A program of the lab as the inventory describes it; its journal is ``ROLE.sqlite`` in the directory."""
    programs = Path(__file__).resolve().parent.parent / "apps"
    return {
        "name": name, "kind": "process", "role": role, "principals": [name], "directory": str(directory), "log": str(directory / f"{name}.log"),
        "command": f"{sys.executable} {programs}/{words} --journal {directory}/{role}.sqlite",
        "environment_file": str(directory / f"{name}.env"), "stop_seconds": 5, **more,
    }


class Inventory:
    """The inventory directory of one lab: ``regions.yml`` for people, ``group_vars/all/secrets.yml`` vaulted."""

    def __init__(self, lab_directory: Path):
        self.lab = Path(lab_directory)
        self.directory = self.lab / "inventory"
        self.vault_password = self.lab / ".vault_password"
        self.regions_file = self.directory / "regions.yml"
        self._secrets: dict | None = None
        self.secrets_file = self.directory / "group_vars" / "all" / "secrets.yml"

    def exists(self) -> bool:
        return self.regions_file.exists() and self.secrets_file.exists()

    def write(self, options: dict) -> None:
        """Find ports, make keys and passwords, and write both files.

        :param options: ``history``, ``rate``, ``records``: what the applications are told; ``machines``: whether some programs are on machines of their own;
            ``broker``: further properties of the brokers.
        """
        self._secrets = None
        self.secrets_file.parent.mkdir(parents=True, exist_ok=True)
        self.lab.chmod(0o700)
        ports = iter(free_ports(2 * len(CLUSTERS) + 2 * len(CLUSTERS) + 3))
        authorities = {name: new_authority(f"{name} lab CA") for name in CLUSTERS}
        passwords = {name: secrets.token_urlsafe(24) for name in [*SERVICE_USERS.values(), *(user["name"] for user in APPLICATION_USERS)]}
        vaulted = {
            "lab_passwords": passwords,
            "kafka_dr_rebuild_secret": secrets.token_urlsafe(24),
            "kafka_dr_ledger_secret": secrets.token_urlsafe(32),
            "lab_clusters": {
                name: {
                    "admin_password": secrets.token_urlsafe(24),
                    "authority": authorities[name],
                    "broker": new_certificate(authorities[name], f"{name}-kafka", [HOST, "localhost"]),
                } for name in CLUSTERS
            },
        }
        hosts = {name: self._cluster(name, authorities[name]["certificate"], [next(ports) for dummy in range(4)], options.get("broker") or {})
                 for name in CLUSTERS}
        if options.get("machines"):
            hosts.update(self._machines([next(ports) for dummy in range(3)]))
            hosts[MIRROR_TARGET].update(kafka_dr_mirror_hosts=[MIRROR_MACHINE, MIRROR_TARGET], kafka_dr_mirror_rest_host=HOST)
        hosts[APPLICATIONS_REGION] = self._applications(options)
        everything = {
            "all": {
                "vars": {
                    "ansible_connection": "local",
                    "ansible_python_interpreter": "{{ ansible_playbook_python }}",
                    "kafka_dr_workdir": str(self.lab / "work"),
                    "kafka_dr_services": {"manager": "supervisord", "socket": "{{ lookup('ansible.builtin.file', '%s') }}" % (self.lab / "services" / "socket"),
                                          "directory": str(self.lab / "services" / "programs")},
                    "kafka_dr_mirrors": [{
                        # Every plugin here has a manifest; looking through all 94 jars twice costs six seconds.
                        **MIRROR, "config": {"worker": {"plugin.discovery": "service_load"}},
                    }],
                    "kafka_dr_ledger_replication_factor": 1,
                },
                "hosts": hosts,
                "children": {"clusters": {"hosts": {name: {} for name in CLUSTERS}}},
            }
        }
        self._write(everything, vaulted)

    def _write(self, everything: dict, vaulted: dict) -> None:
        self.regions_file.write_text(
            "# The lab's regions. Written by the lab; gone with 'make lab-down'. Secrets are in group_vars/all/secrets.yml (ansible-vault).\n"
            + yaml.safe_dump(everything, sort_keys=False, width=160))
        self._write_vault(vaulted)

    def _cluster(self, name: str, certificate: str, ports: list[int], broker: dict) -> dict:
        client_port, controller_port, rest_port, reverse_rest_port = ports
        directory = self.lab / "regions" / name
        users = [{"name": user, "purpose": purpose, "password": "{{ lab_passwords['%s'] }}" % user} for purpose, user in SERVICE_USERS.items()]
        users += [{**user, "password": "{{ lab_passwords['%s'] }}" % user["name"]} for user in APPLICATION_USERS]
        return {
            "kafka_dr_platform": "host",
            "kafka_dr_client": {
                "bootstrap.servers": f"{HOST}:{client_port}", "security.protocol": "SASL_SSL", "sasl.mechanism": "SCRAM-SHA-512",
                "sasl.username": SERVICE_USERS["stages"], "ssl.ca.pem": certificate,
            },
            "kafka_dr_client_secrets": {"sasl.password": "{{ lab_passwords['%s'] }}" % SERVICE_USERS["stages"]},
            "kafka_dr_users": users,
            "kafka_dr_topics": [
                {"name": topic, "partitions": PARTITIONS, "replication_factor": 1,
                 # Records of 2013: with the usual seven days every one would be deleted at once.
                 "configs": {"retention.ms": -1}} for topic in TOPICS
            ],
            "kafka_dr_kafka": {
                "name": f"{name}-kafka", "home": str(kafka_home()), "directory": str(directory / "kafka"),
                "port": client_port, "controller_port": controller_port,
                "cluster_id": _cluster_id(), "heap": "768m", "java_options": JAVA_OPTIONS,
                # A lost region must stay lost.
                "restart": False,
                "config": {
                    "offsets.topic.replication.factor": 1, "offsets.topic.num.partitions": 5, "transaction.state.log.replication.factor": 1,
                    "transaction.state.log.min.isr": 1, "transaction.state.log.num.partitions": 5, "group.initial.rebalance.delay.ms": 0,
                    "default.replication.factor": 1, **broker,
                },
            },
            "kafka_dr_kafka_secrets": "{{ lab_clusters['%s'] }}" % name,
            "kafka_dr_kafka_home": str(kafka_home()),
            "kafka_dr_mirror_directory": str(directory / "mirrors"),
            "kafka_dr_mirror_rest_port": rest_port,
            "kafka_dr_mirror_heap": "768m",
            "kafka_dr_java_options": JAVA_OPTIONS,
            "kafka_dr_rebuild_directory": str(directory / "rebuild"),
            "lab_spare_port": reverse_rest_port,
            "lab_stray_acls": STRAY_ACLS if name == MIRROR["source"] else [],
        }

    def machine(self, name: str, port: int) -> Machine:
        """A machine of the lab; whether it runs is another matter."""
        return Machine(self.lab / "machines" / name, port)

    def machines(self) -> dict[str, Machine]:
        """The lab's machines by name."""
        hosts = self.load()["all"]["hosts"] if self.exists() else {}
        return {name: self.machine(name, one["ansible_port"]) for name, one in hosts.items() if one.get("ansible_connection") == "ssh"}

    def _machines(self, ports: list[int]) -> dict:
        """The machines of the region that is lost; before other applications, so that these come to nothing where one dead machine ends a stage."""
        require_ssh()
        apps, mirror = self.machine(APPLICATIONS_MACHINE, ports[0]), self.machine(MIRROR_MACHINE, ports[1])
        archive = _application(apps.files, ARCHIVE, "consumer", "departures_consumer.py", principals=["departures-consumer"], groups=[ARCHIVE_GROUP],
                               environment={"KAFKA_GROUP": ARCHIVE_GROUP})
        return {
            APPLICATIONS_MACHINE: {**apps.variables(), "kafka_dr_applications": [archive]},
            MIRROR_MACHINE: {**mirror.variables(), "kafka_dr_mirror_directory": str(mirror.files / "mirrors"), "kafka_dr_mirror_rest_port": ports[2],
                             "kafka_dr_mirror_rest_host": HOST, "kafka_dr_mirror_heap": "512m"},
        }

    def _applications(self, options: dict) -> dict:
        directory = self.lab / "regions" / APPLICATIONS_REGION
        directory.mkdir(parents=True, exist_ok=True)
        producer = f"departures_producer.py {options['records']} --history {options['history']} --rate {options['rate']}"
        return {
            "kafka_dr_platform": "host",
            "kafka_dr_applications": [
                _application(directory, "departures-consumer", "consumer", "departures_consumer.py", groups=[GROUP], environment={"KAFKA_GROUP": GROUP}),
                _application(directory, "departures-producer", "producer", producer),
            ],
        }

    def _write_vault(self, content: dict) -> None:
        with open(os.open(self.vault_password, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(32) + "\n")
        with open(os.open(self.secrets_file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(self._vault("encrypt", "--output", "-", text=yaml.safe_dump(content, sort_keys=False)))

    def load(self) -> dict:
        """The regions as written, without secrets."""
        return yaml.safe_load(self.regions_file.read_text())

    def load_secrets(self) -> dict:
        """The vaulted content, read once: each reading is a program of its own."""
        if self._secrets is None:
            self._secrets = self._read_secrets()
        return self._secrets

    def _read_secrets(self) -> dict:
        return yaml.safe_load(self._vault("view", str(self.secrets_file)))

    def _vault(self, *words: str, text: str | None = None) -> str:
        """What ``ansible-vault`` answers, with the lab's password.

        :raises LabError: it failed.
        """
        done = subprocess.run([program("ansible-vault"), words[0], "--vault-password-file", str(self.vault_password), *words[1:]],
                              input=text, capture_output=True, text=True, env=environment(), check=False)
        if done.returncode:
            raise LabError(f"The lab's secrets in {self.secrets_file}: expected ansible-vault {words[0]} to work; found {done.stderr.strip()}. "
                           "End the lab and start it anew: make lab-down lab-up")
        return done.stdout
