# SPDX-License-Identifier: GPL-3.0-or-later
"""Ask many others at the same time, each in a process of its own, and wait no longer than was said: one that hangs
holds up nobody.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import time
from collections.abc import Callable, Mapping
from typing import Any


def ask_all(questions: Mapping[str, Callable[[], object]], seconds: float) -> dict[str, str]:
    """Ask everybody at once.

    :param questions: ``{name: function}``; a function returns where it was answered, and raises where it was not.
    :param seconds: how long all of them may take together.
    :returns: ``{name: why}`` of those who did not answer; the first line of what was raised, or that the time ran out.
    """
    silent: dict[str, str] = {}
    asked: dict[str, int] = {}
    waiting: dict[str, Any] = {}
    end = time.monotonic() + seconds
    with selectors.DefaultSelector() as selector:
        try:
            for name, question in questions.items():
                pid, answers = _begin(question)
                asked[name] = pid
                waiting[name] = answers
                selector.register(answers, selectors.EVENT_READ, name)
            while selector.get_map() and (left := end - time.monotonic()) > 0:
                for key, dummy in selector.select(left):
                    selector.unregister(key.fileobj)
                    with waiting.pop(key.data) as answers:
                        why = _heard(answers)
                    if why:
                        silent[key.data] = why
            for key in list(selector.get_map().values()):
                silent[key.data] = "no answer within %g s" % seconds
                waiting.pop(key.data).close()
        finally:
            for pid in asked.values():
                _end(pid)
    return silent


def _begin(question: Callable[[], object]) -> tuple[int, Any]:
    """A process that asks: its id, and the file that its answer comes from."""
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        return pid, os.fdopen(reading, "rb", buffering=0)
    try:
        # What the question starts is ended with it.
        os.setsid()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        try:
            question()
            why = ""
        except Exception as error:
            why = (str(error).strip().splitlines() or [type(error).__name__])[0]
        # A short line is written whole; nobody has to wait for the end of the file, which a process beside this one may
        # hold open.
        os.write(writing, json.dumps(why[:400]).encode()[:2000] + b"\n")
    finally:
        os._exit(0)


def _heard(answers: Any) -> str:
    answer = answers.read(4096)
    return json.loads(answer) if answer else "the question ended without an answer"


def _end(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, 0)
