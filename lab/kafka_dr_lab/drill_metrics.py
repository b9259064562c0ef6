# SPDX-License-Identifier: GPL-3.0-or-later
"""The last drill of each kind, as a file for the textfile collector of Prometheus' node exporter."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from prometheus_client import CollectorRegistry, Gauge, write_to_textfile

from .errors import LabError

LABELS = ("scenario", "platform")
# By name: what it is, and where a row of the page of past drills has it; None where the drill did not measure it.
GAUGES: dict[str, tuple[str, Callable[[dict[str, Any]], float | None]]] = {
    "kafka_dr_drill_passed": ("Whether the last drill passed", lambda row: float(row["passed"])),
    "kafka_dr_drill_timestamp_seconds": ("When the last drill began", lambda row: row["began"]),
    "kafka_dr_drill_rto_seconds": ("RTO of the last drill", lambda row: row["rto"]),
    "kafka_dr_drill_rpo_records": ("Records that the last drill lost", lambda row: row["rpo"]),
    "kafka_dr_drill_rpo_seconds": ("Age of the oldest record that the last drill lost", lambda row: row["rpo_seconds"]),
}


def write(rows: Iterable[dict[str, Any]], path: Path) -> None:
    """Write the file in one move, so that nobody reads half of it.

    :param rows: as :func:`_report.history.rows` has them, newest first. Drills that were spoiled on purpose are left
        out: they have to turn red.
    :raises LabError: the file cannot be written.
    """
    registry, seen = CollectorRegistry(), set()
    gauges = {name: Gauge(name, text, LABELS, registry=registry) for name, (text, _read) in GAUGES.items()}
    for row in rows:
        labels = tuple(str(row[label]) for label in LABELS)
        if row["sabotage"] or labels in seen:
            continue
        seen.add(labels)
        for name, (_text, read) in GAUGES.items():
            value = read(row)
            if value is not None:
                gauges[name].labels(*labels).set(value)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_to_textfile(str(path), registry)
        # The exporter runs as a user of its own.
        os.chmod(path, 0o644)
    except OSError as error:
        raise LabError(f"{path} cannot be written: {error.strerror}. Name another file with --metrics.") from error
