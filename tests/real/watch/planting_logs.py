# SPDX-License-Identifier: GPL-3.0-or-later
"""What happens to whole logs in a campaign: a topic is made again, retention passes a mirror that stands still, and a
log loses its end, as in an unclean leader election.

Each happens to a topic of its own, so that the journal of it decides alone what a watch has to say.
"""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import dataclass, field

from confluent_kafka import KafkaException

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.mm2_topics import read_source_offsets
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.topics import describe_topics
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.state import Confirmed
from tests.real.proof.support import create, delete_before, drop

from .cutting import boundaries, cut, leader_epochs
from .world import ALIAS, OFFSETS

LOGS = ("remade", "stalled", "cut_source", "cut_target")
# Seconds until a mirror is started again that does not copy, and until it should have.
PATIENCE, ENOUGH = 100, 900


@dataclass
class Story:
    """A topic's journal.

    :ivar rows: ``{offset: value}`` of what was written to the source; what a cut took of it is not among them.
    :ivar former: of topics that there were before by this name, ``{id: offsets that the mirror was not to copy}``.
    :ivar proven: what the watch had proven when a log lost a record that it had read; None where none did.
    :ivar words: how it went, for whoever reads the output.
    """

    kind: str
    place: tuple[str, int]
    rows: dict[int, bytes] = field(default_factory=dict)
    former: dict[str, set[int]] = field(default_factory=dict)
    proven: Confirmed | None = None
    words: str = ""


def topic_id(cluster, topic):
    """The id of a topic as its cluster tells it."""
    return describe_topics(KafkaClient(cluster.client, timeout=30), [topic])[topic]["id"]


