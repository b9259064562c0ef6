# SPDX-License-Identifier: GPL-3.0-or-later
"""What a campaign does: traffic with faults in it, and chance that kills, changes topics, and accepts what is named."""

from __future__ import annotations

import contextlib
import itertools
import threading
import time
import uuid

from confluent_kafka import KafkaError, KafkaException
from confluent_kafka.admin import NewPartitions

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.accepting import accept
from tests.real.proof.support import create, delete_before, drop, read_back, some, write

from .planting_logs import LOGS, LogFaults
from .world import MIRROR

MAIN, MARKED, GONE, OTHER = "c.m.main", "c.m.marked", "c.m.gone", "c.t.other"
TICK, RECORDS = 0.25, 80
# What one tick may do beside plain records, and how often of a thousand ticks.
PLANTS = {
    "lost": 15,
    "altered": 15,
    "swapped": 8,
    "foreign": 10,
    "aborted": 10,
    "committed": 15,
    "twin": 30,
    "copied": 30,
    "nothing": 500,
}
# What has to happen in each campaign, beside what happens to whole logs.
ONCE = ("partitions", "gone")
OFTEN = ("watch", "watch", "mirror", "source", "target", "accept", "accept", "retention", "again", "added")


class Traffic(threading.Thread):
    """Writes to the source at a steady rate; what the mirror is to spoil is marked, the rest is written by itself."""

    def __init__(self, world, journal, chance):
        super().__init__(daemon=True)
        self.world, self.journal, self.chance = world, journal, chance
        self.partitions = {MAIN: 2, MARKED: 1, GONE: 1}
        self.source, self.target = world.producer("source"), world.producer("target")
        self.numbers, self.later, self.failed = itertools.count(1), [], []
        self.steady, self.stopping = threading.Event(), threading.Event()

    def run(self):
        try:
            while not self.stopping.is_set():
                began = time.monotonic()
                for dummy in range(RECORDS // 4):
                    self.put(self.place(), self.record())
                self.source.poll(0)
                if not self.steady.is_set():
                    self.plant()
                self.stopping.wait(max(0, TICK - (time.monotonic() - began)))
            self.source.flush(120)
            self.target.flush(120)
        except Exception as error:
            self.failed.append(repr(error))
            raise

    def place(self):
        known = dict(self.partitions)
        topic = self.chance.choice([*known])
        return topic, self.chance.randrange(known[topic])

    def record(self, headers=()):
        number = next(self.numbers)
        return {
            "key": b"k%d" % (number % 13),
            "value": b"%d" % number,
            "timestamp": int(time.time() * 1000),
            "headers": list(headers),
        }

    def put(self, place, record, side="source"):
        producer = self.source if side == "source" else self.target
        for dummy in range(100):
            try:
                producer.produce(place[0], partition=place[1], **record, on_delivery=self._written)
                return
            except KafkaException as error:
                if error.args[0].code() != KafkaError._UNKNOWN_PARTITION:
                    raise
                # Added a moment ago.
                time.sleep(0.2)
        self.failed.append(f"{place}: the producer does not know it")

    def _written(self, error, message):
        if error is not None and message.topic() != GONE:
            self.failed.append(f"{message.topic()}: {error}")

    def plant(self):
        """Perhaps a fault, perhaps a further copy."""
        kind = self.chance.choices([*PLANTS], [*PLANTS.values()])[0]
        # What lies before the first record that both sides have is never compared: none of those that come later.
        place = self.chance.choice([(MAIN, 0), (MAIN, 1), (MARKED, 0)])
        with contextlib.suppress(KafkaException):
            if kind in ("lost", "altered"):
                records = [self.record([("lose" if kind == "lost" else "alter", b"x")]) for dummy in range(self.some())]
                self.journal.plant(kind, place, *(record["value"] for record in records))
                for record in records:
                    self.put(place, record)
            elif kind == "swapped":
                records = [self.record([("lose", b"x")]) for dummy in range(2)]
                self.journal.plant(kind, place, *(record["value"] for record in records))
                for record in records:
                    self.put(place, record)
                self.later.append((place, records))
            elif kind == "foreign":
                records = [self.record() for dummy in range(self.some())]
                self.strange(kind, place, records)
            elif kind == "aborted":
                self.aborted(place)
            elif kind == "committed":
                self.committed(place, [self.record() for dummy in range(self.some())])
            elif kind == "twin":
                record = self.record()
                for dummy in range(self.some() + 1):
                    self.put(place, record)
            elif kind == "copied":
                self.copied(place)
            self.come_late()

    def some(self):
        return self.chance.randrange(1, 4)

    def strange(self, kind, place, records):
        """Only the target has them."""
        self.journal.plant(kind, place, *(record["value"] for record in records))
        for record in records:
            self.put(place, record, "target")
        self.target.flush(60)

    def aborted(self, place):
        """A transaction at the source that is aborted; sometimes its records are in the target all the same."""
        records = [self.record() for dummy in range(self.some())]
        self.within(place, records).abort_transaction(20)
        if self.chance.random() < 0.6:
            self.strange("aborted", place, records)

    def committed(self, place, records):
        """A transaction at the source, with the marker that ends it: nothing to be named."""
        self.within(place, records).commit_transaction(20)

    def within(self, place, records):
        """The producer of a transaction with these records, that is not ended yet."""
        producer = self.world.producer("source", **{"transactional.id": uuid.uuid4().hex, "message.timeout.ms": 20000})
        producer.init_transactions(20)
        producer.begin_transaction()
        for record in records:
            producer.produce(place[0], partition=place[1], **record)
        producer.flush(20)
        return producer

    def copied(self, place):
        """A record that the target has, once more."""
        planted = self.journal.planted()
        known = [row for row in self.world.newest(place) if row[1] not in planted and not row[3]]
        if known:
            key, value, timestamp, headers = self.chance.choice(known)
            self.journal.copies.append(value)
            self.put(place, {"key": key, "value": value, "timestamp": timestamp, "headers": headers}, "target")
            self.target.flush(60)

    def come_late(self):
        """Marked records are not copied by the mirror; here they come in another order, behind those that follow."""
        for place, records in list(self.later):
            numbers = [int(row[1]) for row in self.world.newest(place)]
            if sum(number > int(records[-1]["value"]) for number in numbers) >= 8:
                self.later.remove((place, records))
                for record in reversed(records):
                    self.put(place, record, "target")
                self.target.flush(60)


class Chance:
    """Kills, changes topics, accepts: one thing after the other, each when all runs.

    :param logs: to how many of :data:`.planting_logs.LOGS` it has to come.
    :ivar once: what has to happen still. :ivar did: what happened.
    """

    def __init__(self, world, traffic, journal, chance, logs):
        self.world, self.traffic, self.journal, self.chance = world, traffic, journal, chance
        self.logs = LogFaults(world, traffic, journal, chance)
        self.did, self.later, self.rows = [], 0, 0
        self.once = [*ONCE, *chance.sample(LOGS, logs)]

    def step(self):
        """One of them."""
        # What happens to a whole log takes as long as many of the others.
        kinds = [*OFTEN * 4, *LOGS]
        kind = self.once.pop() if self.once and len(self.did) > 2 else self.chance.choice(kinds)
        self.did.append(f"{time.strftime('%T')} {kind}")
        if kind in ("watch", "mirror", "source", "target"):
            self.world.again(kind)
            return
        try:
            getattr(self.logs if kind in LOGS else self, kind)()
        except (KafkaException, KafkaDrError) as error:
            self.did.append(f"  {error}")
            if kind in (*ONCE, *LOGS):
                self.once.insert(0, kind)

    def partitions(self):
        # One that nothing holds is gone before it is answered.
        admin = self.world.admin("source")
        admin.create_partitions([NewPartitions(MAIN, 3)])[MAIN].result(30)
        # The producer refuses a partition that it does not know yet.
        end = time.monotonic() + 60
        while len(self.traffic.source.list_topics(MAIN, timeout=10).topics[MAIN].partitions) < 3:
            assert time.monotonic() < end, "the partition is not there"
        time.sleep(1)
        self.traffic.partitions[MAIN] = 3

    def gone(self):
        self.traffic.partitions.pop(GONE, None)
        time.sleep(1)
        admin = self.world.admin("source")
        admin.delete_topics([GONE], operation_timeout=30)[GONE].result(30)

    def added(self):
        self.later += 1
        name = f"c.m.later.{self.later}"
        create(self.world.pair["source"], {name: (1, {})})
        self.traffic.partitions[name] = 1

    def accept(self):
        state = self.world.state()
        found = [difference for difference in state.differences if not difference.accepted] if state else []
        if found:
            client = KafkaClient(self.world.pair["target"].client, timeout=30)
            accept(client, MIRROR, "__kafka_dr_windows", [self.chance.choice(found).id(MIRROR)], "ann", "planted")

    def other(self, count):
        """Records of a topic that the mirror does not copy: these two hands are its mirror."""
        rows = some(count, prefix=f"o{self.rows}", headers=())
        self.rows += 1
        for cluster in self.world.pair.values():
            write(cluster, {OTHER: rows})

    def retention(self):
        """What the watch has not read is deleted on both sides, not to the same offset."""
        self.world.kill_watch()
        try:
            self.other(300)
            for cluster in self.world.pair.values():
                held = sorted(read_back(cluster, [(OTHER, 0)])[OTHER, 0])
                delete_before(cluster, OTHER, 0, held[-1] - self.chance.randrange(20, 250))
        finally:
            self.world.start_watch()
        self.other(50)

    def again(self):
        """A topic is made again under its name, and copied again."""
        for cluster in self.world.pair.values():
            drop(cluster, [OTHER])
        for cluster in self.world.pair.values():
            create(cluster, {OTHER: (1, {})})
        self.other(200)
