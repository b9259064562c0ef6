# SPDX-License-Identifier: GPL-3.0-or-later
"""Open windows as the source of a comparison: what a lost region held and the target had not confirmed.

The comparison begins at the last pair of records that were matched, which both sides have: :func:`specs` gives the two
descriptions that :func:`.._proof.comparison.prepare` takes. What lies before it is proven by the state itself, but for
the state's own differences and stopped partitions, which :mod:`.closing` judges.

A further copy of a record that was proven long ago is recognised, because what is proven on the target is what the
source held: :meth:`WindowSide.scan` reads it there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

from .._digest import batch, chunks
from .._digest.records import Records
from .._digest.shapes import Isolation, OffsetRange, Partition, Progress, SideSpec, Span, TopicSurvey
from .._errors import NotProvableError
from .._kafka.client import KafkaClient
from .._proof.sides import KINDS, KafkaSide
from .._values.pattern import matching
from . import windows
from .state import Confirmed, WatchState, require_state
from .unseen import held_to

# Records of the target's proven range in which a further copy is looked for.
BACK = 4000000
# What to do where a state is not of use.
INSTEAD = "Compare with a manifest, or with the source"
# The state that was read last, by what pins it: each task of a comparison opens the side anew.
_READ: dict[tuple[str, ...], WatchState] = {}


def specs(
    target: SideSpec, mirror: str, topic: str, state: WatchState, deleted: Collection[Partition] = (), back: int = BACK
) -> tuple[SideSpec, SideSpec]:
    """Descriptions of the windows and of the target, for a comparison of what is not confirmed.

    :param target: description of the target's cluster. :param topic: the topic of the state.
    :param deleted: partitions whose last matched record the target has deleted since; they are compared from what
        follows it on. :param back: records of the target in which a further copy is looked for.
    """
    starts: dict[str, dict[int, int]] = {}
    for place, part in state.partitions.items():
        starts.setdefault(part.target_topic, {})[place[1]] = begin(part, place in deleted)[1]
    source = {
        "kind": "windows",
        "name": f"windows of {mirror}",
        "mirror": mirror,
        "topic": topic,
        "target": target,
        "pinned": _pin(state),
        "deleted": sorted(deleted),
        "back": back,
    }
    return source, {**target, "starts": starts}


def _pin(state: WatchState) -> list[str]:
    """What tells one state from any other of the same mirror."""
    return [state.mirror, state.source_cluster, state.target_cluster, str(state.round), str(state.at)]


def begin(part: Confirmed, deleted: bool = False) -> Span:
    """Where both sides are compared from: the last matched pair, which is compared once more, unless it is deleted."""
    anchor = _anchored(part, deleted)
    return part.examined if anchor is None else (anchor["source"], anchor["target"])


def _anchored(part: Confirmed, deleted: bool) -> dict[str, int] | None:
    """The last matched pair; None where it is deleted, or both sides have to be aligned anew, since retention took what
    followed it.
    """
    return None if deleted or part.begins is None else part.anchor


class WindowSide:
    """The windows of one mirror. Never live: there is no more than what was kept.

    :raises NotProvableError: there is no state of this mirror, or another one than the description was made of.
    """

    live = False

    def __init__(self, spec: SideSpec) -> None:
        self.spec, self.name = spec, spec["name"]
        self.target = KafkaSide(spec["target"])
        self.deleted = {tuple(key) for key in spec.get("deleted") or ()}
        state = _read(spec)
        self.state = state
        self.cluster_id = state.source_cluster
        self._kept: dict[Partition, Records] = {}

    def detailed(self, topic: str) -> bool:
        """Windows hold the digest of each record."""
        return True

    def topics(self, pattern: str) -> list[str]:
        """Names that match, of topics of which the state says what is proven."""
        return matching(held_to(self.state), pattern, "topics")

    def survey(self, topics: list[str]) -> dict[str, TopicSurvey]:
        """Ids, policies, and the ranges from the last matched record to what was read."""
        found: dict[str, TopicSurvey] = {}
        for (topic, number), part in sorted(self.state.partitions.items()):
            if topic not in topics:
                continue
            row = found.setdefault(
                topic,
                {
                    "topic_id": part.source_id,
                    "config": {"cleanup.policy": part.mode, "retention.ms": "-1", "retention.bytes": "-1"},
                    "partitions": [],
                    "bounds": {},
                },
            )
            row["partitions"].append(number)
            low = self._begin((topic, number))[0]
            row["bounds"][number] = (low, max(part.read, low))
        return found

    def ends(self, partitions: Iterable[Partition], isolation: Isolation = "read_committed") -> dict[Partition, int]:
        """How far the source was read."""
        return {place: self.state.partitions[place].read for place in partitions}

    def starts(self, partitions: Iterable[Partition]) -> dict[Partition, int]:
        """Where the comparison begins."""
        return {place: self._begin(place)[0] for place in partitions}

    def digest(self, ranges: list[OffsetRange], progress: Progress | None = None) -> list[chunks.Chunks]:
        """Chunks of each range."""
        found = []
        for wanted in ranges:
            records = self._within((wanted.topic, wanted.partition), wanted.low, wanted.high)
            if progress:
                progress(len(records), 0)
            found.append(batch.cut_records(records, wanted.timestamps))
        return found

    def records(
        self,
        topic: str,
        partition: int,
        ranges: list[Span],
        keep: str = "content",
        isolation: Isolation = "read_committed",
        progress: Progress | None = None,
    ) -> list[Records]:
        """Records of each range: offset, content digest, timestamp."""
        return [self._within((topic, partition), low, high) for low, high in ranges]

    def scan(
        self, topic: str, partition: int, low: int, high: int, isolation: Isolation = "read_committed"
    ) -> Iterator[Records]:
        """What the source held: the windows, then what was proven, as the target has it (the newest of it)."""
        place = (topic, partition)
        yield self._within(place, low, high)
        part = self.state.partitions[place]
        if part.begins is None or part.stopped:
            return
        proven = min(part.through[1], self._begin(place)[1])
        copy = (part.target_topic, partition)
        start = self.target.starts([copy]).get(copy, proven)
        low = max(start, part.begins[1], proven - (self.spec.get("back") or BACK))
        if low < proven:
            yield from self.target.scan(*copy, low, proven)

    def _begin(self, place: Partition) -> Span:
        return begin(self.state.partitions[place], place in self.deleted)

    def _within(self, place: Partition, low: int, high: int) -> Records:
        records = self._records(place)
        return records.take((records.offset >= low) & (records.offset < high))

    def _records(self, place: Partition) -> Records:
        """The anchor and what waits. :raises NotProvableError: the partition is stopped, or its windows not whole."""
        if place not in self._kept:
            part = self.state.partitions[place]
            if part.stopped:
                raise NotProvableError(
                    f"{place[0]}-{place[1]} is not watched any more", found=part.stopped, remedy="Compare it otherwise"
                )
            self._kept[place] = Records.join(
                [self._anchor(place, part), windows.records(place, part, self.state.windows.get(place, []))]
            )
        return self._kept[place]

    def _anchor(self, place: Partition, part: Confirmed) -> Records:
        """The last matched record, read from the target, which has it with the digest that is known.

        :raises NotProvableError: the target has another one there.
        """
        anchor = _anchored(part, place in self.deleted)
        if anchor is None:
            return Records()
        at = anchor["target"]
        (found,) = self.target.records(part.target_topic, place[1], [(at, at + 1)], keep="content")
        if len(found) != 1 or int(found.digest()[0]) != anchor["digest"]:
            raise NotProvableError(
                f"{part.target_topic}-{place[1]} on {self.target.name} is not the log that the watch proved",
                expected=f"the record that was matched last, at offset {at}",
                found="another one" if len(found) else "none",
                remedy="Compare it with the source, or with a manifest",
            )
        found.offset = np.array([anchor["source"]], np.int64)
        return found


def _read(spec: SideSpec) -> WatchState:
    """The state that a description was made of, kept for the next task.

    :raises NotProvableError: there is none, or the watch has gone on since.
    """
    pinned = spec.get("pinned")
    if pinned and tuple(pinned) in _READ:
        return _READ[tuple(pinned)]
    name = spec["target"]["name"]
    client = KafkaClient(spec["target"]["config"], timeout=spec["target"].get("timeout", 30), name=name)
    state = require_state(client, spec["mirror"], spec["topic"], INSTEAD)
    if pinned and _pin(state) != list(pinned):
        raise NotProvableError(
            f"The watch of the mirror '{spec['mirror']}' has gone on while its windows were compared",
            expected=f"its round {pinned[3]}",
            found=f"round {state.round}",
            remedy="Stop the watch, then run this again",
        )
    keep(state)
    return state


def keep(state: WatchState) -> None:
    """Let the tasks of this process take a state that was read already."""
    _READ.clear()
    _READ[tuple(_pin(state))] = state


KINDS["windows"] = WindowSide
