# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines of the lab: each has an SSH server and a supervisord of its own, and is lost with everything on it.

No root is needed: a machine is a set of processes with a loopback port, reached by the real ``ssh`` with a key of its
own. It sees this machine's files, and keeps its own below its directory.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sys
import time
from pathlib import Path
from typing import Any

import psutil

from .errors import LabError
from .ports import HOST
from .supervisor import Supervisor

SERVER = "sshd"
SECONDS = 30


def require_ssh() -> None:
    """Check that machines can be reached.

    :raises LabError: there is no program ssh.
    """
    if shutil.which("ssh") is None:
        raise LabError(
            "Machines of the lab are reached by ssh: expected the program ssh, found none. "
            "Install it (Debian: apt-get install openssh-client); it needs no root to run."
        )


class Machine:
    """One machine.

    :param port: its SSH server's port on loopback.
    """

    def __init__(self, directory: Path, port: int):
        self.directory, self.port = Path(directory), port
        self.keeper = Supervisor(self.directory / "services")

    @property
    def files(self) -> Path:
        """The machine's own files."""
        return self.directory / "files"

    @property
    def key(self) -> Path:
        """The private key that opens its SSH server."""
        return self.directory / "key"

    def variables(self) -> dict[str, Any]:
        """The machine as a host of an inventory."""
        trust = (
            "-o UserKnownHostsFile=/dev/null -o StrictHostKeyChecking=no "
            "-o IdentitiesOnly=yes -o LogLevel=ERROR -F none"
        )
        return {
            "ansible_connection": "ssh",
            "ansible_host": HOST,
            "ansible_port": self.port,
            "ansible_ssh_private_key_file": str(self.key),
            "ansible_ssh_common_args": trust,
            # The controller would still see a connection that is kept open when the machine is lost.
            "ansible_ssh_args": "-o ControlMaster=no",
            "kafka_dr_services": {
                "manager": "supervisord",
                "socket": f"{{{{ lookup('ansible.builtin.file', '{self.keeper.socket_file}') }}}}",
                "directory": str(self.keeper.programs),
            },
        }

    def start(self) -> Machine:
        """Boot the machine: programs that ran before run again.

        :raises LabError: its SSH server does not answer.
        """
        import asyncssh

        self.files.mkdir(parents=True, exist_ok=True)
        self.keeper.programs.mkdir(parents=True, exist_ok=True)
        self.directory.chmod(0o700)
        if not self.key.exists():
            for path in (self.key, self.directory / "host_key"):
                key = asyncssh.generate_private_key("ssh-ed25519")
                with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                    file.write(key.export_private_key())
                path.with_suffix(".pub").write_bytes(key.export_public_key())
        (self.keeper.programs / f"{SERVER}.conf").write_text(
            f"[program:{SERVER}]\ncommand={sys.executable} -m kafka_dr_lab.ssh_server {self.directory} {self.port}\n"
            f"directory={Path(__file__).resolve().parents[1]}\nautostart=true\nautorestart=false\nstartsecs=0\nredirect_stderr=true\n"
            f"stdout_logfile={self.directory}/{SERVER}.log\nstopasgroup=true\nkillasgroup=true\n"
        )
        self.keeper.start()
        end = time.monotonic() + SECONDS
        while not self._greets():
            if time.monotonic() > end:
                log = self.directory / f"{SERVER}.log"
                raise LabError(
                    f"The machine in {self.directory} does not answer on port {self.port} after {SECONDS} s: "
                    f"{log.read_text()[-400:] if log.exists() else 'no log'}"
                )
            time.sleep(0.1)
        return self

    def _greets(self) -> bool:
        try:
            with socket.create_connection((HOST, self.port), 1) as connection:
                connection.settimeout(2)
                return connection.recv(4) == b"SSH-"
        except OSError:
            return False

    def stop(self) -> None:
        """Power failure: every process ends at once. The files stay, and the programs run again after :meth:`start`."""
        self.keeper.stop(keep_socket=True)

    def remove(self) -> None:
        """End the machine for good."""
        self.keeper.stop()

    def hang(self) -> None:
        """Let the machine accept connections and answer nothing."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """End a :meth:`hang`."""
        self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        pid = self.keeper.pid()
        for process in [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)] if pid else []:
            process.send_signal(number)
