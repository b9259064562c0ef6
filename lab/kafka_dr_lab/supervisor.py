# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's supervisord: start it, query it, and end it with all of its programs, by process id."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xmlrpc.client import Fault, ServerProxy

import psutil

from .errors import LabError


class Supervisor:
    """supervisord of one lab directory.

    The socket has a short path of its own, since a Unix socket's path may not be longer than about 100 bytes.
    """

    def __init__(self, directory: Path):
        self.directory = Path(directory)
        self.programs = self.directory / "programs"
        self.pid_file = self.directory / "supervisord.pid"
        self.socket_file = self.directory / "socket"

    @property
    def socket(self) -> str:
        return self.socket_file.read_text().strip() if self.socket_file.exists() else ""

    def start(self) -> None:
        """Start supervisord and wait until it answers.

        :raises LabError: it does not answer within 20 s; the end of its log is in the message.
        """
        if self.pid():
            return
        self.programs.mkdir(parents=True, exist_ok=True)
        self.directory.chmod(0o700)
        if not self.socket:
            self.socket_file.write_text(os.path.join(tempfile.mkdtemp(prefix="kafka-dr-lab-"), "s") + "\n")
        config = self.directory / "supervisord.conf"
        config.write_text(
            f"[unix_http_server]\nfile={self.socket}\nchmod=0600\n"
            f"[supervisord]\nlogfile={self.directory}/supervisord.log\n"
            f"pidfile={self.pid_file}\nchildlogdir={self.directory}\nminfds=1024\nnodaemon=false\n"
            "[rpcinterface:supervisor]\n"
            "supervisor.rpcinterface_factory = supervisor.rpcinterface:make_main_rpcinterface\n"
            f"[supervisorctl]\nserverurl=unix://{self.socket}\n[include]\nfiles={self.programs}/*.conf\n"
        )
        subprocess.run(
            [sys.executable, "-W", "ignore", "-m", "supervisor.supervisord", "-c", str(config)],
            check=True,
            stdin=subprocess.DEVNULL,
        )
        end = time.monotonic() + 20
        while True:
            try:
                self.api().getState()
                return
            except (OSError, Fault):
                if time.monotonic() > end:
                    log = self.directory / "supervisord.log"
                    tail = log.read_text()[-500:] if log.exists() else "no log"
                    raise LabError(f"supervisord does not answer after 20 s: {tail}") from None
                time.sleep(0.1)

    def api(self) -> Any:
        """Proxy of supervisord's XML-RPC methods."""
        from supervisor.xmlrpc import SupervisorTransport

        return ServerProxy(
            "http://127.0.0.1", transport=SupervisorTransport(None, None, "unix://" + self.socket)
        ).supervisor

    def pid(self) -> int:
        """supervisord's process id; 0 when it does not run. The id must really be this lab's supervisord."""
        try:
            process = psutil.Process(int(self.pid_file.read_text()))
            return process.pid if str(self.directory) in " ".join(process.cmdline()) else 0
        except (OSError, ValueError, psutil.Error):
            return 0

    def processes(self) -> list[dict[str, Any]]:
        """``getAllProcessInfo`` of supervisord; empty when it does not run."""
        return self.api().getAllProcessInfo() if self.pid() else []

    def info(self, name: str) -> dict[str, Any] | None:
        """supervisord's entry for one program; None where it has none."""
        return next((process for process in self.processes() if process["name"] == name), None)

    def rest(self, name: str) -> None:
        """Let supervisord start a program, which was killed before, no more."""
        self._ask(name, lambda: self.api().stopProcess(name, True))

    def forget(self, name: str) -> None:
        """Remove a program, which was killed before, from supervisord."""
        self.rest(name)
        self._ask(name, lambda: self.api().removeProcessGroup(name))

    def _ask(self, name: str, request: Callable[[], Any]) -> None:
        try:
            request()
        except Fault as fault:
            # NOT_RUNNING and BAD_NAME: already done.
            if fault.faultCode not in (70, 10):
                raise LabError(f"supervisord does not remove {name}: {fault.faultString}") from fault

    def stop(self, seconds: float = 20, keep_socket: bool = False) -> None:
        """Kill supervisord and all of its programs. The lab's data is deleted with them, so nothing needs an orderly
        shutdown.

        :param keep_socket: whether supervisord keeps its socket for the next start.
        """
        pid = self.pid()
        if pid:
            # supervisord first, stopped before it is asked for its children, so that it starts none anew.
            os.kill(pid, signal.SIGSTOP)
            family = _family(pid)
            for process in family:
                try:
                    process.kill()
                except psutil.Error:
                    pass
            dummy, left = psutil.wait_procs(family, timeout=seconds)
            if left:
                pids = ", ".join(str(process.pid) for process in left)
                raise LabError(f"Processes {pids} of the lab still run {seconds:.0f} s after SIGKILL")
        if self.socket and not keep_socket:
            socket = Path(self.socket)
            socket.unlink(missing_ok=True)
            if socket.parent.exists():
                socket.parent.rmdir()
            self.socket_file.unlink()


def _family(pid: int) -> list[psutil.Process]:
    try:
        parent = psutil.Process(pid)
        return [parent, *parent.children(recursive=True)]
    except psutil.Error:
        return []
