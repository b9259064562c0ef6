# SPDX-License-Identifier: GPL-3.0-or-later
"""Read what is new of many partitions of one side, each from the record that was read last.

A log is the one that was read before where that record is still there, with its leader epoch and its content: Kafka
gives an offset and a leader epoch to one record, so what lies before it is the same too (KIP-101).
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .._digest.batch import Digester
from .._digest.records import Records
from .._digest.shapes import Partition
from .._kafka import reader
from .._kafka.client import KafkaClient
from .._kafka.offsets import list_offsets
from .._kafka.pace import Pace
from .._kafka.read_events import RangeGoneError
from .state import Tip
from .track import Epochs

ATTEMPTS = 3
# Kilobytes that are fetched ahead. What lies beyond a portion is thrown away, and fetched again by the next round.
PREFETCH = 2048


@dataclass
class Wanted:
    """What to read of one partition: offsets from ``low`` to ``high`` (exclusive), after the record ``tip``."""

    place: Partition
    tip: Tip | None
    low: int
    high: int


@dataclass
class Piece:
    """What was read. ``tip``: its last record; ``changed``: why the log is another one; None where it is the same.

    ``skipped``: offsets that were deleted before they were read, from ``low`` on.
    """

    records: Records
    epochs: Epochs
    tip: Tip | None = None
    changed: str | None = None
    skipped: int = 0


class SideReader:
    """One cluster. ``records``: how many were read since it was opened."""

    def __init__(self, client: KafkaClient, pace: Pace) -> None:
        self.client, self.pace = client, pace
        self._session = reader.Session(client, rate=pace.rate, prefetch=PREFETCH)
        self.records = 0

    def read(self, wanted: Sequence[Wanted], starts: dict[Partition, int]) -> dict[Partition, Piece]:
        """``{partition: piece}`` of what could be read; a partition whose log start keeps moving is left out.

        :param starts: log starts, as of now.
        """
        moved: set[Partition] = set()
        for dummy in range(ATTEMPTS):
            try:
                return self._read(wanted, starts)
            except RangeGoneError:
                now = list_offsets(self.client, [item.place for item in wanted], "start", gone="error")
                moved, starts = {place for place, start in now.items() if start != starts[place]}, now
        others = [item for item in wanted if item.place not in moved]
        with contextlib.suppress(RangeGoneError):
            return self._read(others, starts) if others else {}
        return {}

    def close(self) -> None:
        """End its consumer."""
        self._session.close()

    def _read(self, wanted: Sequence[Wanted], starts: dict[Partition, int]) -> dict[Partition, Piece]:
        ranges, plans = [], []
        for item in wanted:
            start = starts[item.place]
            tip = item.tip if item.tip is not None and item.tip.offset >= start else None
            low = tip.offset if tip is not None else max(start, item.low)
            ranges.append((*item.place, low, max(low, item.high)))
            plans.append((item, tip, max(0, min(start, item.high) - item.low) if tip is None else 0))
        digesters = [Digester(True, "content", sized=self.pace.rate is not None) for dummy in ranges]
        epochs = [Epochs() for dummy in ranges]
        for index, messages in self._session.read(ranges, self.client.timeout):
            before = digesters[index].bytes
            digesters[index].add(*reader.columns(messages))
            _add_epochs(epochs[index], messages)
            self.pace.take(digesters[index].bytes - before)
        found = {}
        for (item, tip, skipped), digester, seen in zip(plans, digesters, epochs, strict=True):
            self.records += digester.count
            found[item.place] = _piece(digester.records(), seen, tip, skipped)
        return found


def _add_epochs(epochs: Epochs, messages: Sequence[Any]) -> None:
    """Leader epochs only rise along a log: where the first and the last are equal, so are those between."""
    first, last = messages[0], messages[-1]
    if _epoch(first) == _epoch(last):
        epochs.add(first.offset(), _epoch(first))
        return
    for message in messages:
        epochs.add(message.offset(), _epoch(message))


def _epoch(message: Any) -> int:
    found = message.leader_epoch()
    return -1 if found is None else found


def _piece(records: Records, epochs: Epochs, tip: Tip | None, skipped: int) -> Piece:
    last = None
    if len(records):
        offset = int(records.offset[-1])
        last = Tip(offset, epochs.at(offset), int(records.digest()[-1]))
    if tip is None:
        return Piece(records, epochs, last, None, skipped)
    changed = _changed(records, epochs, tip)
    return Piece(records.take(slice(1, None)), epochs, last, changed)


def _changed(records: Records, epochs: Epochs, tip: Tip) -> str | None:
    """Why the record that was read last is not there any more; None where it is."""
    if not len(records) or int(records.offset[0]) != tip.offset:
        return f"the record at offset {tip.offset}, which was read before, is not there"
    epoch = epochs.at(tip.offset)
    if -1 not in (epoch, tip.epoch) and epoch != tip.epoch:
        return f"the record at offset {tip.offset} has leader epoch {epoch}, and had {tip.epoch} when it was read"
    if int(records.digest()[0]) != tip.digest:
        return f"the record at offset {tip.offset} has another content than when it was read"
    return None
