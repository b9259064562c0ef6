# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of side a comparison has: a live cluster, a manifest that was saved from one, windows of a watch.

A side is described by a plain dictionary, so that it can travel to where the reading is done:
``{"kind": "kafka", "config": {…}, "name": …, "timeout": 30, "rate": bytes per second or None}`` or
``{"kind": "manifest", "path": …, "name": …, "digest": …}`` or the windows of a watch (``_watch/side.py``). A cluster
may have ``starts`` ``{topic: {partition: offset}}`` that its ranges begin at.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import TYPE_CHECKING

from .._digest.records import Records
from .._digest.shapes import Isolation, OffsetRange, Partition, Progress, SideSpec, Span, TopicSurvey
from .shapes import Side

if TYPE_CHECKING:
    from .._manifest.side import ManifestSide
    from .pairs import Topic

from .._digest.batch import Digester
from .._digest.chunks import Chunks
from .._errors import KafkaDrError, NotProvableError, RefusedError
from .._kafka import distinct, reader
from .._kafka.client import KafkaClient
from .._kafka.log_sizes import log_sizes
from .._kafka.offsets import list_offsets, offsets_at
from .._kafka.pace import Pace
from .._kafka.topics import hidden_topics, survey_topics, topic_names
from .._mm2.names import EVERY_TOPIC, left_out_beside
from . import renaming

NAMED = 5


def open_side(spec: SideSpec) -> Side:
    """The side that a description describes."""
    return KINDS[spec["kind"]](spec)


def _open_manifest(spec: SideSpec) -> Side:
    # Its library takes a quarter of a second to load, which nobody else is to wait for.
    from .._manifest.side import ManifestSide

    return ManifestSide(spec)


def survey_all(side: Side, names: list[str]) -> dict[str, TopicSurvey]:
    """The survey of topics that the side has just listed.

    :raises NotProvableError: it does not describe one of them; left out, that topic would be passed over in silence.
    """
    found = side.survey(names)
    gone = sorted(set(names) - set(found))
    if gone:
        raise NotProvableError(
            f"Topic {', '.join(gone[:NAMED])} of {side.name} was listed and is not described",
            expected=f"{len(names)} topics",
            found=len(found),
            remedy="See whether it was deleted just now, then run this again",
        )
    return found


def hidden(
    source: Side, target: Side, pattern: str, rename: str | None, listed: Collection[str], more: Collection[str]
) -> list[str]:
    """Topics that a source does not show to this principal, of those that the pattern means and the target has.

    Kafka leaves a topic that a principal may not describe out of its list, and says so where it is asked for by name.

    :param rename: see :func:`.renaming.rename`. :param listed: what the source lists. :param more: names to ask for
        besides.
    """
    if not isinstance(source, KafkaSide) or not isinstance(target, KafkaSide):
        return []
    copied = set(copied_of(target, pattern, rename))
    return hidden_topics(source.client, sorted((copied | set(more)) - set(listed)))


def copied_of(target: Side, pattern: str, rename: str | None) -> dict[str, str]:
    """``{topic of the source: copy}`` of all copies that the target has of topics that the pattern means.

    :param rename: see :func:`.renaming.rename`.
    """
    wanted, leave_out = re.compile(pattern), left_out_beside(pattern)
    found = renaming.originals(rename, target.topics(EVERY_TOPIC))
    return {name: copy for name, copy in found.items() if wanted.fullmatch(name) and not leave_out(name)}


def manifest_of(side: Side) -> ManifestSide | None:
    """The side as a manifest; None where it is none."""
    if side.live:
        return None
    from .._manifest.side import ManifestSide

    return side if isinstance(side, ManifestSide) else None


def refuse_one_cluster(source: Side, target: Side) -> None:
    """Two clients of one cluster would prove it equal to itself. :raises RefusedError: they are."""
    if source.live and target.live:
        distinct.refuse_one_cluster((source.name, source.cluster_id), (target.name, target.cluster_id))


def refuse_same_topics(source: Side, target: Side, topics: list[Topic]) -> None:
    """A manifest of the target itself proves nothing; a region that was made again may have its old id, but its topics
    have new ones.

    :param topics: the topics to compare. :raises RefusedError: the manifest was made of the target's own.
    """
    if source.live or source.cluster_id != target.cluster_id:
        return
    same = [topic.name for topic in topics if topic.target and topic.target["topic_id"] == topic.source["topic_id"]]
    if same:
        raise RefusedError(
            f"The manifest was made of {target.name} itself",
            expected="the manifest of another cluster, or of this one before it was made again",
            found=f"cluster {target.cluster_id} on both sides, with the same topics {', '.join(same[:NAMED])}",
            remedy="Give the manifest of the source, and the client of its copy",
        )


