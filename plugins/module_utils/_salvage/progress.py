# SPDX-License-Identifier: GPL-3.0-or-later
"""What was written already: a compacted topic in the active region, written in the transactions of the records.

A partition has two kinds of entries, by the id of its topic, so that a topic that was made again begins anew: one says
from which offset of the source it goes on, the others say which offsets one transaction wrote, and where to.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .._errors import FormatError
from .._kafka.client import KafkaClient
from .._ledger.kept import read_kept
from .._ledger.topic import ensure_kept_topic
from .._ledger.writers import SALVAGE_TOPIC
from .._values.whole import is_whole
from . import spans
from .actions import REPLAY

TOPIC = SALVAGE_TOPIC
FORMAT = 1
# What sums of offsets stay below.
LARGEST = 1 << 61
CONFIGS = {"cleanup.policy": "compact", "message.timestamp.type": "CreateTime"}


@dataclass
class Portion:
    """What one transaction wrote: runs of the source's offsets, and runs of offsets in ``target_topic``."""

    action: str
    target_topic: str
    target_topic_id: str
    source_runs: Any
    target_runs: Any
    records: int


@dataclass
class Progress:
    """Of one partition: where it goes on, and what was written. ``next`` is None before the first transaction."""

    next: int | None = None
    portions: list[Portion] = field(default_factory=list)

    def written(self) -> Any:
        """Runs of the source's offsets that were written."""
        return spans.as_runs([pair for portion in self.portions for pair in portion.source_runs.tolist()])

    def written_to(self, topic: str) -> Any:
        """Runs of the offsets in a topic of the target that hold what was written."""
        return spans.as_runs(
            [
                pair
                for portion in self.portions
                if portion.target_topic == topic
                for pair in portion.target_runs.tolist()
            ]
        )

    def mapping(self, topic: str) -> list[list[int]]:
        """Rows ``[offset in the source, offset in the topic, count]``, ascending. A transaction has its records in the
        source's order.
        """
        mine = [portion for portion in self.portions if portion.target_topic == topic]
        return sorted(row for portion in mine for row in spans.paired(portion.source_runs, portion.target_runs))


def replayed_by_others(
    known: Mapping[tuple[str, int], Progress], topic_id: str, partition: int, target_topic: str, target_topic_id: str
) -> Any:
    """Runs of a target partition's offsets that hold what salvages of other topics have replayed there.

    Another region that was copied to the same target has a topic of its own with the same records.

    :param topic_id: of the source whose own salvage does not count.
    """
    return spans.as_runs(
        [
            run
            for (other_id, number), part in known.items()
            if other_id != topic_id and number == partition
            for portion in part.portions
            if (portion.action, portion.target_topic, portion.target_topic_id)
            == (REPLAY, target_topic, target_topic_id)
            for run in portion.target_runs.tolist()
        ]
    )


def ensure_topic(client: KafkaClient) -> None:
    """Create the topic, or correct what was changed: deletion by age would forget what was written."""
    ensure_kept_topic(client, {"name": TOPIC, "partitions": 1, "configs": CONFIGS})


def key(topic_id: str, partition: int, first: int | None = None) -> bytes:
    """The key of a partition's entry, or of the portion that begins at an offset of the source."""
    return f"{topic_id}-{partition}{'' if first is None else f'@{first}'}".encode()


def entry(region: str, topic: str, topic_id: str, partition: int, following: int) -> bytes:
    """The value of a partition's entry."""
    return _dump({"region": region, "topic": topic, "topic_id": topic_id, "partition": partition, "next": following})


def portion_entry(portion: Portion) -> bytes:
    """The value of a portion's entry."""
    return _dump(
        {
            "action": portion.action,
            "target_topic": portion.target_topic,
            "target_topic_id": portion.target_topic_id,
            "source": portion.source_runs.tolist(),
            "target": portion.target_runs.tolist(),
            "records": portion.records,
        }
    )


def _dump(value: dict[str, Any]) -> bytes:
    return json.dumps({"format": FORMAT, **value}, separators=(",", ":")).encode()


def read_all(client: KafkaClient) -> dict[tuple[str, int], Progress]:
    """``{(topic id, partition): progress}`` of everything that was committed before the call.

    :raises KafkaDrError: it cannot be read to its end; a part would let records be written twice.
    """
    # What a salvage writes has a key; what has none cannot be taken away by a null value.
    return _parsed({name: value for dummy, name, value, dummy2 in read_kept(client, TOPIC) if name is not None})


def _parsed(latest: dict[bytes, bytes | None]) -> dict[tuple[str, int], Progress]:
    found: dict[tuple[str, int], Progress] = {}
    for name, value in latest.items():
        if value is None:
            continue
        try:
            place, dummy, first = name.decode().partition("@")
            topic_id, dummy, number = place.rpartition("-")
            content = json.loads(value)
            if content["format"] != FORMAT:
                raise ValueError
            progress = found.setdefault((topic_id, int(number)), Progress())
            if first:
                progress.portions.append(_portion(content))
            else:
                progress.next = _offset(content["next"])
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
            raise _foreign(name) from error
    return found


def _portion(content: dict[str, Any]) -> Portion:
    return Portion(
        str(content["action"]),
        str(content["target_topic"]),
        str(content["target_topic_id"]),
        _runs(content["source"]),
        _runs(content["target"]),
        int(content["records"]),
    )


def _runs(given: Any) -> Any:
    return spans.as_runs([(_offset(first), _offset(first + count) - first) for first, count in given])


def _offset(given: Any) -> int:
    """A number that is an offset. :raises ValueError: it is none."""
    if not is_whole(given, LARGEST):
        raise ValueError(given)
    return given


def _foreign(where: object) -> FormatError:
    return FormatError(
        f"'{TOPIC}' has a record that no salvage wrote",
        expected=f"format {FORMAT}",
        found=f"the record {where!r}",
        remedy="Find out who may write there, and delete that record by a null value for its key",
    )
