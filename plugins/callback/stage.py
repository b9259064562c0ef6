# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Quiet output for stages: one line a step, what is waited for, and how long already."""

from __future__ import annotations

DOCUMENTATION = r"""
name: stage
type: stdout
short_description: One line a step, for disaster-recovery stages
version_added: "0.1.0"
author: The streamsafe.kafka_dr authors (@streamsafe)
description:
  - Prints one line for each step of a stage when it ends, and what is being waited for while it lasts.
  - A step is an include in the main task file of a role or in a play; other tasks belong to the step they run in.
  - Appends each step with its time to a file of JSON lines where O(steps_file) is set.
options:
  steps_file:
    description: File that steps are appended to.
    type: path
    env:
      - name: KAFKA_DR_STEPS
  waiting_interval:
    description: Seconds between two lines about the same wait where the output is no terminal.
    type: int
    default: 10
    env:
      - name: KAFKA_DR_WAITING_INTERVAL
"""

import contextlib
import json
import os
import sys
import threading
import time
from typing import Any

import yaml
from ansible.executor.stats import AggregateStats
from ansible.executor.task_result import TaskResult
from ansible.playbook import Playbook
from ansible.playbook.play import Play
from ansible.playbook.task import Task
from ansible.plugins.callback import CallbackBase

from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.stage_output import (
    data_of,
    failure_text,
    indented,
    left_out,
    missing_line,
    plain,
    plain_diff,
    task_of,
    ways_out,
)

RUNNER = "AWX_ISOLATED_DATA_DIR"
INCLUDES = ("include_tasks", "include_role", "import_role")