def log_sizes_on(side: Side, partitions: Collection[Partition]) -> dict[Partition, int]:
    """Bytes of the logs of these partitions; empty where they cannot be learned."""
    if not partitions or not isinstance(side, KafkaSide):
        return {}
    try:
        return log_sizes(side.client, partitions)
    except KafkaDrError:
        return {}


class KafkaSide:
    """A live cluster."""

    live = True

    def __init__(self, spec: SideSpec) -> None:
        self.spec = spec
        self.name = spec["name"]
        self.client = KafkaClient(spec["config"], timeout=spec.get("timeout", 30), name=spec["name"])
        self.pace = Pace(spec.get("rate"))

    @property
    def cluster_id(self) -> str:
        """The id that the cluster gives itself."""
        return distinct.cluster_id(self.client)

    def detailed(self, topic: str) -> bool:
        """A cluster has every record."""
        return True

    def topics(self, pattern: str) -> list[str]:
        """Names that match."""
        return topic_names(self.client, pattern)

    def survey(self, topics: list[str]) -> dict[str, TopicSurvey]:
        """Ids, configurations, partitions and bounds."""
        found = survey_topics(self.client, topics)
        for topic, starts in (self.spec.get("starts") or {}).items():
            bounds = found[topic]["bounds"] if topic in found else {}
            for number in bounds.keys() & starts.keys():
                low, high = bounds[number]
                bounds[number] = (max(low, starts[number]), max(high, starts[number]))
        return found

    def ends(self, partitions: Iterable[Partition], isolation: Isolation = "read_committed") -> dict[Partition, int]:
        """Last stable offsets (or high watermarks) now."""
        return list_offsets(self.client, partitions, "end", isolation)

    def starts(self, partitions: Iterable[Partition]) -> dict[Partition, int]:
        """Log starts now."""
        return list_offsets(self.client, partitions, "start")

    def offset_at(self, partition: Partition, moment: int) -> int | None:
        """The first offset of a record of that time (ms), or of a later one; None where there is none."""
        return offsets_at(self.client, {partition: moment}).get(partition)

    def digest(self, ranges: list[OffsetRange], progress: Progress | None = None) -> list[Chunks]:
        """Chunks of each range."""
        digesters = [Digester(wanted.timestamps) for wanted in ranges]
        self._read([wanted[:4] for wanted in ranges], digesters, progress=progress)
        return [digester.chunks() for digester in digesters]

    def records(
        self,
        topic: str,
        partition: int,
        ranges: list[Span],
        keep: str = "fields",
        isolation: Isolation = "read_committed",
        progress: Progress | None = None,
    ) -> list[Records]:
        """Records of each range of one partition."""
        digesters = [Digester(True, keep) for dummy in ranges]
        self._read([(topic, partition, low, high) for low, high in ranges], digesters, isolation, progress)
        return [digester.records() for digester in digesters]

    def scan(
        self, topic: str, partition: int, low: int, high: int, isolation: Isolation = "read_committed"
    ) -> Iterator[Records]:
        """Records of a range in bounded portions, as an iterator: what may be too long to hold."""
        digester = Digester(True, "keys")
        for dummy, messages in reader.read(
            self.client, [(topic, partition, low, high)], isolation, self.client.timeout, self.pace
        ):
            digester.add(*reader.columns(messages))
            if digester.count >= 100000:
                yield digester.records()
                digester = Digester(True, "keys")
        if digester.count:
            yield digester.records()

    def _read(
        self,
        ranges: list[tuple[str, int, int, int]],
        digesters: list[Digester],
        isolation: Isolation = "read_committed",
        progress: Progress | None = None,
    ) -> None:
        for index, messages in reader.read(self.client, ranges, isolation, self.client.timeout, self.pace):
            before = digesters[index].bytes
            digesters[index].add(*reader.columns(messages))
            read = digesters[index].bytes - before
            self.pace.take(read)
            if progress:
                progress(len(messages), read)


# What opens a side, by its kind. Rooms that stand on this one add theirs.
KINDS: dict[str, Callable[[SideSpec], Side]] = {"kafka": KafkaSide, "manifest": _open_manifest}
