# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""The two kinds of side a comparison has: a live cluster, and a manifest that was saved from one.

A side is described by a plain dictionary, so that it can travel to where the reading is done: ``{"kind": "kafka", "config": {…}, "name": …,
"timeout": 30, "rate": bytes per second or None}`` or ``{"kind": "manifest", "path": …, "name": …}``.
"""

from __future__ import annotations

from .._digest.batch import Digester
from .._digest.chunks import Chunks
from .._errors import NotProvableError, RefusedError
from .._kafka import distinct, reader, survey

NAMED = 5


def open_side(spec):
    """The side that a description describes."""
    if spec["kind"] == "manifest":
        # Its library takes a quarter of a second to load, which nobody else is to wait for.
        from .._manifest.side import ManifestSide

        return ManifestSide(spec)
    return KafkaSide(spec)


def survey_all(side, names):
    """The survey of topics that the side has just listed.

    :raises NotProvableError: it does not describe one of them; left out, that topic would be passed over in silence.
    """
    found = side.survey(names)
    gone = sorted(set(names) - set(found))
    if gone:
        raise NotProvableError("Topic %s of %s was listed and is not described" % (", ".join(gone[:5]), side.name), expected="%d topics" % len(names),
                               found=len(found), remedy="See whether it was deleted just now, then run this again")
    return found


def refuse_one_cluster(source, target):
    """Two clients of one cluster would prove it equal to itself. :raises RefusedError: they are."""
    if source.live and target.live:
        distinct.refuse_one_cluster((source.name, source.cluster_id), (target.name, target.cluster_id))


def refuse_same_topics(source, target, topics):
    """A manifest of the target itself proves nothing; a region that was made again may have its old id, but its topics have new ones.

    :param topics: the topics to compare. :raises RefusedError: the manifest was made of the target's own.
    """
    if source.live or source.cluster_id != target.cluster_id:
        return
    same = [topic.name for topic in topics if topic.target and topic.target["topic_id"] == topic.source["topic_id"]]
    if same:
        raise RefusedError(
            "The manifest was made of %s itself" % target.name, expected="the manifest of another cluster, or of this one before it was made again",
            found="cluster %s on both sides, with the same topics %s" % (target.cluster_id, ", ".join(same[:NAMED])),
            remedy="Give the manifest of the source, and the client of its copy",
        )


class KafkaSide:
    """A live cluster."""

    live = True

    def __init__(self, spec):
        self.spec = spec
        self.name = spec["name"]
        self.client = reader.connect(spec["config"], spec.get("timeout", 30), spec["name"])
        self.pace = reader.Pace(spec.get("rate"))

    @property
    def cluster_id(self):
        """The id that the cluster gives itself."""
        return distinct.cluster_id(self.client)

    def topics(self, pattern):
        """Names that match."""
        return survey.names(self.client, pattern)

    def survey(self, topics):
        """Ids, configurations, partitions and bounds."""
        return survey.survey(self.client, topics)

    def ends(self, partitions, isolation="read_committed"):
        """Last stable offsets (or high watermarks) now."""
        return survey.offsets(self.client, partitions, "end", isolation)

    def starts(self, partitions):
        """Log starts now."""
        return survey.offsets(self.client, partitions, "start")

    def digest(self, ranges, progress=None):
        """Chunks of each of ``ranges``: (topic, partition, low, high, timestamps)."""
        digesters = [Digester(timestamps) for dummy, dummy2, dummy3, dummy4, timestamps in ranges]
        self._read([one[:4] for one in ranges], digesters, progress=progress)
        return [one.chunks() for one in digesters]

    def records(self, topic, partition, ranges, keep="fields", isolation="read_committed", progress=None):
        """Records of each of ``ranges``: (low, high), of one partition."""
        digesters = [Digester(True, keep) for dummy in ranges]
        self._read([(topic, partition, low, high) for low, high in ranges], digesters, isolation, progress)
        return [one.records() for one in digesters]

    def scan(self, topic, partition, low, high, isolation="read_committed"):
        """Records of a range in bounded portions, as an iterator: what may be too long to hold."""
        digester = Digester(True, "keys")
        for dummy, messages in reader.read(self.client, [(topic, partition, low, high)], isolation, self.client.timeout, self.pace):
            digester.add(*reader.columns(messages))
            if digester.count >= 100000:
                yield digester.records()
                digester = Digester(True, "keys")
        if digester.count:
            yield digester.records()

    def _read(self, ranges, digesters, isolation="read_committed", progress=None):
        for index, messages in reader.read(self.client, ranges, isolation, self.client.timeout, self.pace):
            before = digesters[index].bytes
            digesters[index].add(*reader.columns(messages))
            read = digesters[index].bytes - before
            self.pace.take(read)
            if progress:
                progress(len(messages), read)


def empty():
    """No records."""
    return Chunks()
