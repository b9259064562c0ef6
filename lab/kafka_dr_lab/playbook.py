# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the collection's playbooks as its users do, and read the times of their steps."""

from __future__ import annotations

import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import psutil

from . import class_archive
from .ansible_programs import environment, program
from .errors import LabError
from .inventory import Inventory

COLLECTION = "streamsafe.kafka_dr"
# The lab's longest playbook takes minutes; one that hangs must not hold a drill for ever.
LIMIT_SECONDS = 1800


class PlaybookFailed(LabError):
    """A playbook ended with an error; ``code`` is its exit code."""

    def __init__(self, name: str, code: int, output: str = ""):
        super().__init__(f"Playbook {name} failed with exit code {code}")
        self.code = code
        self.output = output


class Playbooks:
    """Runs ``ansible-playbook streamsafe.kafka_dr.<name>`` over the lab's inventory."""

    def __init__(self, lab_directory: Path, inventory: Inventory, verbose: bool = False):
        self.lab = Path(lab_directory)
        self.inventory = inventory
        self.options = ["-vv"] if verbose else []
        self.callback = ""
        self.steps_file = self.lab / "work" / "steps.jsonl"

    def environment(self) -> dict[str, str]:
        """Environment variables of ``ansible-playbook``."""
        env = environment()
        return {
            **env,
            **class_archive.environment(),
            "ANSIBLE_COLLECTIONS_PATH": os.pathsep.join(
                filter(None, [str(collections_path()), env.get("ANSIBLE_COLLECTIONS_PATH")])
            ),
            "ANSIBLE_PYTHON_INTERPRETER": sys.executable,
            "ANSIBLE_LOCAL_TEMP": str(self.lab / "work" / "ansible"),
            "ANSIBLE_REMOTE_TEMP": str(self.lab / "work" / "ansible"),
            "KAFKA_DR_STEPS": str(self.steps_file),
            "PYTHONWARNINGS": "ignore",
            **({"ANSIBLE_STDOUT_CALLBACK": self.callback} if self.callback else {}),
        }

    def command(self, name: str, extra: dict[str, Any] | None = None, *words: str) -> list[str]:
        """The command that runs a playbook.

        :param words: further options of ``ansible-playbook``.
        """
        command = [
            program("ansible-playbook"),
            f"{COLLECTION}.{name}",
            "-i",
            str(self.inventory.directory),
            "--vault-password-file",
            str(self.inventory.vault_password),
            *words,
        ]
        if extra:
            command += ["-e", json.dumps(extra)]
        return command + self.options

    def run(
        self, name: str, extra: dict[str, Any] | None = None, *words: str, capture: bool = False, check: bool = True
    ) -> subprocess.CompletedProcess:
        """Run one playbook to its end.

        :param extra: extra variables, never secrets, since the command line shows them.
        :param capture: whether to return the output instead of printing it.
        :raises PlaybookFailed: it failed and ``check`` is set.
        """
        (self.lab / "work").mkdir(parents=True, exist_ok=True)
        self.lab.chmod(0o700)
        output = tempfile.TemporaryFile("w+") if capture else None
        process = subprocess.Popen(
            self.command(name, extra, *words),
            env=self.environment(),
            cwd=self.lab,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT if capture else None,
            start_new_session=True,
        )
        try:
            code = process.wait(LIMIT_SECONDS)
        except BaseException:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
            self._kill_leftovers()
            raise
        text = ""
        if output is not None:
            output.seek(0)
            text = output.read()
            output.close()
        if check and code:
            raise PlaybookFailed(name, code, text)
        return subprocess.CompletedProcess(process.args, code, text, "")

    def _kill_leftovers(self) -> None:
        """Kill what a playbook started in sessions of its own: workers, asynchronous jobs and their children. They
        share its environment.
        """
        while True:
            killed = []
            for process in psutil.process_iter():
                try:
                    if (
                        process.environ().get("KAFKA_DR_STEPS") == str(self.steps_file)
                        and process.status() != psutil.STATUS_ZOMBIE
                    ):
                        process.kill()
                        killed.append(process)
                except psutil.Error:
                    continue
            psutil.wait_procs(killed, timeout=5)
            if not killed:
                return

    def steps(self) -> list[dict[str, Any]]:
        """Stages with their steps, as the callback plugin wrote them:
        ``[{name, seconds, steps[{name, seconds, began, failed, said}]}]``.

        ``began`` is in seconds since the epoch; ``said`` is the message of a step that failed.
        """
        stages: list[dict[str, Any]] = []
        if self.steps_file.exists():
            for line in self.steps_file.read_text().splitlines():
                row = json.loads(line)
                if not stages or stages[-1]["name"] != row["stage"] or stages[-1]["run"] != row["run"]:
                    stages.append({"name": row["stage"], "run": row["run"], "seconds": 0.0, "steps": []})
                step = {"name": row["step"], "seconds": row["seconds"], "began": round(row["at"] - row["seconds"], 2)}
                if row.get("failed"):
                    step.update({"failed": True, **({"said": row["said"]} if row.get("said") else {})})
                stages[-1]["steps"].append(step)
                stages[-1]["seconds"] = round(stages[-1]["seconds"] + row["seconds"], 2)
        return stages


def collections_path() -> Path:
    """The directory below which this collection is installed; for a checkout, a tree with a link to it."""
    root = Path(__file__).resolve().parents[2]
    if root.parent.name == "streamsafe" and root.parent.parent.name == "ansible_collections":
        return root.parent.parent.parent
    tree = root / "build" / "collections"
    link = tree / "ansible_collections" / "streamsafe" / "kafka_dr"
    if not link.is_symlink() or link.resolve() != root:
        link.parent.mkdir(parents=True, exist_ok=True)
        # Several processes may do this at the same time.
        new_link = link.with_name(f"{link.name}.{os.getpid()}")
        new_link.symlink_to(root)
        new_link.replace(link)
    return tree


def collection(name: str) -> Any:
    """Import a module of ``plugins/module_utils`` of this collection, such as ``_kafka.client``."""
    path = str(collections_path())
    if path not in sys.path:
        sys.path.insert(0, path)
    return importlib.import_module(f"ansible_collections.streamsafe.kafka_dr.plugins.module_utils.{name}")
