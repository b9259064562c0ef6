# SPDX-License-Identifier: GPL-3.0-or-later
"""The process of the stand-in operator, and the processes that it started."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import psutil

# The directory that holds the package kafka_dr_lab.
LAB = Path(__file__).resolve().parents[2]
MODULE = "kafka_dr_lab.kubernetes.operator"
# A file of a namespace's name in here: its nodes are down, and no process of it is started.
DOWN = "nodes-down"


class OperatorProcess:
    """The stand-in operator of one lab.

    :param directory: where its log, its process id, and the files of brokers and workers are.
    """

    def __init__(self, directory: Path, kubeconfig: Path):
        self.directory, self.kubeconfig = directory, kubeconfig
        self._pid_file = directory / "operator.pid"

    def start(self) -> None:
        """Start the operator in a session of its own."""
        self.directory.mkdir(parents=True, exist_ok=True)
        with open(self.directory / "operator.log", "ab") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", MODULE, str(self.kubeconfig), str(self.directory)],
                cwd=LAB,
                stdout=log,
                stderr=log,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        self._pid_file.write_text(f"{process.pid} {psutil.Process(process.pid).create_time()}")

    def pid(self) -> int:
        """The process id; 0 where the operator does not run. A process that was created at another time does not
        count.
        """
        try:
            pid, created_at = self._pid_file.read_text().split()
            process = psutil.Process(int(pid))
            same = abs(process.create_time() - float(created_at)) < 1
            return process.pid if same and process.status() != psutil.STATUS_ZOMBIE else 0
        except (OSError, ValueError, psutil.Error):
            return 0

    def node_down(self, namespace: str) -> None:
        """From now on no broker and no worker of the namespace is started."""
        (self.directory / DOWN).mkdir(parents=True, exist_ok=True)
        (self.directory / DOWN / namespace).touch()

    def node_up(self, namespace: str) -> None:
        """Start what the namespace has, on the disks that it had."""
        (self.directory / DOWN / namespace).unlink(missing_ok=True)

    def children(self) -> list[psutil.Process]:
        """Everything that the operator started: brokers, workers, applications."""
        pid = self.pid()
        return psutil.Process(pid).children(recursive=True) if pid else []

    def kill(self) -> None:
        """Kill the operator and everything that it started."""
        pid = self.pid()
        if not pid:
            return
        family = [psutil.Process(pid), *self.children()]
        for process in family:
            try:
                process.kill()
            except psutil.Error:
                pass
        psutil.wait_procs(family, timeout=20)
