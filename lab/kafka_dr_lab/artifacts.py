# SPDX-License-Identifier: GPL-3.0-or-later
"""Compare what was fetched from Maven Central with the SHA-256 digests that the repository records.

``lab/artifacts.sha256`` is in the format of ``sha256sum``; a path is the directory in the cache, then the file.
"""

from __future__ import annotations

import hashlib
from pathlib import Path

from .errors import LabError

RECORDED = Path(__file__).resolve().parents[1] / "artifacts.sha256"


def digest(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def recorded(recorded_file: Path = RECORDED) -> dict[str, str]:
    """The recorded digests by path."""
    lines = (
        line.split(maxsplit=1)
        for line in recorded_file.read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    )
    return {path.strip(): value for value, path in lines}


def verify(directory: Path, name: str, only: str = "", recorded_file: Path = RECORDED) -> None:
    """Accept a directory of fetched files only if each of them is the recorded one and none is missing.

    :param directory: where the files were fetched to, before they are used.
    :param name: their directory in the cache, as the record has it.
    :param only: a single file of that directory, where not all of it was fetched.
    :raises LabError: a file is not recorded, is missing, or differs; the message names each.
    """
    expected = {
        path: value
        for path, value in recorded(recorded_file).items()
        if path.startswith(f"{name}/") and (not only or path == f"{name}/{only}")
    }
    found = {
        f"{name}/{path.relative_to(directory).as_posix()}": digest(path)
        for path in sorted(directory.rglob("*.jar"))
        if not only or path.name == only
    }
    faults = [f"{path} is missing" for path in sorted(expected.keys() - found.keys())]
    faults += [f"{path} is not recorded (found {found[path]})" for path in sorted(found.keys() - expected.keys())]
    faults += [
        f"{path} differs: expected {value}, found {found[path]}"
        for path, value in sorted(expected.items())
        if found.get(path, value) != value
    ]
    if faults:
        first_faults = "; ".join(faults[:3]) + (f"; and {len(faults) - 3} more" if len(faults) > 3 else "")
        raise LabError(
            f"The files downloaded for {name} differ from {recorded_file.name}: {first_faults}. None of them was kept. "
            "If a mirror or proxy of Maven Central is in use, ask its owner. "
            "For a new version, record its digests first."
        )
