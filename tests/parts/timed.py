# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a command and count the processor's time of everything that it started: ``timed.py REPORT COMMAND...``

What outlives its parent, such as a supervisord with its brokers, is counted as well once it has ended: this process
adopts it (Linux; elsewhere only children count).
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def run(command: list[str]) -> dict[str, float]:
    """Run a command to its end, reaping whatever ends meanwhile.

    :returns: ``{code, wall, cpu}``: exit code, seconds that passed, seconds of the processor.
    """
    adopt_orphans()
    # A signal is for the command; this process ends when the command has.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: None)
    began = time.monotonic()
    process = subprocess.Popen(command)
    while True:
        pid, status = os.wait()
        if pid == process.pid:
            break
    process.returncode = code = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - began
    _reap()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return {"code": code, "wall": round(wall, 1), "cpu": round(used.ru_utime + used.ru_stime, 1)}


def _reap() -> None:
    """Take what has ended by now."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass


if __name__ == "__main__":
    result = run(sys.argv[2:])
    Path(sys.argv[1]).write_text(json.dumps(result))
    sys.exit(result["code"] if result["code"] >= 0 else 128 - int(result["code"]))
