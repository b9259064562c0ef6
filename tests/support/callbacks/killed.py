# SPDX-License-Identifier: GPL-3.0-or-later
"""A callback that ends ``ansible-playbook`` by SIGKILL, with all that it started, where something is changed.

``KAFKA_DR_KILLED_AT`` is a file of JSON lines: the places at which runs were killed, with the seconds that a task took.
The run is killed after the first change that it does not name. ``KAFKA_DR_KILLED_WITHIN`` is such a file of an earlier
campaign: the run is killed in the midst of the tasks that it names, and of no other.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import threading
import time
from pathlib import Path

import psutil
from ansible.executor.task_result import TaskResult
from ansible.playbook import Playbook
from ansible.playbook.task import Task
from ansible.plugins.callback import CallbackBase


class CallbackModule(CallbackBase):
    """The plugin; names of methods are Ansible's."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "notification"
    CALLBACK_NAME = "killed"
    CALLBACK_NEEDS_ENABLED = True

    def __init__(self) -> None:
        super().__init__()
        self._began = 0.0
        self._place = ""

    def v2_playbook_on_start(self, playbook: Playbook) -> None:
        """Read what was done before."""
        self._file = Path(os.environ["KAFKA_DR_KILLED_AT"])
        self._killed = _places(self._file)
        within = os.environ.get("KAFKA_DR_KILLED_WITHIN")
        self._moments = _places(Path(within)) if within else None

    def v2_playbook_on_task_start(self, task: Task, is_conditional: bool) -> None:
        """Set the moment of the kill, where this is a task to be killed in."""
        self._began, self._place = time.monotonic(), place_of(task)
        if self._moments is not None and self._place in self._moments and self._place not in self._killed:
            wait = self._moments[self._place] * random.random()
            threading.Timer(wait, self._kill, (self._place,)).start()

    def v2_runner_on_ok(self, result: TaskResult) -> None:
        """Kill the run, where this is a change that was not met before."""
        place = place_of(result._task)
        if result.is_changed() and self._moments is None and place not in self._killed:
            self._kill(place)

    def _kill(self, place: str) -> None:
        if place != self._place:
            # It ended, or was skipped, before its moment.
            return
        with self._file.open("a") as file:
            file.write(json.dumps({"place": place, "seconds": time.monotonic() - self._began}) + "\n")
        # Workers have sessions of their own.
        for process in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        os.kill(os.getpid(), signal.SIGKILL)


def place_of(task: Task) -> str:
    """A task's name after those of the includes that led to it: the same tasks serve many steps."""
    names, parent = [task.name], task._parent
    while parent is not None:
        if getattr(parent, "action", "").rsplit(".", 1)[-1].startswith(("include_", "import_")):
            names.append(parent.name)
        parent = parent._parent
    return " > ".join(reversed([name for name in names if name]))


def _places(file: Path) -> dict[str, float]:
    lines = file.read_text().splitlines() if file.exists() else []
    return {one["place"]: one["seconds"] for one in map(json.loads, lines)}
