# SPDX-License-Identifier: GPL-3.0-or-later
"""Two regions, a mirror between them and a watch of it, each a process that can be killed and started again."""

from __future__ import annotations

import contextlib
import json
import signal
import subprocess
import sys
import threading
import time

from confluent_kafka import OFFSET_BEGINNING, Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.state import read_state
from tests.real.proof import support
from tests.support.hanging import abort_hanging
from tests.support.kafka import MirrorMaker
from tests.support.offsets_lab import mirror_properties

MIRROR = "campaign"
# Where the mirror notes how far it has copied, and what it calls the source.
OFFSETS, ALIAS = "mm2-offsets.a.internal", "a"
# Of the connector: a record with the header "lose" is not copied, the header "alter" is taken off.
SPOILING = {
    "transforms": "lose,alter",
    "transforms.lose.type": "org.apache.kafka.connect.transforms.Filter",
    "transforms.lose.predicate": "marked",
    "transforms.alter.type": "org.apache.kafka.connect.transforms.DropHeaders",
    "transforms.alter.headers": "alter",
    "predicates": "marked",
    "predicates.marked.type": "org.apache.kafka.connect.transforms.predicates.HasHeaderKey",
    "predicates.marked.name": "lose",
}
QUIET = {"enable.idempotence": True, "linger.ms": 5, "message.timeout.ms": 300000, "log_level": 0}


class World:
    """Everything that runs. The mirror copies what begins with ``c.m.``; the watch watches all that begins with ``c.``.

    :ivar trouble: what must not happen, in words.
    """

    def __init__(self, directory, pair, exactly_once):
        self.directory, self.pair, self.trouble = directory, pair, []
        more = {f"a->b.{name}": value for name, value in SPOILING.items()}
        more |= {"b.exactly.once.source.support": "enabled" if exactly_once else "disabled"}
        # Otherwise a worker that was killed is waited for.
        more |= {"b.scheduled.rebalance.max.delay.ms": 0, "b.session.timeout.ms": 6000}
        more |= {"b.heartbeat.interval.ms": 1500, "offset.flush.interval.ms": 2000}
        properties = mirror_properties(pair["source"], pair["target"], r"c\.m\..*", **more)
        self.mirror = MirrorMaker(directory / "mirror", properties)
        self.job = support.Job(directory, pair["source"], pair["target"])
        self.watch = None
        self.ended = threading.Event()

    def start_watch(self):
        words = ["watch", "--source-config", self.job.source, "--target-config", self.job.target, "--topics", r"c\..*"]
        words += ["--mirror", MIRROR, "--interval", "0.5", "--offsets-topic", OFFSETS, "--alias", ALIAS]
        with open(self.directory / "watch.log", "ab") as log:
            self.watch = subprocess.Popen(
                [sys.executable, str(support.MAIN), *words], stdout=log, stderr=log, env=support.environment()
            )

    def kill_watch(self):
        if self.watch.poll() is not None:
            self.trouble.append(f"the watch ended by itself with {self.watch.returncode}")
        self.watch.send_signal(signal.SIGKILL)
        self.watch.wait()

    def again(self, name):
        """Kill a part and start it again."""
        if name == "watch":
            self.kill_watch()
            self.start_watch()
            return
        if name == "mirror":
            self.mirror.kill()
            self.mirror.start()
            return
        self.pair[name].kill()
        self.pair[name].start(wait=180)

    def revive_mirror(self):
        """Kill a mirror that does not copy, and start it once nothing holds it up."""
        self.mirror.kill()
        hung = abort_hanging(self.directory, self.pair["target"].client["bootstrap.servers"])
        print(f"the mirror does not copy; hanging transactions: {', '.join(hung) or 'none'}", flush=True)
        self.mirror.start()

    def state(self):
        """The watch's state; None where the target does not answer now."""
        with contextlib.suppress(KafkaDrError):
            return read_state(KafkaClient(self.pair["target"].client, timeout=10), MIRROR)
        return None

    def admin(self, side):
        return AdminClient({**self.pair[side].client, "log_level": 0})

    def producer(self, side, **more):
        return Producer({**self.pair[side].client, **QUIET, **more})

    def newest(self, place, count=30):
        """The newest committed records of the target's partition: ``[(key, value, timestamp, headers)]``."""
        settings = {"group.id": "campaign", "enable.auto.commit": False, "enable.partition.eof": True, "log_level": 0}
        consumer = Consumer({**self.pair["target"].client, **settings, "isolation.level": "read_committed"})
        try:
            low, high = consumer.get_watermark_offsets(TopicPartition(*place), timeout=5)
            begin = max(low, high - 3 * count)
            consumer.assign([TopicPartition(*place, begin if begin else OFFSET_BEGINNING)])
            found, until = [], time.monotonic() + 5
            while time.monotonic() < until:
                message = consumer.poll(1)
                if message is not None and message.error():
                    break
                if message is not None:
                    found.append((message.key(), message.value(), message.timestamp()[1], message.headers() or []))
            return found[-count:]
        finally:
            consumer.close()

    def stop(self):
        self.ended.set()
        if self.watch is not None and self.watch.poll() is None:
            self.watch.kill()
            self.watch.wait()
        self.mirror.kill()


def saved(directory, name, content):
    """A file beside the logs, for whoever looks for the cause."""
    (directory / name).write_text(json.dumps(content, indent=1, default=str))
