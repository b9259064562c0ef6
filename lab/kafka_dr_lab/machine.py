# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines of the lab: each has an SSH server and a supervisord of its own, and dies with everything on it.

No root is needed: a machine is a family of processes on a loopback port, reached by the real ``ssh`` with a key of its own. It has the files of this
machine, and what it keeps itself below its directory.
"""

from __future__ import annotations

import os
import shutil
import signal
import socket
import sys
import time
from pathlib import Path

import psutil

from .errors import LabError
from .ports import HOST
from .supervisor import Supervisor

SERVER = "sshd"
SECONDS = 30


def require_ssh() -> None:
    """Refuse where machines cannot be reached.

    :raises LabError: there is no ssh.
    """
    if shutil.which("ssh") is None:
        raise LabError("Machines of the lab are reached by ssh: expected the program ssh, found none. Install it (Debian: apt-get install openssh-client); "
                       "it needs no root to run.")


class Machine:
    """One machine.

    :param port: its SSH server's port on loopback.
    """

    def __init__(self, directory: Path, port: int):
        self.directory, self.port = Path(directory), port
        self.keeper = Supervisor(self.directory / "services")

    @property
    def files(self) -> Path:
        """What the machine keeps."""
        return self.directory / "files"

    @property
    def key(self) -> Path:
        return self.directory / "key"

    def variables(self) -> dict:
        """The machine as a host of an inventory."""
        trust = "-o UserKnownHostsFile=/dev/null -o StrictHostKeyChecking=no -o IdentitiesOnly=yes -o LogLevel=ERROR -F none"
        return {
            "ansible_connection": "ssh", "ansible_host": HOST, "ansible_port": self.port, "ansible_ssh_private_key_file": str(self.key),
            "ansible_ssh_common_args": trust,
            # A connection that is kept open would outlive the machine for the controller.
            "ansible_ssh_args": "-o ControlMaster=no",
            "kafka_dr_services": {"manager": "supervisord", "socket": "{{ lookup('ansible.builtin.file', '%s') }}" % self.keeper.socket_file,
                                  "directory": str(self.keeper.programs)},
        }

    def start(self) -> Machine:
        """Boot it: what it was told to keep running before, runs again.

        :raises LabError: its SSH server does not answer.
        """
        import asyncssh

        self.files.mkdir(parents=True, exist_ok=True)
        self.keeper.programs.mkdir(parents=True, exist_ok=True)
        self.directory.chmod(0o700)
        if not self.key.exists():
            for path in (self.key, self.directory / "host_key"):
                made = asyncssh.generate_private_key("ssh-ed25519")
                with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                    file.write(made.export_private_key())
                path.with_suffix(".pub").write_bytes(made.export_public_key())
        (self.keeper.programs / f"{SERVER}.conf").write_text(
            f"[program:{SERVER}]\ncommand={sys.executable} -m kafka_dr_lab.ssh_server {self.directory} {self.port}\n"
            f"directory={Path(__file__).resolve().parents[1]}\nautostart=true\nautorestart=false\nstartsecs=0\nredirect_stderr=true\n"
            f"stdout_logfile={self.directory}/{SERVER}.log\nstopasgroup=true\nkillasgroup=true\n")
        self.keeper.start()
        end = time.monotonic() + SECONDS
        while not self._greets():
            if time.monotonic() > end:
                log = self.directory / f"{SERVER}.log"
                raise LabError(f"The machine in {self.directory} does not answer on port {self.port} after {SECONDS} s: "
                               f"{log.read_text()[-400:] if log.exists() else 'no log'}")
            time.sleep(0.1)
        return self

    def _greets(self) -> bool:
        try:
            with socket.create_connection((HOST, self.port), 1) as one:
                one.settimeout(2)
                return one.recv(4) == b"SSH-"
        except OSError:
            return False

    def stop(self) -> None:
        """The power goes: everything on it ends at once; its files stay, and what ran will run again."""
        self.keeper.stop(keep_socket=True)

    def remove(self) -> None:
        """End it for good."""
        self.keeper.stop()

    def hang(self) -> None:
        """Let it accept connections and answer nothing."""
        self._signal(signal.SIGSTOP)

    def go_on(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: int) -> None:
        pid = self.keeper.pid()
        for one in [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)] if pid else []:
            one.send_signal(number)
