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
import re
import sys
import threading
import time

import yaml
from ansible.plugins.callback import CallbackBase

RUNNER = "AWX_ISOLATED_DATA_DIR"
INCLUDES = ("include_tasks", "include_role", "import_role")
MISSING = "missing required arguments: "
# What is missing from a thousand partitions would fill the screen.
WAITING_WIDTH = 160
# All but tabs and ends of lines.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
HIDDEN = """What it said is hidden, since it may hold secrets.
Run the same with -e kafka_dr_no_log=false to see it, where nobody else reads the screen or keeps what was printed."""


def ways_out(data):
    """What to do about variables that a role's argument spec misses: one line for each.

    :param data: result of ``validate_argument_spec``; of any other task nothing is said.
    """
    options = data.get("argument_spec_data") or {}
    errors = [str(one) for one in data.get("argument_errors") or []]
    missing = [name for one in errors if one.startswith(MISSING) for name in one[len(MISSING) :].split(" found in ")[0].split(", ") if name in options]
    return [
        "%s: %s. Name it with -e %s=… or in the inventory." % (name, str(options[name].get("description") or "needed").rstrip("."), name)
        for name in missing
    ]


def plain(text):
    """The text without what a terminal would act on: names of groups and error texts are chosen by others, and could write over what was said before."""
    return CONTROL.sub(lambda found: ascii(found[0])[1:-1], text)


def data_of(result):
    """What a task returned; ansible-core 2.18 has no public name for it."""
    return result.result if hasattr(result, "result") else result._result


def task_of(result):
    """The task that returned it; ansible-core 2.18 has no public name for it."""
    return result.task if hasattr(result, "task") else result._task


def told_missing(data):
    """What a wait still lacks, in a line: modules say it as a text or as a list of them."""
    missing = data.get("waiting_for") or data.get("msg") or ""
    line = "; ".join(str(one) for one in missing) if isinstance(missing, list) else str(missing)
    return line if len(line) <= WAITING_WIDTH else line[:WAITING_WIDTH - 1].rstrip() + "…"


def told_failure(data):
    """What a task failed with, or how to see it where Ansible hides the whole result."""
    if data.get("msg"):
        return str(data["msg"])
    return HIDDEN if "censored" in data else "failed without a message"


def _plain_diff(diff):
    """A module's diff, one or several, with its texts made plain."""
    if isinstance(diff, list):
        return [_plain_diff(one) for one in diff]
    return {key: plain(value) if isinstance(value, str) else value for key, value in diff.items()} if isinstance(diff, dict) else diff


