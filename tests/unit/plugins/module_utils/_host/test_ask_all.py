# SPDX-License-Identifier: GPL-3.0-or-later
"""Many are asked at once; who hangs, dies or refuses is named, and holds up nobody."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time

import psutil

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._host.ask_all import ask_all


def refuse():
    raise OSError("Connection refused\nsecond line")


def hang():
    time.sleep(600)


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def test_who_answers_is_not_named_and_who_does_not_is_with_the_reason():
    assert ask_all({"well": lambda: None, "refuses": refuse, "hangs": hang, "dies": die}, 1) == {
        "refuses": "Connection refused",
        "hangs": "no answer within 1 s",
        "dies": "the question ended without an answer",
    }


def test_nobody_is_asked_for_nothing():
    assert ask_all({}, 1) == {}


def test_all_are_asked_at_the_same_time(tmp_path):
    """Each waits until it sees all others: asked one after the other, none would ever answer."""

    def meet(name):
        (tmp_path / name).touch()
        while len(list(tmp_path.iterdir())) < 40:
            time.sleep(0.02)

    assert ask_all({str(number): lambda number=number: meet(str(number)) for number in range(40)}, 60) == {}


def test_a_reason_of_any_length_is_heard_whole_or_cut():
    def complain():
        raise OSError("x" * 100000)

    assert ask_all({"a": complain}, 5) == {"a": "x" * 400}


def test_what_a_question_started_ends_with_it(tmp_path):
    """As ssh does that hangs."""
    note = tmp_path / "pid"

    def start():
        child = subprocess.Popen(["sleep", "600"])
        note.write_text(str(child.pid))
        child.wait()

    assert list(ask_all({"a": start}, 1)) == ["a"]
    pid, end = int(note.read_text()), time.monotonic() + 10
    # It may end between any two questions.
    with contextlib.suppress(psutil.NoSuchProcess):
        while psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
            assert time.monotonic() < end, "a process was left behind"
            time.sleep(0.05)
