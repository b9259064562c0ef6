# SPDX-License-Identifier: GPL-3.0-or-later
"""Progress while tasks run: executors send datagrams to the driver; the driver shows a bar, a line, and a file.

Spark tells a driver nothing of a Python task until it ends. A lost datagram costs a late figure, nothing else.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import sys
import threading
import time
from typing import Any

from . import settings

EVERY = 0.5


class Sender:
    """In a task: counts records and bytes, and tells the driver twice a second."""

    def __init__(self, address: tuple[str, int], token: str, task: int) -> None:
        self.address, self.token, self.task = address, token, task
        self.records = self.bytes = 0
        self.last = 0.0
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

    def __call__(self, records: int, size: int) -> None:
        self.records += records
        self.bytes += size
        now = time.monotonic()
        if now - self.last >= EVERY:
            self.last = now
            self.send()

    def send(self) -> None:
        """Tell now."""
        try:
            self.socket.sendto(
                json.dumps([self.token, self.task, self.records, self.bytes]).encode(), tuple(self.address)
            )
        except OSError:
            pass

    def close(self) -> None:
        """Tell the final figures."""
        self.send()
        self.socket.close()


class Progress:
    """At the driver: adds up what tasks tell.

    :param path: a JSON file to keep up to date (``phase, records, of, bytes, seconds, percent, seconds_left, text``),
        or None.
    :param quiet: no lines on stderr.
    """

    def __init__(self, host: str = "127.0.0.1", path: str | None = None, quiet: bool = False) -> None:
        self.token = secrets.token_hex(8)
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((host, 0))
        self.socket.settimeout(0.25)
        self.address = (host, self.socket.getsockname()[1])
        self.path, self.quiet = path, quiet
        self.tasks: dict[Any, Any] = {}
        self.phase, self.total, self.began = "start", 0, time.monotonic()
        self.heard = time.monotonic()
        self.closed = threading.Event()
        self.shown = 0.0
        self.thread = threading.Thread(target=self._listen, daemon=True)
        self.thread.start()

    def start(self, phase: str, total: int) -> None:
        """A phase begins: ``total`` records to read at most."""
        self.tasks, self.phase, self.total, self.began = {}, phase, total, time.monotonic()
        self._show(force=True)

    def _listen(self) -> None:
        while not self.closed.is_set():
            try:
                message = self.socket.recv(1024)
            except TimeoutError:
                self._show()
                continue
            except OSError:
                return
            figures = self._figures_of(message)
            if figures:
                task, records, size = figures
                self.tasks[task] = (records, size)
                self.heard = time.monotonic()
                self._show()

    def _figures_of(self, message: bytes) -> list[int] | None:
        """``(task, records, bytes)`` that a task of this run tells; None of what anybody else on the machine sent."""
        try:
            token, *figures = json.loads(message)
        except (ValueError, TypeError, RecursionError):
            return None
        return figures if token == self.token and len(figures) == 3 else None

    def figures(self) -> dict[str, Any]:
        """What is known now."""
        tasks = list(self.tasks.values())
        records, size = sum(task[0] for task in tasks), sum(task[1] for task in tasks)
        seconds = time.monotonic() - self.began
        share = min(1.0, records / self.total) if self.total else 0.0
        left = round(seconds / share - seconds) if share > 0.02 else None
        text = f"proof: {self.phase}"
        if self.total:
            text = f"proof: {records:,} of {self.total:,} records, {share:.0%}".replace("%", " %") + (
                f", {left} s left" if left is not None else ""
            )
        return {
            "phase": self.phase,
            "records": records,
            "of": self.total,
            "bytes": size,
            "seconds": round(seconds, 1),
            "percent": round(100 * share, 1),
            "seconds_left": left,
            "text": text,
            "pid": os.getpid(),
            "finished": False,
        }

    def _show(self, force: bool = False) -> None:
        now = time.monotonic()
        terminal = sys.stderr.isatty()
        if not force and now - self.shown < (0.5 if terminal or self.path else 5):
            return
        self.shown = now
        figures = self.figures()
        if self.path:
            settings.write_json(self.path, figures)
        if self.quiet:
            return
        if terminal:
            filled = int(figures["percent"] / 2.5)
            sys.stderr.write(
                f"\r[{'#' * filled}{'.' * (40 - filled)}] {figures['text']}, {figures['bytes'] / 1e6:,.0f} MB\x1b[K"
            )
        elif force or int(figures["seconds"]) % 5 == 0:
            sys.stderr.write(figures["text"] + "\n")
        sys.stderr.flush()

    def close(self) -> None:
        """End the line and the listening."""
        if sys.stderr.isatty() and not self.quiet:
            sys.stderr.write("\n")
        self.closed.set()
        self.thread.join(2)
        self.socket.close()
