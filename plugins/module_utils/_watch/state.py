# SPDX-License-Identifier: GPL-3.0-or-later
"""What a watch knows, as it stands in its topic of the target region."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from .._errors import NotProvableError

if TYPE_CHECKING:
    from .._kafka.client import KafkaClient

TOPIC = "__kafka_dr_windows"

Partition = tuple[str, int]
Span = tuple[int, int]


class Tip(NamedTuple):
    """A record that was read: its offset, the leader epoch of its batch, its digest with the timestamp."""

    offset: int
    epoch: int
    digest: int


@dataclass
class Confirmed:
    """One partition. Pairs are (source, target) offsets.

    :ivar source_id, target_id: ids of the topics; ``target_id`` is empty while the target has no such topic.
    :ivar since: when the watch of these two logs began (ms); differences found before are of former ones.
    :ivar begins: where the proven range begins; None until the two logs have a first record in common.
    :ivar through: where it ends (exclusive).
    :ivar examined: how far both sides were compared (exclusive); beyond ``through`` only behind a difference.
    :ivar anchor: the last pair of records that were matched: ``{source, target, digest, timestamp}``.
    :ivar read: how far the source was read (exclusive); what is not confirmed of it stands in windows.
    :ivar source_tip, target_tip: the last record that was read and accounted for; read again each round.
    :ivar records, duplicates: how many were proven, and how many further copies the target has.
    :ivar matched: how many were matched, those behind a difference among them.
    :ivar unproven: source records that were never compared and never will be, counted or (if skipped) by offsets.
    :ivar source_start, source_end, source_high: the source's log start, last stable offset and high watermark when it
        was looked at last; records behind an open transaction lie between the latter two.
    :ivar unread_since: when a source record was first seen that is still not read (ms); None where none is known.
    :ivar target_start: the target's log start when it was looked at last; None where a former version looked.
    :ivar expiring, expiring_for: as of :mod:`.expiring`: pairs of a time (ms) and the target's offset below which all
        is expired by then, and the retention (ms) that was asked for.
    :ivar vanished: proven offsets that the target deleted before they were seen to expire: their number, and the offset
        of the source before which they lay.
    :ivar former_ids: ids of topics by this name that it followed before on the source, the newest last, bounded.
    :ivar unstamped: whether a record without timestamp was accounted for, whose expiry nobody can tell.
    :ivar looked_at: when the round began (ms) that looked at both logs last, where later rounds could not; 0 where none
        did since they are these logs, None where the last round did.
    :ivar gone: whether the source does not list the topic any more. Such topics only become more, and a record
        that named all of them would grow beyond what a broker takes.
    :ivar older: target records from before the first common one, or (by offsets) of a former topic.
    :ivar waiting, oldest_waiting: source records that are read and not confirmed yet (in windows); the time (ms) of the
        oldest, which is never later than when it was first seen.
    :ivar chain: hash of the last window.
    :ivar scrubbed: when all that is proven was last read again (ms).
    :ivar scrub_at: where that goes on: offsets of source and target, how many records were matched before them, and the
        offset of the source at which the pass ends.
    :ivar stopped: why the partition is no longer watched; None while it is.
    :ivar notes: what happened to it (created anew, skipped), the newest last, bounded.
    :ivar map_runs: (source offset, target offset, count), the newest of the exact offset map, bounded.
    """

    target_topic: str
    source_id: str
    target_id: str
    mode: str = "delete"
    since: int = 0
    begins: Span | None = None
    through: Span = (0, 0)
    examined: Span = (0, 0)
    read: int = 0
    anchor: dict[str, Any] | None = None
    source_tip: Tip | None = None
    target_tip: Tip | None = None
    records: int = 0
    matched: int = 0
    duplicates: int = 0
    unproven: int = 0
    source_start: int = 0
    source_end: int = 0
    source_high: int = 0
    unread_since: int | None = None
    target_start: int | None = None
    expiring: list[list[int]] = field(default_factory=list)
    expiring_for: int | None = None
    vanished: list[list[int]] = field(default_factory=list)
    unstamped: bool = False
    former_ids: list[str] = field(default_factory=list)
    looked_at: int | None = None
    gone: bool = False
    older: int = 0
    waiting: int = 0
    oldest_waiting: int | None = None
    differences: int = 0
    chain: str = ""
    proven_at: int | None = None
    scrubbed: int | None = None
    scrub_at: list[int] | None = None
    stopped: str | None = None
    notes: list[str] = field(default_factory=list)
    map_runs: list[list[int]] = field(default_factory=list)

    @property
    def left_unproven(self) -> int:
        """Those of ``unproven`` that the source may still hold: none once its log begins in the proven range."""
        return 0 if self.begins is not None and self.source_start >= self.begins[0] else self.unproven


@dataclass
class Window:
    """A stretch of the source that the target did not confirm when it was written; arrays are little-endian bytes.

    :ivar low, high: the offsets it covers. :ivar runs: int64 pairs (first offset, count).
    :ivar content: uint64 a record. :ivar timestamps: int64 ms a record.
    """

    low: int
    high: int
    count: int
    runs: bytes
    content: bytes
    timestamps: bytes
    previous: str
    hash: str


@dataclass
class Difference:
    """A fault as a proof names it.

    :ivar ends: where what is proven ends before it, exclusive offsets of source and target.
    :ivar matched: how many records were matched before it.
    :ivar accepted: None, or ``{by, reason, at}``.
    """

    topic: str
    partition: int
    number: int
    kind: str
    source_offset: int | None
    target_offset: int | None
    timestamp: int | None
    field: str | None
    count: int
    found_at: int
    ends: Span = (0, 0)
    matched: int = 0
    accepted: dict[str, Any] | None = None

    def id(self, mirror: str) -> str:
        """``<topic>-<partition>/<number>/<eight hexadecimal digits>``, the digits over all that was found: after the
        watch has begun anew, another fault of that number has another id.
        """
        found = asdict(self)
        del found["accepted"]
        text = json.dumps([mirror, found], sort_keys=True, separators=(",", ":"))
        digits = hashlib.sha256(text.encode()).hexdigest()[:8]
        return f"{self.topic}-{self.partition}/{self.number}/{digits}"


@dataclass
class WatchState:
    """Everything of one mirror. :ivar not_watched: ``{topic: reason}``. :ivar at: when the last round ended (ms).

    :ivar kept: how many partitions have a record of their own; None where a former version wrote it.
    """

    mirror: str
    source_cluster: str = ""
    target_cluster: str = ""
    topics: str = ""
    rename: str = "identity"
    began: int = 0
    at: int = 0
    round: int = 0
    seconds: float = 0
    kept: int | None = None
    not_watched: dict[str, str] = field(default_factory=dict)
    partitions: dict[Partition, Confirmed] = field(default_factory=dict)
    windows: dict[Partition, list[Window]] = field(default_factory=dict)
    differences: list[Difference] = field(default_factory=list)

    def round_began(self) -> int:
        """When the last round began (ms)."""
        return self.at - int(self.seconds * 1000)

    def standing_differences(self) -> list[Difference]:
        """The differences of the logs that there are now: those of former logs hold nothing up any more."""
        return [
            found
            for found in self.differences
            if (part := self.partitions.get((found.topic, found.partition))) is not None
            and found.found_at >= part.since
        ]


def by_partition(state: WatchState) -> dict[Partition, list[Difference]]:
    """The differences of the logs that there are now, by partition."""
    found: dict[Partition, list[Difference]] = {}
    for difference in state.standing_differences():
        found.setdefault((difference.topic, difference.partition), []).append(difference)
    return found


def read_state(client: KafkaClient, mirror: str, topic: str = TOPIC) -> WatchState | None:
    """What the watch of a mirror knows, read to the topic's end.

    :returns: None only where the cluster answers that there is no such topic, or no round of this mirror is in it.
    :raises KafkaDrError: it cannot be read to its end, is not whole, or holds what no watch wrote.
    """
    # The format imports these shapes.
    from .keeping import read_states
    from .wholeness import believed

    return believed(read_states(client, topic, mirror).get(mirror))


def require_state(client: KafkaClient, mirror: str, topic: str = TOPIC, remedy: str | None = None) -> WatchState:
    """What the watch of a mirror knows.

    :param remedy: the way out where it knows nothing; None where others name it.
    :raises NotProvableError: there is no state of this mirror. :raises KafkaDrError: as of :func:`read_state`.
    """
    state = read_state(client, mirror, topic)
    if state is None:
        raise NotProvableError(f"'{topic}' on {client.name} has no state of the mirror '{mirror}'", remedy=remedy)
    return state
