# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's regions as an inventory, with passwords and keys in a vault beside it."""

from __future__ import annotations

import os
import secrets
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from .ansible_programs import environment, program
from .errors import LabError
from .hosts import Variables, applications_host, cluster_host, machine_hosts
from .kafka_home import kafka_home
from .landscape import (
    APPLICATION_USERS,
    APPLICATIONS_MACHINE,
    APPLICATIONS_REGION,
    CLUSTERS,
    MIRROR,
    MIRROR_MACHINE,
    MIRROR_TARGET,
    SERVICE_USERS,
)
from .machine import Machine, require_ssh
from .pki import new_authority, new_certificate
from .ports import HOST, free_ports

HEADER = (
    "# The lab's regions. Written by the lab; deleted by 'make lab-down'. "
    "Secrets are in group_vars/all/secrets.yml (ansible-vault).\n"
)


class Inventory:
    """The inventory directory of one lab: ``regions.yml`` for people, ``group_vars/all/secrets.yml`` vaulted."""

    def __init__(self, lab_directory: Path):
        self.lab = Path(lab_directory)
        self.directory = self.lab / "inventory"
        self.vault_password = self.lab / ".vault_password"
        self.regions_file = self.directory / "regions.yml"
        self.secrets_file = self.directory / "group_vars" / "all" / "secrets.yml"
        self._secrets: dict[str, Any] | None = None

    def exists(self) -> bool:
        """Whether both files are there."""
        return self.regions_file.exists() and self.secrets_file.exists()

    def write(self, options: dict[str, Any]) -> None:
        """Find ports, make keys and passwords, and write both files.

        :param options: ``history``, ``rate``, ``records``: arguments of the producer; ``machines``: whether some
            programs run on machines of their own; ``sleeps``: whether one of these is a producer; ``watch``: whether
            mirrors have one; ``broker``: further properties of the brokers; ``network``: by region, see
            :func:`.hosts.cluster_host`; ``further``: names of further regions with a cluster.
        """
        self._prepare()
        clusters = [*CLUSTERS, *(options.get("further") or ())]
        ports = iter(free_ports(5 * len(clusters) + 3))
        authorities = {name: new_authority(f"{name} lab CA") for name in clusters}
        hosts = self._hosts(options, ports, authorities)
        variables = {
            **self._shared_variables(),
            "kafka_dr_services": {
                "manager": "supervisord",
                "socket": f"{{{{ lookup('ansible.builtin.file', '{self.lab / 'services' / 'socket'}') }}}}",
                "directory": str(self.lab / "services" / "programs"),
            },
            # Every plugin here has a manifest; looking through all 94 jars twice costs six seconds.
            "kafka_dr_mirrors": [{**MIRROR, "config": {"worker": {"plugin.discovery": "service_load"}}}],
        }
        users = [*SERVICE_USERS.values(), *(user["name"] for user in APPLICATION_USERS)]
        vaulted = {
            "lab_passwords": {name: secrets.token_urlsafe(24) for name in users},
            **self._shared_secrets(),
            "lab_clusters": {
                name: {
                    "admin_password": secrets.token_urlsafe(24),
                    "authority": authorities[name],
                    "broker": new_certificate(
                        authorities[name], f"{name}-kafka", [self._address(options, name), HOST, "localhost"]
                    ),
                }
                for name in clusters
            },
        }
        self._write(variables, hosts, vaulted)

    def _prepare(self) -> None:
        self._secrets = None
        self.secrets_file.parent.mkdir(parents=True, exist_ok=True)
        self.lab.chmod(0o700)

    def _hosts(
        self, options: dict[str, Any], ports: Iterator[int], authorities: dict[str, dict[str, str]]
    ) -> dict[str, Variables]:
        hosts = {
            name: cluster_host(
                name,
                self.lab / "regions" / name,
                kafka_home(),
                authorities[name]["certificate"],
                [next(ports) for dummy in range(4)],
                options.get("broker") or {},
                (options.get("network") or {}).get(name),
            )
            for name in authorities
        }
        if options.get("watch"):
            for name in CLUSTERS:
                hosts[name]["kafka_dr_watch"] = {"interval": 1, "metrics": {"port": next(ports)}}
        if options.get("machines"):
            require_ssh()
            # Before the other applications, so that those never run where one dead machine ends a stage.
            apps, mirror = self.machine(APPLICATIONS_MACHINE, next(ports)), self.machine(MIRROR_MACHINE, next(ports))
            hosts.update(machine_hosts(apps, mirror, next(ports), options.get("sleeps", False)))
            hosts[MIRROR_TARGET].update(
                kafka_dr_mirror_hosts=[MIRROR_MACHINE, MIRROR_TARGET], kafka_dr_mirror_rest_host=HOST
            )
        hosts[APPLICATIONS_REGION] = applications_host(self.lab / "regions" / APPLICATIONS_REGION, options)
        return hosts

    @staticmethod
    def _address(options: dict[str, Any], name: str) -> str:
        return ((options.get("network") or {}).get(name) or {}).get("address", HOST)

    def _shared_variables(self) -> Variables:
        """Variables of all hosts, whatever the platform."""
        return {
            "ansible_connection": "local",
            "ansible_python_interpreter": "{{ ansible_playbook_python }}",
            "kafka_dr_workdir": str(self.lab / "work"),
            "kafka_dr_mirrors": [MIRROR],
            "kafka_dr_ledger_replication_factor": 1,
        }

    def _shared_secrets(self) -> dict[str, str]:
        """Secrets of all hosts, whatever the platform."""
        return {
            "kafka_dr_rebuild_secret": secrets.token_urlsafe(24),
            "kafka_dr_ledger_secret": secrets.token_urlsafe(32),
        }

    def _write(self, variables: Variables, hosts: dict[str, Variables], vaulted: dict[str, Any]) -> None:
        clusters: Variables = {"hosts": {name: {} for name in vaulted.get("lab_clusters", CLUSTERS)}}
        regions = {"all": {"vars": variables, "hosts": hosts, "children": {"clusters": clusters}}}
        self.regions_file.write_text(HEADER + yaml.safe_dump(regions, sort_keys=False, width=160))
        self._write_vault(vaulted)

    def machine(self, name: str, port: int) -> Machine:
        """A machine of the lab, whether it runs or not."""
        return Machine(self.lab / "machines" / name, port)

    def machines(self) -> dict[str, Machine]:
        """The lab's machines by name."""
        hosts = self.load()["all"]["hosts"] if self.exists() else {}
        return {
            name: self.machine(name, host["ansible_port"])
            for name, host in hosts.items()
            if host.get("ansible_connection") == "ssh"
        }

    def _write_vault(self, content: dict[str, Any]) -> None:
        with open(os.open(self.vault_password, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(32) + "\n")
        with open(os.open(self.secrets_file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            file.write(self._vault("encrypt", "--output", "-", text=yaml.safe_dump(content, sort_keys=False)))

    def load(self) -> dict[str, Any]:
        """The regions as written, without secrets."""
        return yaml.safe_load(self.regions_file.read_text())

    def load_secrets(self) -> dict[str, Any]:
        """The vaulted content, read once, since each reading starts a program."""
        if self._secrets is None:
            self._secrets = self._read_secrets()
        return self._secrets

    def _read_secrets(self) -> dict[str, Any]:
        return yaml.safe_load(self._vault("view", str(self.secrets_file)))

    def _vault(self, *words: str, text: str | None = None) -> str:
        """Output of ``ansible-vault`` with the lab's password.

        :raises LabError: ansible-vault failed.
        """
        result = subprocess.run(
            [program("ansible-vault"), words[0], "--vault-password-file", str(self.vault_password), *words[1:]],
            input=text,
            capture_output=True,
            text=True,
            env=environment(),
            check=False,
        )
        if result.returncode:
            raise LabError(
                f"The lab's secrets in {self.secrets_file}: expected ansible-vault {words[0]} to succeed, "
                f"found {result.stderr.strip()}. Restart the lab: make lab-down lab-up"
            )
        return result.stdout
