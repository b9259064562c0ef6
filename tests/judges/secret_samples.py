# SPDX-License-Identifier: GPL-3.0-or-later
"""Sample what exists only for a moment during a drill: command lines, environments, temporary files."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from searching import Search

PROC = Path("/proc")
# What grows all the time, or is large and empty, waits for the end of the drill.
AT_ONCE = 4 << 20
SKIPPED = (".index", ".timeindex")


def processes() -> Iterator[tuple[str, str, bytes, str]]:
    """``(kind, id, content, command)`` of every process: its command line, its environment; and what it is called."""
    for place in PROC.iterdir():
        if place.name.isdigit():
            with contextlib.suppress(OSError):
                command = (place / "cmdline").read_bytes()
                told = command.replace(b"\0", b" ").decode(errors="replace").strip()
                yield "command line", place.name, command, told
                yield "environment", place.name, (place / "environ").read_bytes(), told


def _files_below(directory: Path) -> Iterator[Path]:
    """Every file below a directory; what goes meanwhile is passed over."""

    def refuse(error: OSError) -> None:
        if not isinstance(error, FileNotFoundError):
            raise error

    for place, _directories, names in os.walk(directory, onerror=refuse):
        yield from (Path(place) / name for name in names)


class Sampler(threading.Thread):
    """Samples all processes five times a second, and new and changed files of some directories every two seconds.

    What is seen before the secrets are known is kept and searched once they are.
    """

    def __init__(self, directories: dict[str, Path], every: float = 0.2, files_every: float = 2.0):
        super().__init__(daemon=True, name="sampler")
        self.directories, self.every, self.files_every = directories, every, files_every
        self.search: Search | None = None
        self.samples = 0
        self.error: BaseException | None = None
        self._seen: set[tuple[str, bytes]] = set()
        self._waiting: list[tuple[str, str, bytes]] = []
        self._files: dict[Path, tuple[int, int]] = {}
        self._ended = threading.Event()

    def stop(self) -> None:
        """End it; what went wrong in it is raised here."""
        self._ended.set()
        self.join()
        if self.error:
            raise self.error

    def run(self) -> None:
        looked = 0.0
        try:
            while not self._ended.is_set():
                began = time.monotonic()
                self.sample()
                if self.search and began - looked >= self.files_every:
                    self.look_at_files()
                    looked = time.monotonic()
                self._ended.wait(max(0.0, self.every - (time.monotonic() - began)))
        except BaseException as error:
            self.error = error

    def sample(self) -> None:
        """Look at every process once."""
        self.samples += 1
        for kind, dummy, content, command in processes():
            if (kind, content) not in self._seen:
                self._seen.add((kind, content))
                self._waiting.append((kind, command, content))
        if self.search:
            for kind, command, content in self._waiting:
                # Both are for the process's own user and root.
                self.search.look(kind, command, content, private=kind == "environment")
            self._waiting.clear()

    def look_at_files(self, all_of_them: bool = False) -> None:
        """Search what is new or has changed since the last look.

        :param all_of_them: large files as well, and what has not changed.
        """
        assert self.search is not None
        for name, directory in self.directories.items():
            for path in _files_below(directory):
                with contextlib.suppress(FileNotFoundError):
                    self._look_at_file(path, f"{name}/{path.relative_to(directory)}", all_of_them)

    def _look_at_file(self, path: Path, where: str, anyway: bool) -> None:
        if path.is_symlink() or not path.is_file():
            return
        stat = path.stat()
        known = (stat.st_mtime_ns, stat.st_size)
        if anyway or (self._files.get(path) != known and stat.st_size <= AT_ONCE and path.suffix not in SKIPPED):
            self._files[path] = known
            assert self.search is not None
            self.search.look_at_file(path, where)
