# SPDX-License-Identifier: GPL-3.0-or-later
"""What consumer groups processed in both regions; the work of ``reprocessed``."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Mapping
from typing import Any

from .._errors import KafkaDrError, UsageError
from .._host.files import FILE_MODE, replace
from .._kafka.client import KafkaClient
from .._positions.groups import group_filter, living_positions
from .._positions.reprocessed import POSITION, compare, read_maps
from .private_files import private_files

NAMES = ("reprocessed.json", "reprocessed.parquet")


def reprocessed(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """The result of ``reprocessed``; see the module's RETURN for the shape."""
    maps = read_maps(params["report"])
    wanted = group_filter(params)
    went_on = {group: places for group, places in _went_on(params["positions"]).items() if wanted(group)}
    source = KafkaClient(params["client"], params["client_secrets"], params["timeout"])
    source.metadata()
    topics = {topic for topic, dummy in maps}
    found, dummy, dummy2 = living_positions(source, wanted, topics.__contains__, went_on)
    stood = {group: {key: position.offset for key, position in places.items()} for group, places in found.items()}
    ranges, unknown = compare(stood, went_on, maps)
    result = {
        "changed": False,
        "ranges": ranges,
        "unknown": unknown,
        "records": sum(row["records"] for row in ranges),
        "records_salvaged": sum(row["records"] for row in ranges if row["cause"] != POSITION),
        "groups": sorted({row["group"] for row in ranges}),
        "files": [],
    }
    if params["directory"]:
        result["changed"] = _differ(contents := _contents(params["directory"], ranges, unknown))
        if not check_mode:
            result["files"] = _write(params["directory"], contents)
    return result


def _went_on(given: Any) -> dict[str, dict[tuple[str, int], int]]:
    """``{group: {(topic, partition): offset}}`` from what the ledger keeps. :raises UsageError: it is something
    else.
    """
    try:
        return {
            group: {
                (topic, int(number)): int(offset)
                for topic, numbers in topics.items()
                for number, offset in numbers.items()
            }
            for group, topics in given.items()
        }
    except (AttributeError, TypeError, ValueError) as error:
        raise UsageError(
            "The positions are not valid", expected='{"group": {"topic": {"0": offset}}}', found=str(error)
        ) from error


def _contents(directory: str, ranges: list[dict[str, Any]], unknown: list[dict[str, Any]]) -> dict[str, bytes]:
    """Both files by their paths."""
    content = json.dumps({"ranges": ranges, "unknown": unknown}, indent=1).encode() + b"\n"
    return dict(zip((os.path.join(directory, name) for name in NAMES), (content, _parquet(ranges)), strict=True))


def _differ(contents: Mapping[str, bytes]) -> bool:
    """Whether any file is not as it is to be."""
    for path, data in contents.items():
        try:
            with open(path, "rb") as file:
                if file.read() != data:
                    return True
        except OSError:
            return True
    return False


def _write(directory: str, contents: Mapping[str, bytes]) -> list[str]:
    """Both files, for their owner alone."""
    private_files({"directories": [directory], "files": [], "absent": []}, False)
    try:
        for path, data in contents.items():
            replace(path, data, FILE_MODE)
    except OSError as error:
        raise KafkaDrError(
            f"'{error.filename or directory}' cannot be written",
            found=error.strerror,
            remedy="Look at its directory's owner, mode and free space",
        ) from error
    return list(contents)


def _parquet(ranges: list[dict[str, Any]]) -> bytes:
    # Its library takes a quarter of a second to load, which nobody else is to wait for.
    import pyarrow as pa
    import pyarrow.parquet

    kinds = {"group": pa.string(), "topic": pa.string(), "partition": pa.int32(), "first": pa.int64()}
    kinds |= {"last": pa.int64(), "records": pa.int64(), "cause": pa.string(), "source_topic": pa.string()}
    kinds |= {"source_position": pa.int64(), "went_on": pa.int64(), "clipped": pa.bool_()}
    stream = io.BytesIO()
    pyarrow.parquet.write_table(pa.Table.from_pylist(ranges, pa.schema(list(kinds.items()))), stream)
    return stream.getvalue()
