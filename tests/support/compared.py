# SPDX-License-Identifier: GPL-3.0-or-later
"""Two sides in memory, and what a comparison finds in them."""

from __future__ import annotations

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._digest import batch
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._digest.records import Records
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof import comparison, worker
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.found import COUNTS
from tests.support.records import from_rows

DAY = 24 * 3600 * 1000
NOW = 100 * DAY


class Side:
    """A side in memory: one topic ``t`` of one partition, whose log begins at ``start``. Rows are (offset, timestamp,
    key, value, headers).
    """

    held = ("t",)

    def __init__(self, rows, name, start=0, live=True, cluster_id=None, topic_id=None, **config):
        self.rows, self.name, self.start, self.live, self.config = rows, name, start, live, config
        self.cluster_id, self.topic_id, self.detailed = cluster_id or name, topic_id or name, lambda topic: True
        self.end = rows[-1][0] + 1 if rows else start

    def topics(self, pattern):
        return ["t"]

    def survey(self, topics):
        entry = {
            "topic_id": self.topic_id,
            "config": self.config,
            "partitions": [0],
            "bounds": {0: (self.start, self.end)},
        }
        return {name: entry for name in topics if name in self.held}

    whole_end = None

    def ends(self, partitions, isolation="read_committed"):
        return {
            one: self.whole_end if isolation == "read_uncommitted" and self.whole_end is not None else self.end
            for one in partitions
        }

    def starts(self, partitions):
        return {one: self.start for one in partitions}

    def _between(self, low, high):
        rows = [row for row in self.rows if low <= row[0] < high]
        return from_rows(rows) if rows else Records()

    def digest(self, ranges, progress=None):
        return [
            batch.cut_records(self._between(low, high), timestamps) for topic, number, low, high, timestamps in ranges
        ]

    def records(self, topic, partition, ranges, keep="fields", isolation="read_committed", progress=None):
        return [self._between(low, high) for low, high in ranges]

    def scan(self, topic, partition, low, high, isolation="read_committed"):
        yield self._between(low, high)


def log(values, first=0, time=NOW - 1000):
    """Rows of values, one an offset; ``time`` is their timestamp, or a function of the place."""
    return [
        (first + at, time(at) if callable(time) else time + at, b"k%d" % (value % 5), b"v%d" % value, None)
        for at, value in enumerate(values)
    ]


def copied(rows, first=0):
    """The same records at offsets that begin elsewhere."""
    return [(first + at, *row[1:]) for at, row in enumerate(rows)]


def judged(source, target, **bounds):
    """The report of a comparison, and its one partition."""
    kinds = {"through": "mirrored_through", "ends_source": "source", "ends_target": "target", "starts": "held"}
    given_bounds = {
        kinds.get(name, name): {"t": {"0": value}}
        for name, value in bounds.items()
        if name not in ("starts", "at", "limits")
    }
    if "starts" in bounds:
        given_bounds["held"] = {"at": bounds.get("at", NOW), "starts": {"t": {"0": bounds["starts"]}}}
    if "limits" in bounds:
        given_bounds["limits"] = {"t": bounds["limits"]}
    options = comparison.Options(".*", bounds=given_bounds, wait_seconds=0)
    report = comparison.prepare({"side": source}, {"side": target}, options).run(worker.InProcess())
    return report, report["topics"][0]["partitions"][0]


def found(part):
    return {name: part[name] for name in COUNTS if part[name]}
