# SPDX-License-Identifier: GPL-3.0-or-later
"""A watch of a few topics, in this process, and what it says of them."""

from __future__ import annotations

import time

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.health import troubles
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.rounds import Options, Watch
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.state import read_state
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.summary import summarise
from tests.real.proof.support import create, drop, read_back, write
from tests.support import sides


def side(cluster, name):
    return sides.side(cluster.client, name)


def said(state):
    """The kinds of trouble that a state tells."""
    return [trouble.kind for trouble in troubles(summarise(state), 3600, 3600)]


def watch_of(pair, name, partitions=1, config=None):
    """A watch of a topic that both sides have."""
    for cluster in pair.values():
        create(cluster, {name: (partitions, config or {})})
    return Watching(pair, name)


class Watching:
    """A watch of the topics that begin with a name, which is its mirror's name too."""

    def __init__(self, pair, name, **more):
        self.pair, self.name = pair, name
        self.options = {"mirror": name, "topics": f"{name}.*", "settle": 0.2, **more}
        self.watch = None

    def open(self, **more):
        self.watch = Watch(
            side(self.pair["source"], "source"), side(self.pair["target"], "target"), Options(**self.options | more)
        )
        return self

    def rounds(self, until=lambda state: True, seconds=40):
        """Rounds until nothing is unread or undecided, and the state is as wanted, since topics are not surveyed in
        each round; the state as another reader finds it.
        """
        if self.watch is None:
            self.open()
        end = time.monotonic() + seconds
        while True:
            self.watch.round()
            if not self.watch.behind and not self.watch.settling:
                state = self.state()
                if until(state):
                    return state
            assert time.monotonic() < end, "the watch does not catch up"
            time.sleep(0.1)

    def state(self):
        return read_state(KafkaClient(self.pair["target"].client), self.name)

    def write(self, where, rows, topic=None, **more):
        write(self.pair[where], {topic or self.name: rows}, **more)

    def copy_anew(self, rows, partitions=1):
        """Make the copy again, with these rows."""
        drop(self.pair["target"], [self.name])
        create(self.pair["target"], {self.name: (partitions, {})})
        self.write("target", rows)

    def check(self, state):
        """What is proven is so, as a plain consumer reads both sides: the source's range is on the target in order, and
        what the target has besides are further copies.
        """
        for (topic, number), part in state.partitions.items():
            if part.begins is None or topic in state.not_watched:
                continue
            held = []
            for where, name, end in (
                ("source", topic, part.through[0]),
                ("target", part.target_topic, part.through[1]),
            ):
                found = read_back(self.pair[where], [(name, number)])[name, number]
                begin = part.begins[0 if where == "source" else 1]
                held.append([row for offset, row in sorted(found.items()) if begin <= offset < end])
            left = iter(held[1])
            assert all(row in left for row in held[0])
            assert set(held[1]) <= set(held[0])
