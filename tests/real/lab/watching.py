# SPDX-License-Identifier: GPL-3.0-or-later
"""Watch the machine's process list for secrets."""

from __future__ import annotations

import threading

import psutil


class Arguments:
    """While it is open, reads the arguments of every process several times a second; ``found`` holds those with a
    secret.
    """

    def __init__(self, secrets: list[str]):
        self.secrets, self.found, self.looked = secrets, [], 0
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def _watch(self) -> None:
        while not self._ended.wait(0.2):
            for process in psutil.process_iter():
                try:
                    line = " ".join(process.cmdline())
                except psutil.Error:
                    continue
                if any(secret in line for secret in self.secrets):
                    self.found.append(line[:60])
            self.looked += 1

    def __enter__(self) -> Arguments:
        self._thread.start()
        return self

    def __exit__(self, *dummy) -> None:
        self._ended.set()
        self._thread.join()
        assert self.looked, "the process list was never read"
