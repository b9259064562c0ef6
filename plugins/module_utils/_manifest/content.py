# SPDX-License-Identifier: GPL-3.0-or-later
"""manifest.json, which names everything that counts: read, checked and replaced."""

from __future__ import annotations

import hashlib
import json
import re
from typing import Any

try:
    import pyarrow as pa
    import pyarrow.fs
except ImportError:
    pa = None

from .._errors import FormatError, NotProvableError, UsageError
from .._values.place import shown
from .place import locate, private

FORMAT = 1
NAME = "manifest.json"
# A name leads nowhere but to the manifest's own data.
FILE = re.compile(r"data/[\w.-]+\.parquet")


def load(path: str) -> dict[str, Any] | None:
    """The content of manifest.json, or None if there is none; as :func:`read`."""
    found = read(path)
    return found and found[0]


def read(path: str) -> tuple[dict[str, Any], str] | None:
    """``(content, digest)`` of manifest.json, or None if there is none. The digest is that of its bytes, and so of
    every file that it names.

    :raises NotProvableError: it cannot be read. :raises FormatError: it is something else.
    """
    system, inside = locate(path)
    name = f"{inside}/{NAME}"
    try:
        if system.get_file_info(name).type != pyarrow.fs.FileType.File:
            return None
        with system.open_input_stream(name) as stream:
            raw = stream.read()
        found = json.loads(raw)
    except (OSError, pa.ArrowException) as error:
        raise NotProvableError(f"The manifest {shown(path)} cannot be read", found=str(error)) from error
    except (ValueError, RecursionError) as error:
        raise FormatError(f"{name} is not valid JSON", found=str(error), position=getattr(error, "pos", 0)) from error
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        found_format = found.get("format") if isinstance(found, dict) else type(found).__name__
        raise FormatError(
            f"{name} is no manifest of this version", expected=f"format {FORMAT}", found=found_format, position=0
        )
    _check(found, name)
    return found, hashlib.sha256(raw).hexdigest()


def require(path: str, digest: str = "") -> dict[str, Any]:
    """The content, where there has to be one.

    :param digest: what the ledger knows as the digest of this manifest; empty where it knows none.
    :raises UsageError: there is none. :raises NotProvableError: it is another than was made.
    """
    found = read(path)
    if found is None:
        raise UsageError(
            f"There is no manifest at {shown(path)}",
            expected=f"a directory or URI with {NAME}",
            found=f"{NAME}, which cannot be read: it is not there",
            remedy="Give the directory of a manifest, or save one with: main.py manifest --out",
        )
    if digest and found[1] != digest:
        raise NotProvableError(
            f"The manifest {shown(path)} is not the one that was made",
            expected=f"digest {digest}, as in the ledger",
            found=found[1],
            remedy="Find out who changed it; give the manifest that was made, or a copy of it",
        )
    return found[0]


def store(path: str, content: dict[str, Any]) -> str:
    """Replace manifest.json; what it does not name does not count, so a run that was cut off leaves the old one valid.
    Returns its digest.
    """
    system, inside = locate(path)
    temporary = f"{inside}/{NAME}.new"
    raw = json.dumps(content, separators=(",", ":"), sort_keys=True).encode()
    with private():
        system.create_dir(inside, recursive=True)
        with system.open_output_stream(temporary) as stream:
            stream.write(raw)
    system.move(temporary, f"{inside}/{NAME}")
    return hashlib.sha256(raw).hexdigest()


def files(content: dict[str, Any]) -> list[str]:
    """The names of all data files that count, in order."""
    return sorted(
        {
            name
            for topic in content["topics"].values()
            for part in topic["partitions"].values()
            for name in part["files"]
        }
    )


def _spans_fit(part: dict[str, Any]) -> bool:
    """Whether a partition has a span of offsets for each of its files, or, as once, for none."""
    spans = part.get("spans")
    return spans is None or (len(spans) == len(part["files"]) and all(0 <= first < end for first, end in spans))


def _check(found: dict[str, Any], name: str) -> None:
    """The shape that readers rely on. :raises FormatError: another one."""
    if (
        not isinstance(found.get("cluster_id"), str)
        or not found["cluster_id"]
        or not isinstance(found.get("topics"), dict)
    ):
        raise FormatError(
            f"{name} is damaged", expected="cluster_id and topics", found=", ".join(sorted(map(str, found))), position=0
        )
    digests = found.get("digests", {})
    if not isinstance(digests, dict) or not all(isinstance(digest, str) for digest in digests.values()):
        raise FormatError(f"{name} is damaged", expected="a digest of every data file", position=0)
    superseded = found.get("superseded", {})
    if not isinstance(superseded, dict) or not all(
        FILE.fullmatch(file) and isinstance(at, int) for file, at in superseded.items()
    ):
        raise FormatError(f"{name} is damaged", expected="superseded data files, each with a time", position=0)
    for topic, saved in found["topics"].items():
        try:
            sound = (
                isinstance(saved["topic_id"], str)
                and isinstance(saved["config"], dict)
                and saved["detail"] in ("records", "chunks")
                and all(
                    number.isdigit()
                    and 0 <= part["low"] <= part["high"]
                    and all(FILE.fullmatch(file) for file in part["files"])
                    and _spans_fit(part)
                    for number, part in saved["partitions"].items()
                )
            )
        except (AttributeError, KeyError, TypeError, ValueError):
            sound = False
        if not sound:
            raise FormatError(
                f"{name} is damaged", expected=f"topic_id, detail, config and partitions of topic '{topic}'", position=0
            )
