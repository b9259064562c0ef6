# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that a person gives: client configurations and bounds."""

from __future__ import annotations

import json
import os
import stat
import sys
from collections.abc import Iterator
from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._digest.shapes import SideSpec
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.offset_rows import OffsetRows
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._values.security import warnings


def load_config(path: str) -> dict:
    """A client configuration in librdkafka keys. :raises UsageError: unreadable, readable by others, or no such
    configuration.
    """
    try:
        mode = os.stat(path).st_mode
    except OSError as error:
        raise UsageError(f"The config file {path} cannot be read", found=error.strerror) from error
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise UsageError(
            f"The config file {path} can be read by others",
            expected="mode 0600, since it holds secrets",
            found=f"{stat.S_IMODE(mode):04o}",
            remedy=f"chmod 600 {path}",
        )
    config = load_json(path, "config file")
    if not isinstance(config, dict) or not config.get("bootstrap.servers"):
        raise UsageError(
            f"The config file {path} is no client configuration",
            expected="a JSON object of librdkafka keys with bootstrap.servers",
        )
    return {name: value for name, value in config.items() if value is not None}


def live_side(path: str, name: str, timeout: float) -> SideSpec:
    """The description of a cluster that is read; ``path`` has its client configuration. A connection that is not
    verified is told on standard error.

    :raises UsageError: as of :func:`load_config`.
    """
    config = load_config(path)
    for text in warnings([config]):
        sys.stderr.write(f"Warning: {text}\n")
    return {"kind": "kafka", "config": config, "name": name, "timeout": timeout, "rate": None}


def load_json(path: str, what: str) -> Any:
    """A JSON file. :raises UsageError: unreadable or not JSON (its content is not repeated: it may be secret)."""
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except OSError as error:
        raise UsageError(f"The {what} {path} cannot be read", found=error.strerror) from error
    except ValueError as error:
        place = f"line {error.lineno}" if isinstance(error, json.JSONDecodeError) else "its encoding"
        raise UsageError(f"The {what} {path} is not valid JSON", found=f"a mistake at {place}") from error


class _OneByOne(list):
    """A long sequence for ``json.dump``, which asks for one element after the other."""

    def __init__(self, rows: Any) -> None:
        if not isinstance(rows, OffsetRows):
            raise TypeError(f"{type(rows).__name__} has no JSON")
        super().__init__()
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.rows)


def write_json(path: str, value: Any) -> None:
    """Write whole or not at all, mode 0600."""
    directory = os.path.dirname(os.path.abspath(path))
    os.makedirs(directory, exist_ok=True)
    temporary = f"{path}.{os.getpid()}.tmp"
    with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        json.dump(value, file, separators=(",", ":"), default=_OneByOne)
        file.write("\n")
    os.replace(temporary, path)
