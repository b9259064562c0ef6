# SPDX-License-Identifier: GPL-3.0-or-later
"""Traffic for tests of positions: a writer that goes on, and consumers with a journal."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from confluent_kafka import Producer


def value_of(partition, sequence, size=100):
    """A record that says which one it is."""
    return b"%d:%d" % (partition, sequence) + b"." * size


class Writer:
    """Writes numbered records, in transactions or plainly, and goes on at a rate in a thread of its own."""

    def __init__(self, cluster, topic, partitions=3, transaction=0):
        self.topic, self.partitions, self.transaction = topic, partitions, transaction
        config = {
            **cluster.client,
            "linger.ms": 5,
            "enable.idempotence": True,
            "log_level": 0,
            "error_cb": lambda error: None,
        }
        # A transaction that is left open holds the last stable offset back for as long.
        transactional = {"transactional.id": f"writer-{topic}", "transaction.timeout.ms": 20000}
        self.producer = Producer({**config, **transactional} if transaction else config)
        if transaction:
            self.producer.init_transactions()
        self.written, self.stopping, self.thread = 0, threading.Event(), None

    def write(self, count):
        """So many more records, round robin over partitions."""
        size = self.transaction or count
        while count > 0:
            if self.transaction:
                self.producer.begin_transaction()
            for dummy in range(min(size, count)):
                number, sequence = self.written % self.partitions, self.written // self.partitions
                while True:
                    try:
                        self.producer.produce(
                            self.topic, key=b"%d" % (sequence % 97), value=value_of(number, sequence), partition=number
                        )
                        break
                    except BufferError:
                        self.producer.poll(0.1)
                self.written += 1
            if self.transaction:
                self.producer.commit_transaction()
            count -= size
        if not self.transaction:
            self.producer.flush()

    def go_on(self, rate, together=10):
        """Begin to write ``rate`` records a second, ``together`` at once where transactional, until :meth:`stop`."""
        self.stopping.clear()
        if self.transaction:
            self.transaction = together
        step = self.transaction or max(1, rate // 20)

        def run():
            due = time.monotonic()
            while not self.stopping.wait(max(0.0, due - time.monotonic())):
                try:
                    self.write(step)
                except Exception:  # the cluster was lost, as planned
                    return
                due += step / rate

        self.thread = threading.Thread(target=run, daemon=True)
        self.thread.start()

    def stop(self, lost=False):
        """Stop; where the cluster was ``lost``, without waiting for what will never be acknowledged."""
        self.stopping.set()
        if lost:
            self.producer.purge()
        if self.thread:
            self.thread.join(60)


class Consumers:
    """Groups of one member each, in one process; see ``journaling_consumers``.

    :param wanted: ``[(group, topic, records a second or None)]``.
    """

    def __init__(self, cluster, wanted, directory: Path):
        directory.mkdir(parents=True, exist_ok=True)
        self.journals = {group: directory / f"{group}.journal" for group, dummy, dummy2 in wanted}
        consumers = [
            {"group": group, "topic": topic, "rate": rate, "journal": str(self.journals[group])}
            for group, topic, rate in wanted
        ]
        config = directory / "consumers.json"
        config.write_text(json.dumps({"client": cluster.client, "consumers": consumers}))
        self.log = directory / "consumers.log"
        # -P: beside the program lies a package that is called as one of Python's own modules.
        self.process = subprocess.Popen(
            [sys.executable, "-P", str(Path(__file__).with_name("journaling_consumers.py")), str(config)],
            start_new_session=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=open(self.log, "ab"),
        )

    def stop(self, lost=False):
        """End them, with their region (``lost``) or in order; what each processed:
        ``{group: [(partition, offset, value)]}``.
        """
        if self.process.poll() is not None:
            raise RuntimeError(f"the consumers ended by themselves: {self.log.read_text()[-2000:]}")
        self.process.send_signal(signal.SIGKILL if lost else signal.SIGTERM)
        self.process.wait(90)
        return {group: read_journal(path) for group, path in self.journals.items()}


def read_journal(path):
    """``[(partition, offset, value)]`` of whole lines."""
    if not path.exists():
        return []
    rows = [line.split(b" ", 2) for line in path.read_bytes().split(b"\n")[:-1]]
    return [(int(partition), int(offset), value) for partition, offset, value in rows]
