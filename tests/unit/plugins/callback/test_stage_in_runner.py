# SPDX-License-Identifier: GPL-3.0-or-later
"""The callback as ansible-runner calls it: locks, options, and a screen that is kept as a file."""

from __future__ import annotations

import io
import json
import sys
import threading

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.callback import stage

pytestmark = pytest.mark.slow


class Screen:
    """A terminal that says when somebody begins to write; as in ansible-core 2.19, whoever does needs the display's
    lock.
    """

    def __init__(self, lock):
        self.lock, self.begun = lock, threading.Event()

    def isatty(self):
        return True

    def write(self, text):
        self.begun.set()
        with self.lock:
            return len(text)

    def flush(self):
        pass


def test_called_with_the_screen_locked_it_does_not_wait_for_the_watching_thread(monkeypatch):
    monkeypatch.delenv(stage.RUNNER, raising=False)
    made = stage.CallbackModule()
    locked = made._display._lock
    screen = Screen(locked)
    monkeypatch.setattr(sys, "stdout", screen)
    made.tty = True

    def as_ansible_runner_calls_it():
        with locked:
            threading.Thread(target=made._transient, args=("  … Stop the mirror (1 s)",), daemon=True).start()
            screen.begun.wait(1)
            made._line("  ✔ Stop the mirror")

    caller = threading.Thread(target=as_ansible_runner_calls_it, daemon=True)
    caller.start()
    caller.join(20)
    assert not caller.is_alive(), "both wait for each other"


def test_a_runner_with_a_lock_of_its_own_is_not_waited_for_with_the_screen_locked(monkeypatch):
    """ansible-runner 2.4.0 calls methods, and the display's own, with a lock beside the display's."""
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    made, runners, entered = stage.CallbackModule(), threading.RLock(), threading.Event()
    display = made._display.display

    def display_of_the_runner(*words, **more):
        entered.set()
        with runners:
            display(*words, **more)

    monkeypatch.setattr(made._display, "display", display_of_the_runner)

    def as_ansible_runner_calls_it():
        with runners:
            threading.Thread(target=made._line, args=("  … Stop the mirror (10 s)",), daemon=True).start()
            entered.wait(10)
            made._line("  ✔ Stop the mirror")

    caller = threading.Thread(target=as_ansible_runner_calls_it, daemon=True)
    caller.start()
    caller.join(20)
    assert not caller.is_alive(), "both wait for each other"


def test_a_runner_that_gives_it_no_options_has_those_of_the_environment(monkeypatch, tmp_path):
    """ansible-runner 2.4.0 makes a class of its own from it, and loads only the options of that one."""
    monkeypatch.setenv("KAFKA_DR_STEPS", str(tmp_path / "steps.jsonl"))
    made = type("CallbackModule", (stage.CallbackModule,), {})()
    made._load_name = "awx_display"
    made._begin_step("Stop the mirror")
    made._end_step()
    assert json.loads((tmp_path / "steps.jsonl").read_text())["step"] == "Stop the mirror"
    assert made._setting("waiting_interval") == 10
    monkeypatch.setenv("KAFKA_DR_WAITING_INTERVAL", "3")
    assert made._setting("waiting_interval") == 3


def test_where_ansible_runner_keeps_the_output_no_line_is_written_over(monkeypatch):
    monkeypatch.setattr(sys, "stdout", Screen(threading.RLock()))
    monkeypatch.delenv(stage.RUNNER, raising=False)
    assert stage.CallbackModule().tty
    monkeypatch.setenv(stage.RUNNER, "/runner/artifacts/1")
    assert not stage.CallbackModule().tty
