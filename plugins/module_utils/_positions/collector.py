# SPDX-License-Identifier: GPL-3.0-or-later
"""Collect from live clusters what a translation of positions rests on: bounds, pairs, and the records that have to be
compared.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping

from .._kafka.client import KafkaClient
from .._kafka.mm2_topics import Row, Unread, read_offset_syncs, read_source_offsets
from .._kafka.offsets import topic_offsets
from .._kafka.topics import describe_topics
from .._mm2.names import MirrorNames
from .evidence import Evidence
from .former_topic import FormerTopic
from .offset_map import ProofMap, merge_pairs, rising_pairs
from .outline import Outline, living_pairs
from .reading import digest_spans
from .scan import Scan
from .shapes import Known, Offsets, Pair, Partition, Span, TimedPair
from .spans import spans_to_read
from .unreadable import about

# ``contents(topic, partition, low, high, timestamps)``: the source's records as a manifest has them, None where it has
# none.
Contents = Callable[..., "Scan | None"]
# Log starts and last stable offsets of partitions, ends of their logs, and the ids of their topics.
Bounds = tuple[dict[Partition, Span], dict[Partition, int], dict[str, str]]


class EvidenceCollector:
    """One mirror's clusters and names, and what its own topics on the target say; read once.

    :param source: None where the source is lost.
    :param known: what a witness has seen; None where there is none.
    :param proof: the offset maps of a proof.
    :param ends: where the mirror's writing ended, by the target's topics and partitions.
    """

    def __init__(
        self,
        names: MirrorNames,
        source: KafkaClient | None,
        target: KafkaClient,
        offsets_topic: str | None = None,
        connector: str | None = None,
        known: Known | None = None,
        checkpoints: Iterable[Row] = (),
        proof: Mapping[Partition, ProofMap] | None = None,
        ends: Offsets | None = None,
    ) -> None:
        self.names, self.source, self.target = names, source, target
        self.known = known or {"topics": {}}
        self.proof = proof or {}
        self.ends = ends or {}
        self.unread: list[Unread] = []
        self.syncs = read_offset_syncs(target, names.offset_syncs, self.unread)
        self.garbled = about(self.unread)
        copied = read_source_offsets(target, offsets_topic or names.source_offsets, names.source, connector)
        # Of a key with rows in two partitions nobody knows which one Connect goes by; and where a transaction is open,
        # the last row that can be read need not be the last one.
        self.copied: dict[Partition, int] = {
            key: offset
            for key, offset in (copied["offsets"].items() if copied else ())
            if copied and key not in copied["conflicts"] and key not in copied["hidden"]
        }
        self.plain = copied["plain"] if copied else ()
        self.exactly_once = bool(copied and copied["transactional"])
        self.checkpoints: dict[Partition, list[Pair]] = {}
        for row in checkpoints:
            original = names.original_of(row.value.topic)
            if original is None:
                continue
            self.checkpoints.setdefault((original, row.value.partition), []).append(
                (row.value.upstream, row.value.downstream)
            )

    def evidence(
        self, positions: Mapping[Partition, set[int]], limit: int, contents: Contents | None = None
    ) -> dict[Partition, Evidence]:
        """The evidence for every partition that exists on the target.

        :param positions: the positions to be translated, by the source's topics and partitions.
        :param limit: offsets of one stretch beyond which it is not read.
        """
        outlines = self._outlines(positions)
        spans = {key: spans_to_read(outline, positions[key], limit) for key, outline in outlines.items()}
        copies = {(self.names.copy_of(topic), number): span[0] for (topic, number), span in spans.items()}
        target_scans, appended = digest_spans(self.target, copies)
        if appended:
            # The target keeps its own time of arrival, so only content can be compared.
            target_scans = digest_spans(self.target, copies, timestamps=False)[0]
        source_scans = self._source_scans({key: span[1] for key, span in spans.items()}, not appended, contents)
        return {
            key: Evidence(
                outline, target_scans.get((self.names.copy_of(key[0]), key[1]), []), source_scans.get(key, [])
            )
            for key, outline in outlines.items()
        }

    def _source_scans(
        self, spans: dict[Partition, list[Span]], timestamps: bool, contents: Contents | None
    ) -> dict[Partition, list[Scan]]:
        """The source's records: its own, or those of its manifest where it is lost."""
        if self.source is not None:
            return digest_spans(self.source, spans, timestamps=timestamps)[0]
        if contents is None:
            return {}
        saved = {
            key: [contents(*key, low, high, timestamps=timestamps) for low, high in listed]
            for key, listed in spans.items()
        }
        return {key: [scan for scan in scans if scan is not None] for key, scans in saved.items()}

    def _outlines(self, positions: Iterable[Partition]) -> dict[Partition, Outline]:
        """What is known before any record is read, for every partition that exists on the target."""
        wanted = set(positions)
        topics = sorted({topic for topic, dummy in wanted})
        copies, dummy_ends, copy_ids = _bounds(self.target, [self.names.copy_of(topic) for topic in topics])
        sources, log_ends, source_ids = (
            (None, {}, self._witnessed_ids()) if self.source is None else _bounds(self.source, topics)
        )
        history, pairs = self._pairs(wanted)
        outlines = {}
        for key in positions:
            copy_name = self.names.copy_of(key[0])
            copy = copies.get((copy_name, key[1]))
            if copy is None or (sources is not None and key not in sources):
                continue
            end = self.ends.get(copy_name, {}).get(key[1])
            through = self.copied.get(key)
            present = source_ids.get(key[0]), copy_ids[copy_name]
            proof = self._proof(key, copy[1], present, pairs.get(key, []))
            outlines[key] = Outline(
                merge_pairs(pairs.get(key, []), proof),
                (copy[0], copy[1] if end is None else min(end, copy[1])),
                None if sources is None else sources[key],
                None if through is None else through + 1,
                self.exactly_once,
                self.checkpoints.get(key, ()),
                proof,
                sealed=end is not None,
                # What cannot be read may have shown that the mirror went back.
                mixed=key in self.plain or key in self.garbled,
                former=FormerTopic(
                    history.get(key, ()),
                    self._recreated(key[0]) / 1000,
                    *((log_ends[key], math.inf) if key in log_ends else self._known_end(key)),
                ),
            )
        return outlines

    def _proof(self, key: Partition, end: int, present: tuple[str | None, str], pairs: list[Pair]) -> ProofMap | None:
        """The proof's offset map, unless one of the topics is not the one that was proven, or pairs of the present copy
        contradict it: the copy lost its end since, and grew again.
        """
        proof = self.proof.get(key)
        if proof is None or proof.target_range[1] > end or not _same(proof.ids, present):
            return None
        return proof if rising_pairs(living_pairs(pairs, end), proof) is not None else None

    def _recreated(self, topic: str) -> int:
        return self.known["topics"].get(topic, {}).get("recreated", 0)

    def _known_end(self, key: Partition) -> tuple[int | None, float]:
        """The end of the source's partition as the witness saw it last, and when that still held, in seconds. Consumers
        that read what is not committed yet stand beyond the last stable offset.
        """
        ends = ((self.known.get(kind) or {}).get(key[0]) or {} for kind in ("open", "ends"))
        end = next((of_topic[str(key[1])] for of_topic in ends if str(key[1]) in of_topic), None)
        return end, (self.known.get("at") or 0) / 1000

    def _pairs(self, wanted: set[Partition]) -> tuple[dict[Partition, list[TimedPair]], dict[Partition, list[Pair]]]:
        """All pairs with their times in seconds, and those of the present topic, by partition."""
        history: dict[Partition, list[TimedPair]] = {}
        pairs: dict[Partition, list[Pair]] = {}
        for row in self.syncs or []:
            key = (row.value.topic, row.value.partition)
            if key not in wanted:
                continue
            history.setdefault(key, []).append((row.value.upstream, row.value.downstream, row.timestamp / 1000))
            # Pairs from before the source's topic was seen to be another one say nothing about it.
            if row.timestamp >= self._recreated(key[0]):
                pairs.setdefault(key, []).append((row.value.upstream, row.value.downstream))
        return history, pairs

    def _witnessed_ids(self) -> dict[str, str]:
        return {name: topic["id"] for name, topic in self.known["topics"].items()}


def _bounds(client: KafkaClient, topics: list[str]) -> Bounds:
    """Bounds of all partitions, and the topics' ids."""
    described = describe_topics(client, topics)
    partitions = {name: topic["partitions"] for name, topic in described.items()}
    bounds = topic_offsets(client, partitions, gone="waited for")
    flat = {(name, int(number)): partition for name, numbers in bounds.items() for number, partition in numbers.items()}
    return (
        {key: (partition["start"], partition["stable"]) for key, partition in flat.items()},
        {key: partition["end"] for key, partition in flat.items()},
        {name: topic["id"] for name, topic in described.items()},
    )


def _same(proven: tuple[str | None, str | None], present: tuple[str | None, str]) -> bool:
    """Whether the topics that were proven are the present ones; of a lost source nobody may know."""
    return proven[0] == (present[0] or proven[0]) and proven[1] == present[1]
