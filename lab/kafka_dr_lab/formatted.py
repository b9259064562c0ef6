# SPDX-License-Identifier: GPL-3.0-or-later
"""Log directories as ``kafka-storage.sh format`` leaves them: made by Kafka's own tool once, and copied for each
further broker of this process. A third of what a broker costs to start and stop is that tool's own start.
"""

from __future__ import annotations

import base64
import tempfile
import uuid
from collections.abc import Callable, Sequence
from pathlib import Path

# What the tool writes of its own, by what decides it.
Files = dict[str, bytes]
_formatted: dict[tuple[str, ...], Files] = {}
META = "meta.properties"


def write_formatted(
    directory: Path, cluster_id: str, decided_by: Sequence[str], format_there: Callable[[Path], None]
) -> None:
    """Write a formatted, empty log directory.

    :param directory: the log directory, which is not there yet or empty.
    :param cluster_id: of the cluster that the broker belongs to.
    :param decided_by: all that the tool's output depends on but for the ids: installation, roles, further words.
    :param format_there: runs the tool for a log directory; called once for each ``decided_by``.
    """
    key = tuple(decided_by)
    if key not in _formatted:
        with tempfile.TemporaryDirectory(prefix="kafka-dr-format-") as template:
            format_there(Path(template) / "data")
            _formatted[key] = {
                path.name: path.read_bytes() for path in (Path(template) / "data").iterdir() if path.is_file()
            }
    directory.mkdir(parents=True, exist_ok=True)
    for name, content in _formatted[key].items():
        if name != META:
            (directory / name).write_bytes(content)
    # Last: a directory that has it counts as formatted.
    ids = {"cluster.id": cluster_id, "directory.id": directory_id()}
    lines = _formatted[key][META].decode().splitlines()
    kept = [line for line in lines if line.partition("=")[0] not in ids]
    (directory / META).write_text("\n".join([*kept, *(f"{key}={value}" for key, value in ids.items()), ""]))


def directory_id() -> str:
    """A random id as Kafka writes it: base64 for URLs of 16 bytes, without padding, and without a dash in front
    (``org.apache.kafka.common.Uuid.randomUuid``).
    """
    while True:
        random_id = base64.urlsafe_b64encode(uuid.uuid4().bytes).rstrip(b"=").decode()
        if not random_id.startswith("-"):
            return random_id