class LogFaults:
    """Each method is one of :data:`LOGS`; nothing else is killed meanwhile, and all runs when it returns."""

    def __init__(self, world, traffic, journal, chance):
        self.world, self.traffic, self.journal, self.chance = world, traffic, journal, chance
        self.count, self.flips = 0, {}

    def remade(self):
        """A topic is deleted and made again on both sides, of which the watch may see all or only the end.

        A mirror goes on from where it was in the former topic, so it never copies the head of one that is longer by
        then. One that is shorter it copies from its beginning; none is as long, of which it would copy nothing.
        """
        story = self.begin("remade", 50, lost=self.chance.randrange(10, 40))
        self.examined(story)
        self.noted(story)
        lost = next(iter(story.former.pop("lost")))
        story.former[topic_id(self.world.pair["source"], story.place[0])] = {lost}
        unseen, quiet, count = self.flip("remade"), self.chance.random() < 0.5, self.chance.choice((5, 90))
        story.words = f"unseen={unseen} mirror down={quiet} {count} records"
        with self.without(watch=unseen, mirror=quiet):
            for cluster in self.world.pair.values():
                drop(cluster, [story.place[0]])
            time.sleep(self.chance.uniform(0, 6))
            create(self.world.pair["source"], {story.place[0]: (1, {})})
            story.rows = {}
            self.write(story, count)
        self.end(story)

    def stalled(self):
        """A mirror stands still, and retention takes what it has not copied; the watch may have read that or not."""
        story = self.begin("stalled", 50)
        self.examined(story)
        unread = self.flip("stalled")
        with self.without(watch=unread, mirror=True):
            self.write(story, 40)
            if not unread:
                self.examined(story, waiting=40)
            start = max(story.rows) + 1 - self.chance.randrange(30)
            story.words = f"unread={unread} log start {start}"
            delete_before(self.world.pair["source"], *story.place, start)
        self.end(story)

    def cut_source(self):
        """The source loses its last records, which the mirror has copied."""
        self.cut("source")

    def cut_target(self):
        """The target loses its last records, which the mirror will not copy again."""
        self.cut("target")

    def cut(self, side):
        """A log loses its end, up to what the watch has read, or a part of what it has not."""
        story = self.begin(f"cut_{side}", 30)
        # The mirror may write in one batch what it reads at once.
        self.write(story, 30)
        self.copied(story)
        part = self.examined(story)
        tip = (part.source_tip if side == "source" else part.target_tip).offset
        unread, quiet, broker = self.flip(side), self.chance.random() < 0.5, self.world.pair[side]
        with self.without(watch=unread):
            if unread:
                self.write(story, 20)
                self.copied(story)
                self.noted(story)
            with self.without(mirror=quiet):
                broker.kill()
                try:
                    epochs = leader_epochs(broker, story.place)
                    known = [row for row in boundaries(broker, story.place) if (row.base > tip) == unread]
                    batch = self.chance.choice(known)
                    cut(broker, story.place, batch)
                finally:
                    broker.start(wait=180)
                if side == "source":
                    story.rows = {offset: value for offset, value in story.rows.items() if offset < batch.base}
                story.proven = None if unread else part
                story.words = f"unread={unread} mirror down={quiet} cut at {batch.base}, read to {tip}"
                self.write(story, 40)
        self.end(story)
        now = leader_epochs(broker, story.place)
        assert now[-1] > epochs[-1], f"{story}: the leader's epoch is the same: {epochs}, {now}"

    def begin(self, kind, count, lost=None):
        """A topic with records that are copied, but for one that gets lost if it is named by its place among them."""
        self.count += 1
        story = Story(kind, (f"c.m.{kind}.{self.count}", 0))
        self.journal.apart.add(story.place[0])
        create(self.world.pair["source"], {story.place[0]: (1, {})})
        self.write(story, count, lost)
        self.copied(story)
        return story

    def end(self, story):
        """What follows is copied; the story is judged at the end."""
        self.write(story, 30)
        self.copied(story)
        self.journal.stories.append(story)

    def flip(self, name):
        """By chance, and then the other way round each time."""
        self.flips[name] = not self.flips[name] if name in self.flips else self.chance.random() < 0.5
        return self.flips[name]

    def without(self, watch=False, mirror=False):
        """While this lasts, a watch or a mirror is dead."""
        return _Without(self.world, watch, mirror)

    def write(self, story, count, lost=None):
        """Records of the source, in several batches; their offsets are those that the broker answers."""
        producer, failed = self.world.producer("source"), []

        def written(error, message):
            if error is not None:
                failed.append(str(error))
                return
            story.rows[message.offset()] = message.value()

        for number in range(count):
            record = self.traffic.record([("lose", b"x")] if number == lost else ())
            producer.produce(story.place[0], partition=story.place[1], **record, on_delivery=written)
            if number % 5 == 4:
                assert not producer.flush(120), f"{story.place}: not written"
        assert not producer.flush(120) and not failed, f"{story.place}: not written: {failed}"
        if lost is not None:
            story.former["lost"] = {sorted(story.rows)[lost]}

    def copied(self, story):
        """Wait until the last record is on the target; a mirror whose task has failed is started again."""
        value, began, patience = story.rows[max(story.rows)], time.monotonic(), PATIENCE
        again = began + patience
        while True:
            with suppress(KafkaException):
                if any(row[1] == value for row in self.world.newest(story.place)):
                    return
            now = time.monotonic()
            assert now - began < ENOUGH, f"{story.place}: not copied\n{self.world.mirror.tail()}"
            if now > again:
                # On a busy machine, one that is started again too soon never gets so far.
                patience *= 2
                again = now + patience
                self.world.revive_mirror()
            time.sleep(0.3)

    def noted(self, story):
        """Wait until the mirror has noted that it has copied all: if it is killed, it goes on from there."""
        client = KafkaClient(self.world.pair["target"].client, timeout=30)
        until = time.monotonic() + ENOUGH
        while True:
            found = read_source_offsets(client, OFFSETS, ALIAS)
            if found and found["offsets"].get(story.place, -1) >= max(story.rows):
                return
            assert time.monotonic() < until, f"{story.place}: the mirror notes nothing"
            time.sleep(0.3)

    def examined(self, story, waiting=0):
        """Wait until the watch has read all of the source and compared all but so many; what it says then."""
        end, until = max(story.rows) + 1, time.monotonic() + ENOUGH
        while True:
            state = self.world.state()
            part = state.partitions.get(story.place) if state is not None else None
            if part is not None and part.begins and part.read >= end and part.waiting == waiting:
                return part
            assert time.monotonic() < until, f"{story.place}: not read: {part}"
            time.sleep(0.3)


class _Without:
    """Kills, and starts again what it has killed, whatever happens in between."""

    def __init__(self, world, watch, mirror):
        self.world, self.watch, self.mirror = world, watch, mirror

    def __enter__(self):
        if self.watch:
            self.world.kill_watch()
        if self.mirror:
            self.world.mirror.kill()

    def __exit__(self, *dummy):
        if self.mirror:
            self.world.mirror.start()
        if self.watch:
            self.world.start_watch()
