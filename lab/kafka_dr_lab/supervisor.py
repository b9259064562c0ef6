# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's supervisord: start it, ask it, and end it with everything it keeps, by process id."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
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

        :raises LabError: it does not, with the end of its log.
        """
        if self.pid():
            return
        self.programs.mkdir(parents=True, exist_ok=True)
        self.directory.chmod(0o700)
        if not self.socket:
            self.socket_file.write_text(os.path.join(tempfile.mkdtemp(prefix="kafka-dr-lab-"), "s") + "\n")
        config = self.directory / "supervisord.conf"
        config.write_text(
            f"[unix_http_server]\nfile={self.socket}\nchmod=0600\n[supervisord]\nlogfile={self.directory}/supervisord.log\n"
            f"pidfile={self.pid_file}\nchildlogdir={self.directory}\nminfds=1024\nnodaemon=false\n"
            "[rpcinterface:supervisor]\nsupervisor.rpcinterface_factory = supervisor.rpcinterface:make_main_rpcinterface\n"
            f"[supervisorctl]\nserverurl=unix://{self.socket}\n[include]\nfiles={self.programs}/*.conf\n"
        )
        subprocess.run([sys.executable, "-W", "ignore", "-m", "supervisor.supervisord", "-c", str(config)], check=True, stdin=subprocess.DEVNULL)
        end = time.monotonic() + 20
        while True:
            try:
                self.api().getState()
                return
            except (OSError, Fault):
                if time.monotonic() > end:
                    log = self.directory / "supervisord.log"
                    raise LabError(f"supervisord does not answer after 20 s: {log.read_text()[-500:] if log.exists() else 'no log'}") from None
                time.sleep(0.1)

    def api(self):
        from supervisor.xmlrpc import SupervisorTransport

        return ServerProxy("http://127.0.0.1", transport=SupervisorTransport(None, None, "unix://" + self.socket)).supervisor

    def pid(self) -> int:
        """supervisord's process id; 0 when it does not run. The id must really be this lab's supervisord."""
        try:
            process = psutil.Process(int(self.pid_file.read_text()))
            return process.pid if str(self.directory) in " ".join(process.cmdline()) else 0
        except (OSError, ValueError, psutil.Error):
            return 0

    def processes(self) -> list[dict]:
        """What supervisord says of its programs; empty when it does not run."""
        return self.api().getAllProcessInfo() if self.pid() else []

    def info(self, name: str) -> dict | None:
        return next((one for one in self.processes() if one["name"] == name), None)

    def forget(self, name: str) -> None:
        """Let a program, killed before, be no program any more."""
        for act in (lambda: self.api().stopProcess(name, True), lambda: self.api().removeProcessGroup(name)):
            try:
                act()
            except Fault as fault:
                # NOT_RUNNING and BAD_NAME: it is so already.
                if fault.faultCode not in (70, 10):
                    raise LabError(f"supervisord does not forget {name}: {fault.faultString}") from fault

    def stop(self, seconds: float = 20, keep_socket: bool = False) -> None:
        """Kill supervisord and all of its programs: the lab's data goes with them, so nothing has to be ended in good order.

        :param keep_socket: whether it is to have the same socket when it is started again.
        """
        pid = self.pid()
        if pid:
            # supervisord first, stopped before it is asked for its children, so that it starts none anew.
            os.kill(pid, signal.SIGSTOP)
            family = _family(pid)
            for one in family:
                try:
                    one.kill()
                except psutil.Error:
                    pass
            dummy, left = psutil.wait_procs(family, timeout=seconds)
            if left:
                raise LabError(f"Processes {', '.join(str(one.pid) for one in left)} of the lab do not end after {seconds:.0f} s")
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
