# SPDX-License-Identifier: GPL-3.0-or-later
"""A program that ends takes with it what it started, however it is ended."""

from __future__ import annotations

import atexit
import os
import signal

import psutil

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def end_with_children() -> None:
    """Let the signals that end a program run its ``finally`` and exit handlers, and let nothing that it started outlive
    it.

    To be called first of all, so that what registers exit handlers later ends its processes in good order before.
    """
    owner = os.getpid()

    def ended(number: int, frame: object) -> None:
        # What cleans up is not cut short by impatience.
        for one in SIGNALS:
            signal.signal(one, signal.SIG_IGN)
        raise SystemExit(128 + number)

    for number in SIGNALS:
        signal.signal(number, ended)
    atexit.register(_end_children, owner)


def _end_children(owner: int) -> None:
    # A fork inherits the handler, and not the processes.
    if os.getpid() != owner:
        return
    left = psutil.Process(owner).children(recursive=True)
    for one in left:
        try:
            one.kill()
        except psutil.NoSuchProcess:
            pass
    psutil.wait_procs(left, timeout=10)
