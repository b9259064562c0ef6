# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Collect from live clusters what a translation of positions rests on: bounds, pairs, and the records that have to be compared."""

from __future__ import annotations

try:
    import numpy as np
    from confluent_kafka import TIMESTAMP_LOG_APPEND_TIME
except ImportError:
    pass

from .._digest import batch, record
from .._mm2.evidence import Evidence, Scan, merge_pairs, spans_to_read
from .._mm2.former_topic import FormerTopic
from .cluster import describe_topics
from .mm2_topics import log_bounds, read_offset_syncs, read_source_offsets
from .reader import columns, read


class Mirror:
    """One mirror's clusters and names, and what its own topics on the target say; read once.

    :param source: KafkaClient, or None where the source is lost.
    :param known: a witness's fold, or None.
    """

    def __init__(self, names, source, target, offsets_topic=None, connector=None, known=None, checkpoints=(), proof=None, ends=None):
        self.names, self.source, self.target = names, source, target
        self.known = known or {"topics": {}}
        self.proof = proof or {}
        self.ends = ends or {}
        self.syncs = read_offset_syncs(target, names.offset_syncs)
        copied = read_source_offsets(target, offsets_topic or names.source_offsets, names.source, connector)
        self.copied = (copied or {}).get("offsets", {})
        self.exactly_once = bool(copied and copied["transactional"])
        self.checkpoints = {}
        for row in checkpoints:
            original = names.original_of(row.value.topic)
            self.checkpoints.setdefault((original, row.value.partition), []).append((row.value.upstream, row.value.downstream))

    def evidence(self, positions, limit, contents=None):
        """:class:`Evidence` with its scans, for every partition that exists on the target.

        :param positions: ``{(source topic, partition): positions to be translated}``.
        :param limit: offsets of one stretch beyond which it is not read.
        :param contents: ``contents(topic, partition, low, high, timestamps)`` -> Scan or None: the source's records as a manifest has them.
        """
        topics = sorted({topic for topic, dummy in positions})
        copies = self._bounds(self.target, [self.names.copy_of(topic) for topic in topics])
        sources = self._bounds(self.source, topics) if self.source is not None else None
        history, pairs = self._pairs(set(positions))
        found = {}
        for key in positions:
            copy = copies.get((self.names.copy_of(key[0]), key[1]))
            if copy is None or (sources is not None and key not in sources):
                continue
            end = self.ends.get(self.names.copy_of(key[0]), {}).get(key[1])
            proof = self.proof.get(key)
            if proof is not None and proof.target_range[1] > copy[1]:
                proof = None  # the target's topic is not the one that was proven
            through = self.copied.get(key)
            found[key] = Evidence(
                merge_pairs(pairs.get(key, []), proof), (copy[0], copy[1] if end is None else min(end, copy[1])), None if sources is None else sources[key],
                None if through is None else through + 1, self.exactly_once, self.checkpoints.get(key, ()), proof, end is not None,
            )
            found[key].former = FormerTopic(history.get(key, ()), self._recreated(key[0]) / 1000, *self._known_end(key))
        self._scan(found, positions, limit, contents)
        for one in found.values():
            one.settle()
        return found

    def _recreated(self, topic):
        return self.known["topics"].get(topic, {}).get("recreated", 0)

    def _known_end(self, key):
        """The end of the source's partition as the witness saw it last, and when that still held, in seconds."""
        end = ((self.known.get("ends") or {}).get(key[0]) or {}).get(str(key[1]))
        return end, (self.known.get("at") or 0) / 1000

    def _pairs(self, wanted):
        """All pairs with their times in seconds, and those of the present topic, by partition."""
        history, pairs = {}, {}
        for row in self.syncs or []:
            key = (row.value.topic, row.value.partition)
            if key not in wanted:
                continue
            history.setdefault(key, []).append((row.value.upstream, row.value.downstream, row.timestamp / 1000))
            # Pairs from before the source's topic was seen to be another one say nothing about it.
            if row.timestamp >= self._recreated(key[0]):
                pairs.setdefault(key, []).append((row.value.upstream, row.value.downstream))
        return history, pairs

    @staticmethod
    def _bounds(client, topics):
        counts = {name: one["partitions"] for name, one in describe_topics(client, topics).items()}
        return {
            (topic, int(number)): (one["start"], one["stable"])
            for topic, bounds in log_bounds(client, counts).items() for number, one in bounds.items()
        }

    def _scan(self, found, positions, limit, contents):
        spans = {key: spans_to_read(one, positions[key], limit) for key, one in found.items()}
        target = {(self.names.copy_of(topic), number): one[0] for (topic, number), one in spans.items()}
        scans, appended = digest_spans(self.target, target)
        if appended:
            # The target keeps its own time of arrival, so only content can be compared.
            scans = digest_spans(self.target, target, timestamps=False)[0]
        for key, one in found.items():
            one.target_scans = scans.get((self.names.copy_of(key[0]), key[1]), [])
        if self.source is not None:
            scans = digest_spans(self.source, {key: one[1] for key, one in spans.items()}, timestamps=not appended)[0]
            for key, one in found.items():
                one.source_scans = scans.get(key, [])
        elif contents is not None:
            for key, one in found.items():
                saved = [contents(*key, low, high, timestamps=not appended) for low, high in spans[key][1]]
                one.source_scans = [scan for scan in saved if scan is not None]


def digest_spans(client, spans, timestamps=True):
    """Read and digest stretches of many partitions.

    :param spans: ``{(topic, partition): [(low, high)]}``.
    :returns: ``({(topic, partition): [Scan]}, whether any record carried the broker's time of arrival)``.
    """
    scans, appended = {}, False
    depth = max((len(one) for one in spans.values()), default=0)
    for turn in range(depth):  # the reader takes each partition once
        ranges = [(*key, *one[turn]) for key, one in spans.items() if len(one) > turn]
        parts = [[] for dummy in ranges]
        for index, messages in read(client, ranges, timeout=client.timeout):
            offsets, times, keys, values, headers = columns(messages)
            appended = appended or messages[0].timestamp()[0] == TIMESTAMP_LOG_APPEND_TIME
            digests = record.digests(batch.contents(keys, values, headers), times if timestamps else None)
            parts[index].append((np.array(offsets, np.int64), digests))
        for (topic, number, low, high), some in zip(ranges, parts, strict=True):
            offsets = np.concatenate([one[0] for one in some]) if some else np.empty(0, np.int64)
            digests = np.concatenate([one[1] for one in some]) if some else np.empty(0, np.uint64)
            scans.setdefault((topic, number), []).append(Scan(low, high, offsets, digests))
    return scans, appended
