# SPDX-License-Identifier: GPL-3.0-or-later
"""The place of the exported files: complete or not there.

``salvage.json`` names the files that count. Files are written below ``unfinished``, moved to ``data`` once all of them
are there, and counted with the one step that writes ``salvage.json``.
"""

from __future__ import annotations

import contextlib
import json
import os
import uuid
from typing import Any

try:
    import pyarrow as pa
    import pyarrow.fs
except ImportError:
    pa = None

from .._errors import RefusedError
from .._manifest.place import locate, private, shown
from .files import unwritable

FORMAT = 1
MANIFEST, BEGUN, UNFINISHED, DATA = "salvage.json", "begun.json", "unfinished", "data"


class Directory:
    """One run's place.

    :param identity: what the run salvages. The same again replaces what is there, another one is refused.
    """

    def __init__(self, place: str, identity: dict[str, Any]) -> None:
        self.place, self.identity = place, identity
        self.system, self.inside = locate(place)
        self.run = uuid.uuid4().hex[:12]
        self.was_there = True

    def begin(self) -> None:
        """Make the place ours. :raises KafkaDrError: it is another run's, or cannot be written."""
        try:
            self.was_there = self.system.get_file_info(self.inside).type != pyarrow.fs.FileType.NotFound
            self._refuse_others()
            with private():
                self.system.create_dir(f"{self.inside}/{UNFINISHED}", recursive=True)
                self._write(BEGUN, {"run": self.run, "identity": self.identity})
            self._empty(UNFINISHED)
        except (OSError, pa.ArrowException) as error:
            if not self.was_there:
                with contextlib.suppress(OSError, pa.ArrowException):
                    self.system.delete_dir(self.inside)
            raise unwritable(self.place, error) from error

    def _refuse_others(self) -> None:
        found = self._names("")
        if not found:
            return
        told: dict[str, Any] = {}
        for name in (MANIFEST, BEGUN):
            if name in found and not told:
                with contextlib.suppress(ValueError):
                    told = self._read(name)
        if told.get("identity") != self.identity:
            raise RefusedError(
                f"{shown(self.place)} holds files of something else",
                expected="an empty place, or an earlier run of the same salvage",
                found=", ".join(found[:5]) if not told else "the salvage of another loss, or with other actions",
                remedy="Give another place",
            )

    def path_of(self, number: int) -> str:
        """Where a task writes its file, seen from the place."""
        return f"{UNFINISHED}/{self.run}-{number:05d}.parquet"

    def commit(self, files: dict[str, dict[str, Any]], more: dict[str, Any]) -> None:
        """Let the files count, and no others.

        :param files: what is told of each, by the name that :meth:`path_of` gave.
        """
        try:
            # A later run that has ended took it away.
            if BEGUN not in self._names("") or self._read(BEGUN).get("run") != self.run:
                raise RefusedError(
                    f"Another run has begun in {shown(self.place)}",
                    expected="to be the only one",
                    found="another run",
                    remedy="Let it finish, then run this again",
                )
            named = {f"{DATA}/{os.path.basename(name)}": told for name, told in files.items()}
            with private():
                self.system.create_dir(f"{self.inside}/{DATA}", recursive=True)
                for name in files:
                    self.system.move(f"{self.inside}/{name}", f"{self.inside}/{DATA}/{os.path.basename(name)}")
                self._write(MANIFEST, {"format": FORMAT, "identity": self.identity, "files": named, **more})
            for name in self._names(DATA):
                if f"{DATA}/{name}" not in named:
                    self.system.delete_file(f"{self.inside}/{DATA}/{name}")
            self.system.delete_dir(f"{self.inside}/{UNFINISHED}")
            self.system.delete_file(f"{self.inside}/{BEGUN}")
        except (OSError, pa.ArrowException) as error:
            raise unwritable(self.place, error) from error

    def abandon(self) -> None:
        """Leave the place as it was."""
        with contextlib.suppress(OSError, pa.ArrowException, ValueError):
            if self._read(BEGUN).get("run") != self.run:
                return
            counted = self._read(MANIFEST).get("files", {}) if MANIFEST in self._names("") else {}
            for name in self._names(DATA):
                if name.startswith(self.run) and f"{DATA}/{name}" not in counted:
                    self.system.delete_file(f"{self.inside}/{DATA}/{name}")
            self.system.delete_dir(f"{self.inside}/{UNFINISHED}")
            self.system.delete_file(f"{self.inside}/{BEGUN}")
            if not self.was_there:
                self.system.delete_dir(self.inside)

    def _names(self, below: str) -> list[str]:
        selector = pyarrow.fs.FileSelector(f"{self.inside}/{below}".rstrip("/"), allow_not_found=True)
        return sorted(one.base_name for one in self.system.get_file_info(selector))

    def _empty(self, below: str) -> None:
        for name in self._names(below):
            self.system.delete_file(f"{self.inside}/{below}/{name}")

    def _read(self, name: str) -> dict[str, Any]:
        with self.system.open_input_stream(f"{self.inside}/{name}") as stream:
            found = json.loads(stream.read())
        return found if isinstance(found, dict) else {}

    def _write(self, name: str, value: dict[str, Any]) -> None:
        temporary = f"{self.inside}/{UNFINISHED}/{self.run}-{name}"
        with self.system.open_output_stream(temporary) as stream:
            stream.write(json.dumps(value, sort_keys=True).encode())
        self.system.move(temporary, f"{self.inside}/{name}")