class CallbackModule(CallbackBase):
    """The plugin; names of methods are Ansible's."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "streamsafe.kafka_dr.stage"

    def __init__(self) -> None:
        super().__init__()
        self.stage = ""
        self.checks = False
        self.run = str(int(time.time()))
        self.step: str | None = None
        self.step_began = 0.0
        self.changed = 0
        self.warned: set[str] = set()
        self.waiting_shown_at = 0.0
        self.waiting_for = ""
        # ansible-runner gives its own terminal, but keeps what is printed: a line that is written over again and again
        # would stand there again and again.
        self.tty = sys.stdout.isatty() and RUNNER not in os.environ
        self.failed = False
        self.played = False
        self._ended = threading.Event()

    def _alone(self) -> contextlib.AbstractContextManager[Any]:
        """Keeps two threads from mixing what they write to a terminal; elsewhere no lock is taken.

        ansible-runner, and so AWX, calls all methods of a callback with a lock held (the display's, or until 2.4.0 one
        of its own): any other that the thread which speaks for long steps took first would let both wait for ever.
        """
        return getattr(self._display, "_lock", contextlib.nullcontext()) if self.tty else contextlib.nullcontext()

    def _setting(self, name: str) -> Any:
        """An option; by environment and default where ansible-runner's own plugin stands before this one and has none
        of them (2.4.0).
        """
        try:
            return self.get_option(name)
        except KeyError:
            described = yaml.safe_load(DOCUMENTATION)["options"][name]
            value = os.environ.get(described["env"][0]["name"], described.get("default"))
            return int(value) if described["type"] == "int" else value

    # -- what is printed ---------------------------------------------------------------------------------------------

    def _line(self, text: str, color: str | None = None) -> None:
        self._write(plain(text), color)

    def _write(self, text: str, color: str | None = None) -> None:
        with self._alone():
            if self.tty:
                sys.stdout.write("\r\033[K")
            self._display.display(text, color=color)

    def _transient(self, text: str) -> None:
        if self.tty:
            with self._alone():
                sys.stdout.write("\r\033[K" + plain(text)[:100])
                sys.stdout.flush()

    def _watch(self) -> None:
        """A step that says nothing itself is spoken for, so that nobody looks at a silent screen."""
        interval = self._setting("waiting_interval")
        while not self._ended.wait(1.0):
            step, now = self.step, time.monotonic()
            if step is None:
                continue
            lasted = now - self.step_began
            text = (
                f"  … {step}" + (f": waiting for {self.waiting_for}" if self.waiting_for else "") + f" ({lasted:.0f} s)"
            )
            if self.tty:
                self._transient(text)
            elif lasted >= interval and now - self.waiting_shown_at >= interval:
                self.waiting_shown_at = now
                self._line(text)

    def _begin_step(self, name: str) -> None:
        self._end_step()
        self.step, self.step_began, self.changed = name, time.monotonic(), 0
        self.waiting_shown_at, self.waiting_for = self.step_began, ""

    def _end_step(self, mark: str = "✔", message: str = "") -> None:
        if self.step is None:
            return
        seconds = time.monotonic() - self.step_began
        step, self.step = self.step, None
        self._line(
            f"  {mark} {step}{f'  ({seconds:.1f} s)' if seconds >= 0.1 else ''}",
            color="green" if mark == "✔" else "red",
        )
        path = self._setting("steps_file")
        if path:
            with open(path, "a", encoding="utf-8") as file:
                line = {
                    "stage": self.stage,
                    "run": self.run,
                    "step": step,
                    "seconds": round(seconds, 2),
                    "failed": mark != "✔",
                    "at": time.time(),
                }
                if message:
                    line["said"] = message
                file.write(json.dumps(line) + "\n")

    # -- what Ansible tells ------------------------------------------------------------------------------------------

    def v2_playbook_on_start(self, playbook: Playbook) -> None:
        threading.Thread(target=self._watch, daemon=True).start()

    def v2_playbook_on_play_start(self, play: Play) -> None:
        self._end_step()
        self.stage = play.get_name().strip()
        self.checks = bool(play.check_mode)
        self._line(
            f"\n{self.stage}{'  (check mode: nothing is changed)' if play.check_mode else ''}", color="bright blue"
        )

    def v2_playbook_on_task_start(self, task: Task, is_conditional: bool) -> None:
        # A role's arguments are checked whatever the tags are.
        self.played = self.played or not task.action.endswith("validate_argument_spec")
        action = task.action.rsplit(".", 1)[-1]
        if action in INCLUDES and self._opens_step(task):
            self._begin_step(task.name or task.get_name())

    def _opens_step(self, task: Task) -> bool:
        """Whether the include stands in a play, or in a role's main file, of a role that no other role included."""
        role = getattr(task, "_role", None)
        if role is None:
            return True
        path = str(task.get_path() or "").rsplit(":", 1)[0]
        # What a role depends on has that role for a parent; a role that depends on others opens steps like any other.
        return (
            path.endswith(("/tasks/main.yml",))
            and not getattr(role, "_parents", None)
            and "| " not in (task.name or "")
        )

    v2_playbook_on_handler_task_start = v2_playbook_on_task_start

    def v2_runner_retry(self, result: TaskResult) -> None:
        self.waiting_for = missing_line(data_of(result))

    def v2_runner_on_skipped(self, result: TaskResult) -> None:
        if (
            task_of(result).action.rsplit(".", 1)[-1] in INCLUDES
            and (task_of(result).name or task_of(result).get_name()) == self.step
        ):
            self.step = None

    def v2_runner_on_ok(self, result: TaskResult) -> None:
        data = data_of(result)
        self.waiting_for = ""
        if (
            task_of(result).action.rsplit(".", 1)[-1] == "debug"
            and "msg" in data
            and not task_of(result).name.startswith("__")
        ):
            for line in data["msg"] if isinstance(data["msg"], list) else [data["msg"]]:
                self._line(indented(line))
        # A task with a check mode of its own reads: in a run that changes things it changes nothing.
        if data.get("changed") and (self.checks or not task_of(result).check_mode):
            self.changed += 1
            if self._display.verbosity or self.checks:
                self._line(f"    {'would change:' if self.checks else 'changed:'} {task_of(result).name}")
            if data.get("diff") and task_of(result).diff:
                # Its colours are Ansible's own; what it shows has been made plain before.
                self._write(self._get_diff(plain_diff(data["diff"])).rstrip())
        for warning in data.get("warnings") or []:
            if str(warning) in self.warned:
                continue
            self.warned.add(str(warning))
            self._line(indented(f"! {warning}"), color="bright purple")

    def v2_on_file_diff(self, result: TaskResult) -> None:
        pass

    def v2_runner_on_failed(self, result: TaskResult, ignore_errors: bool = False) -> None:
        if ignore_errors:
            return
        data = data_of(result)
        self.failed = True
        lines = failure_text(data).strip().splitlines()[:12]
        self._end_step("✘", "\n".join(lines) if data.get("msg") else "")
        self._line(f"\n  {task_of(result).name or task_of(result).action}", color="red")
        if data.get("waiting_for") and data.get("attempts"):
            self._line(
                f"  Gave up after {data['attempts']} attempts, still waiting for {missing_line(data)}.", color="red"
            )
        for line in ["\n".join(lines), *ways_out(data)] if lines else ways_out(data):
            self._line(indented(line, 2), color="red")
        for line in str(data.get("stderr") or "").strip().splitlines()[-50 if self._display.verbosity else -3 :]:
            self._line(indented(line[:300]), color="red")

    def v2_runner_on_unreachable(self, result: TaskResult) -> None:
        self.v2_runner_on_failed(result)

    def v2_runner_item_on_failed(self, result: TaskResult) -> None:
        if not data_of(result).get("_ansible_no_log"):
            self._line(
                indented(f"{self._get_item_label(data_of(result))}: {str(data_of(result).get('msg', ''))[:400]}"),
                color="red",
            )

    def v2_playbook_on_no_hosts_matched(self) -> None:
        self._line("  No host of the inventory matches this play.", color="red")

    def v2_playbook_on_stats(self, stats: AggregateStats) -> None:
        self._end_step("✘" if self.failed else "✔")
        self._ended.set()
        words = left_out() if not self.played else []
        if words:
            self._line(
                f"  Nothing was done: {' '.join(words)} leaves nothing of it. A stage is played as a whole, on "
                f"localhost: leave {' and '.join(words[::2])} out.",
                color="red",
            )
            # Ansible itself ends well here, and who started it by a schedule would take that for a stage that was
            # played.
            raise SystemExit(2)