class CallbackModule(CallbackBase):
    """The plugin; names of methods are Ansible's."""

    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = "stdout"
    CALLBACK_NAME = "streamsafe.kafka_dr.stage"

    def __init__(self):
        super().__init__()
        self.stage = ""
        self.run = "%d" % time.time()
        self.step = None
        self.step_began = 0.0
        self.changed = 0
        self.said_waiting = 0.0
        self.waiting_for = ""
        # ansible-runner gives its own terminal, but keeps what is printed: a line that is written over again and again would stand there again and again.
        self.tty = sys.stdout.isatty() and RUNNER not in os.environ
        self.failed = False
        self._ended = threading.Event()

    def _alone(self):
        """Keeps two threads from mixing what they write to a terminal; elsewhere no lock is taken.

        ansible-runner, and so AWX, calls all methods of a callback with a lock held (the display's, or until 2.4.0 one of its own): any other that the thread
        which speaks for long steps took first would let both wait for ever.
        """
        return getattr(self._display, "_lock", contextlib.nullcontext()) if self.tty else contextlib.nullcontext()

    def _setting(self, name):
        """An option; by environment and default where ansible-runner's own plugin stands before this one and has none of them (2.4.0)."""
        try:
            return self.get_option(name)
        except KeyError:
            described = yaml.safe_load(DOCUMENTATION)["options"][name]
            value = os.environ.get(described["env"][0]["name"], described.get("default"))
            return int(value) if described["type"] == "int" else value

    # -- what is printed ---------------------------------------------------------------------------------------------

    def _line(self, text, color=None):
        self._write(plain(text), color)

    def _write(self, text, color=None):
        with self._alone():
            if self.tty:
                sys.stdout.write("\r\033[K")
            self._display.display(text, color=color)

    def _transient(self, text):
        if self.tty:
            with self._alone():
                sys.stdout.write("\r\033[K" + plain(text)[:100])
                sys.stdout.flush()

    def _watch(self):
        """A step that says nothing itself is spoken for, so that nobody looks at a silent screen."""
        interval = self._setting("waiting_interval")
        while not self._ended.wait(1.0):
            step, now = self.step, time.monotonic()
            if step is None:
                continue
            lasted = now - self.step_began
            text = "  … %s" % step + (": waiting for %s" % self.waiting_for if self.waiting_for else "") + " (%.0f s)" % lasted
            if self.tty:
                self._transient(text)
            elif lasted >= interval and now - self.said_waiting >= interval:
                self.said_waiting = now
                self._line(text)

    def _begin_step(self, name):
        self._end_step()
        self.step, self.step_began, self.changed = name, time.monotonic(), 0
        self.said_waiting, self.waiting_for = self.step_began, ""

    def _end_step(self, mark="✔", said=""):
        if self.step is None:
            return
        seconds = time.monotonic() - self.step_began
        step, self.step = self.step, None
        self._line("  %s %s%s" % (mark, step, "  (%.1f s)" % seconds if seconds >= 0.1 else ""), color="green" if mark == "✔" else "red")
        path = self._setting("steps_file")
        if path:
            with open(path, "a", encoding="utf-8") as file:
                line = {"stage": self.stage, "run": self.run, "step": step, "seconds": round(seconds, 2), "failed": mark != "✔", "at": time.time()}
                if said:
                    line["said"] = said
                file.write(json.dumps(line) + "\n")

    # -- what Ansible tells ------------------------------------------------------------------------------------------

    def v2_playbook_on_start(self, playbook):
        threading.Thread(target=self._watch, daemon=True).start()

    def v2_playbook_on_play_start(self, play):
        self._end_step()
        self.stage = play.get_name().strip()
        self._line("\n%s%s" % (self.stage, "  (check mode: nothing is changed)" if play.check_mode else ""), color="bright blue")

    def v2_playbook_on_task_start(self, task, is_conditional):
        action = task.action.rsplit(".", 1)[-1]
        if action in INCLUDES and self._opens_step(task):
            self._begin_step(task.name or task.get_name())

    def _opens_step(self, task):
        """Whether the include stands in a play, or in a role's main file, of a role that no other role included."""
        role = getattr(task, "_role", None)
        if role is None:
            return True
        path = str(task.get_path() or "").rsplit(":", 1)[0]
        # What a role depends on has that role for a parent; a role that depends on others opens steps like any other.
        return path.endswith(("/tasks/main.yml",)) and not getattr(role, "_parents", None) and "| " not in (task.name or "")

    v2_playbook_on_handler_task_start = v2_playbook_on_task_start

    def v2_runner_retry(self, result):
        self.waiting_for = told_missing(data_of(result))

    def v2_runner_on_skipped(self, result):
        if task_of(result).action.rsplit(".", 1)[-1] in INCLUDES and (task_of(result).name or task_of(result).get_name()) == self.step:
            self.step = None

    def v2_runner_on_ok(self, result):
        data = data_of(result)
        self.waiting_for = ""
        if task_of(result).action.rsplit(".", 1)[-1] == "debug" and "msg" in data and not task_of(result).name.startswith("__"):
            for line in data["msg"] if isinstance(data["msg"], list) else [data["msg"]]:
                self._line("    %s" % line)
        if data.get("changed"):
            self.changed += 1
            if self._display.verbosity or task_of(result).check_mode:
                self._line("    %s %s" % ("would change:" if task_of(result).check_mode else "changed:", task_of(result).name))
        if data.get("diff") and (task_of(result).diff or task_of(result).check_mode) and data.get("changed"):
            if task_of(result).diff:
                # Its colours are Ansible's own; what it shows has been made plain before.
                self._write(self._get_diff(_plain_diff(data["diff"])).rstrip())
        for warning in data.get("warnings") or []:
            self._line("    ! %s" % warning, color="bright purple")

    def v2_on_file_diff(self, result):
        pass

    def v2_runner_on_failed(self, result, ignore_errors=False):
        if ignore_errors:
            return
        data = data_of(result)
        self.failed = True
        said = told_failure(data).strip().splitlines()[:12]
        self._end_step("✘", "\n".join(said) if data.get("msg") else "")
        self._line("\n  %s" % (task_of(result).name or task_of(result).action), color="red")
        if data.get("waiting_for") and data.get("attempts"):
            self._line("  Gave up after %s attempts, still waiting for %s." % (data["attempts"], told_missing(data)), color="red")
        for line in said + ways_out(data):
            self._line("  %s" % line, color="red")
        for line in str(data.get("stderr") or "").strip().splitlines()[-50 if self._display.verbosity else -3:]:
            self._line("  %s" % line[:300], color="red")

    def v2_runner_on_unreachable(self, result):
        self.v2_runner_on_failed(result)

    def v2_runner_item_on_failed(self, result):
        if not data_of(result).get("_ansible_no_log"):
            self._line("    %s: %s" % (self._get_item_label(data_of(result)), str(data_of(result).get("msg", ""))[:400]), color="red")

    def v2_playbook_on_no_hosts_matched(self):
        self._line("  No host of the inventory matches this play.", color="red")

    def v2_playbook_on_stats(self, stats):
        self._end_step("✘" if self.failed else "✔")
        self._ended.set()
