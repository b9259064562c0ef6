# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a manifest can be used later: opened, complete, and of which topics; the work of ``manifest_info``."""

from __future__ import annotations

import concurrent.futures
import functools
from typing import Any

try:
    import pyarrow as pa
    import pyarrow.fs
    import pyarrow.parquet
except ImportError:
    pa = None

from .._errors import KafkaDrError, NotProvableError
from .._manifest.content import files, require
from .._manifest.place import locate
from .._values.place import shown

NAMED = 5
TOGETHER = 32


def manifest_info(params: dict[str, Any], check_mode: bool = False) -> dict[str, Any]:
    """The result of ``manifest_info``; a manifest that cannot be used is an answer, for a gate to refuse with."""
    answer = {
        "changed": False,
        "readable": False,
        "reason": "",
        "cluster_id": "",
        "saved_at": None,
        "topics": {},
        "uncovered": [],
        "uncovered_partitions": {},
    }
    try:
        content = require(params["manifest"], params.get("digest") or "")
        _open_files(params["manifest"], content)
    except KafkaDrError as error:
        answer["reason"] = str(error)
        return answer
    topics = {
        name: {"id": topic["topic_id"], "detail": topic["detail"], "partitions": len(topic["partitions"])}
        for name, topic in sorted(content["topics"].items())
    }
    answer.update(
        readable=True,
        cluster_id=content["cluster_id"],
        saved_at=content.get("saved_at"),
        topics=topics,
        **_uncovered(params, content["topics"]),
    )
    return answer


def _uncovered(params: dict[str, Any], saved: dict[str, Any]) -> dict[str, Any]:
    """``uncovered``, the topics asked for that were not saved whole, and ``uncovered_partitions``, what those lack that
    were saved in part.
    """
    wanted = {**dict.fromkeys(params["topics"], ()), **(params.get("partitions") or {})}
    lacking = {
        name: sorted({*map(str, numbers)} - {*saved[name]["partitions"]}, key=int)
        for name, numbers in wanted.items()
        if name in saved
    }
    partitions = {name: numbers for name, numbers in lacking.items() if numbers}
    return {"uncovered": sorted({*wanted} - {*saved} | {*partitions}), "uncovered_partitions": partitions}


def _open_files(path: str, content: dict[str, Any]) -> None:
    """Every data file has to be there, and to be opened: its footer, which a copy that was cut off lacks, is read.
    :raises NotProvableError: one is not.
    """
    wanted = files(content)
    if not wanted:
        return
    system, inside = locate(path)
    try:
        listed = system.get_file_info(pyarrow.fs.FileSelector(f"{inside}/data", allow_not_found=True))
        present = {f"data/{file.base_name}" for file in listed if file.type == pyarrow.fs.FileType.File and file.size}
        missing = [name for name in wanted if name not in present]
        if missing:
            raise NotProvableError(
                f"The manifest {shown(path)} is not whole",
                expected=f"the {len(wanted)} data files that it names",
                found=f"{len(missing)} missing or empty, {', '.join(missing[:NAMED])}",
                remedy="Copy the whole directory",
            )
        with concurrent.futures.ThreadPoolExecutor(TOGETHER) as pool:
            for name, damage in zip(wanted, pool.map(functools.partial(_damage, system, inside), wanted), strict=True):
                if damage:
                    raise NotProvableError(
                        f"{name} of the manifest {shown(path)} cannot be read", found=damage, remedy="Copy it again"
                    )
    except (OSError, pa.ArrowException) as error:
        raise NotProvableError(f"The manifest {shown(path)} cannot be read", found=str(error)) from error


def _damage(system: Any, inside: str, name: str) -> str:
    """Why a data file cannot be opened; empty where it can."""
    try:
        pyarrow.parquet.read_metadata(f"{inside}/{name}", filesystem=system)
    except (OSError, pa.ArrowException) as error:
        return str(error)
    return ""
