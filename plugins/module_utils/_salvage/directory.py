# SPDX-License-Identifier: GPL-3.0-or-later
"""The place of the exported files: complete or not there.

``salvage.json`` names the files that count. Files are written below ``unfinished``, moved to ``data`` once all of them
are there, and counted with the one step that writes ``salvage.json``.
"""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
import uuid
from collections.abc import Mapping
from typing import Any

try:
    import pyarrow as pa
    import pyarrow.fs
except ImportError:
    pa = None

from .._errors import RefusedError
from .._manifest.place import keep, locate, private
from .._values.listing import named
from .._values.place import shown
from . import spans
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
        # The topics that an earlier run has exported.
        self.earlier: dict[str, Any] = {}

    def begin(self) -> None:
        """Make the place ours. :raises KafkaDrError: it is another run's, or cannot be written."""
        try:
            self.was_there = self.system.get_file_info(self.inside).type != pyarrow.fs.FileType.NotFound
            self._refuse_others()
            self._refuse_strange()
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
        if not found or (found == [UNFINISHED] and all(name.endswith(BEGUN) for name in self._names(UNFINISHED))):
            return
        earlier: dict[str, Any] = {}
        # Where files count, what a later run noted at its begin says nothing of them.
        name = MANIFEST if MANIFEST in found else BEGUN
        if name in found:
            with contextlib.suppress(ValueError):
                earlier = self._read(name)
        if earlier.get("identity") != self.identity:
            raise RefusedError(
                f"{shown(self.place)} holds files of something else",
                expected="an empty place, or an earlier run of the same salvage",
                found=", ".join(found[:5]) if not earlier else "the salvage of another loss, or with other actions",
                remedy="Give another place",
            )
        self.earlier = earlier.get("topics") or {}

    def _refuse_strange(self) -> None:
        """Who owns a directory deletes what is in it. :raises RefusedError: somebody else owns it."""
        if not self.was_there or not isinstance(self.system, pyarrow.fs.LocalFileSystem):
            return
        with tempfile.TemporaryFile(dir=self.inside) as mine:
            trusted = {0, os.geteuid(), os.fstat(mine.fileno()).st_uid}
        found = os.stat(self.inside)
        if found.st_uid not in trusted:
            raise RefusedError(
                f"{self.place} belongs to somebody else",
                expected=f"a directory of root or of user {os.geteuid()}",
                found=f"one of user {found.st_uid}",
                remedy="Give another place, or give this one another owner",
            )
        if found.st_uid == os.geteuid():
            os.chmod(self.inside, 0o700)

    def refuse_gone(self, now: Mapping[tuple[str, str], tuple[str, Any]]) -> None:
        """What an earlier run exported may be all that is left of these records, however many others came since.

        :param now: by topic and partition, the topic's id, and runs of offsets of which this run knows what becomes.
        :raises RefusedError: an earlier run exported others, or did not note which.
        """
        lacking = []
        for name, topic in self.earlier.items():
            for number, part in topic["partitions"].items():
                topic_id, runs = now.get((name, number), ("", None))
                found = runs if topic_id == topic["topic_id"] else spans.as_runs([])
                noted = spans.as_runs(part.get("exported_offsets") or [])
                if spans.count(noted) != part["exported"] or spans.count(spans.without(noted, found)):
                    lacking.append(f"{name}-{number}")
        if lacking:
            raise RefusedError(
                f"{shown(self.place)} holds records that this run does not find any more",
                expected="all that an earlier run exported there",
                found=f"fewer of {named(lacking)}",
                remedy="Give another place, and keep this one",
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
            counted = {f"{DATA}/{os.path.basename(name)}": facts for name, facts in files.items()}
            with private():
                self.system.create_dir(f"{self.inside}/{DATA}", recursive=True)
                for name in files:
                    self.system.move(f"{self.inside}/{name}", f"{self.inside}/{DATA}/{os.path.basename(name)}")
                keep(self.system, f"{self.inside}/{DATA}")
                self._write(MANIFEST, {"format": FORMAT, "identity": self.identity, "files": counted, **more})
            for name in self._names(DATA):
                if f"{DATA}/{name}" not in counted:
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
        return sorted(file.base_name for file in self.system.get_file_info(selector))

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
        keep(self.system, temporary)
        self.system.move(temporary, f"{self.inside}/{name}")
        keep(self.system, self.inside)
