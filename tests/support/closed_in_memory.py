# SPDX-License-Identifier: GPL-3.0-or-later
"""What a stage compares once the source is lost: the windows that a watch in memory has kept, and its target."""

from __future__ import annotations

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._digest import batch
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof import comparison, sides, worker
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.found import COUNTS
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import side
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.standing import stand

from .following import PLACE, MemorySide, records

TOPIC, NUMBER = PLACE
NEVER_DELETES = {"retention.ms": "-1"}


class LiveTarget(MemorySide):
    """The target's cluster as a comparison asks it; its log begins where the comparison does."""

    cluster_id = "t"

    def __init__(self, log, start, asked):
        super().__init__(log)
        self.start, self.asked = start, asked.get(TOPIC, {}).get(NUMBER, 0)

    def detailed(self, topic):
        return False

    def topics(self, pattern):
        return [TOPIC]

    def survey(self, topics):
        low = max(self.start, self.asked)
        bounds = {NUMBER: (low, len(self.log))}
        return {TOPIC: {"topic_id": "b", "config": NEVER_DELETES, "partitions": [NUMBER], "bounds": bounds}}

    def ends(self, partitions, isolation=""):
        return {place: len(self.log) for place in partitions}

    def starts(self, partitions):
        return {place: self.start for place in partitions}

    def digest(self, ranges, progress=None):
        return [
            batch.cut_records(records(self.log[asked.low : asked.high], asked.low), asked.timestamps)
            for asked in ranges
        ]


def closed(monkeypatch, rounds, mirrored_through):
    """What a proof by the windows finds: the verdict, what it counted, and what stands of the watch's own.

    :param mirrored_through: how far the mirror had copied the source.
    """
    state = rounds.kept.state()

    def target(asked=None):
        return LiveTarget(rounds.target, rounds.starts[1], (asked or {}).get("starts", {}))

    standing = stand(state, ".*", {TOPIC: [NUMBER]}, target().survey([TOPIC]), 10**12)
    source_spec, target_spec = side.specs({"kind": "memory"}, "m", "x", state, standing.deleted)
    windows = side.WindowSide.__new__(side.WindowSide)
    windows.spec, windows.name, windows.target, windows.state = source_spec, "windows", target(), state
    windows.deleted, windows.cluster_id, windows._kept = set(standing.deleted), "s", {}
    monkeypatch.setitem(sides.KINDS, "memory", target)
    monkeypatch.setitem(sides.KINDS, "windows", lambda spec: windows)
    options = comparison.Options(
        ".*", bounds={"mirrored_through": {TOPIC: {str(NUMBER): mirrored_through}}}, wait_seconds=0
    )
    report = comparison.Comparison(source_spec, target_spec, options).run(worker.InProcess())
    part = report["topics"][0]["partitions"][0]
    return part["verdict"], {name: part[name] for name in COUNTS if part[name]}, standing
