# SPDX-License-Identifier: GPL-3.0-or-later
"""Applications beside a region: groups of one member that commit every record and note which they processed, in a
process of their own.

``python journaling_consumers.py FILE`` with JSON
``{"client": {...}, "consumers": [{"group", "topic", "rate", "journal"}]}``. A journal has a line a record:
partition, offset and the value's beginning. SIGTERM: each commits its last position and leaves its group. SIGKILL: they
are gone with their region; a
librdkafka consumer whose region is lost cannot be closed (it waits for the answer to its last commits).
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time

from confluent_kafka import Consumer, TopicPartition


def consume(client, wanted, stopping):
    """One group until ``stopping`` is set."""
    consumer = Consumer(
        {
            **client,
            "group.id": wanted["group"],
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            "isolation.level": "read_committed",
            "session.timeout.ms": 6000,
            "log_level": 0,
            "error_cb": lambda error: None,
            "fetch.wait.max.ms": 100,
        }
    )
    consumer.subscribe([wanted["topic"]])
    journal = os.open(wanted["journal"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    due, last = time.monotonic(), {}
    while not stopping.is_set():
        message = consumer.poll(0.2)
        if message is None or message.error() is not None:
            continue
        if wanted["rate"]:
            due = max(due + 1 / wanted["rate"], time.monotonic() - 1)
            if stopping.wait(max(0.0, due - time.monotonic())):
                break
        os.write(journal, b"%d %d %s\n" % (message.partition(), message.offset(), message.value()))
        last[message.partition()] = message.offset() + 1
        consumer.commit(message=message, asynchronous=True)
    if last:
        consumer.commit(
            offsets=[TopicPartition(wanted["topic"], number, offset) for number, offset in last.items()],
            asynchronous=False,
        )
    consumer.close()


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        config = json.load(file)
    stopping = threading.Event()
    signal.signal(signal.SIGTERM, lambda *dummy: stopping.set())
    threads = [
        threading.Thread(target=consume, args=(config["client"], wanted, stopping)) for wanted in config["consumers"]
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        while thread.is_alive():
            thread.join(0.5)


if __name__ == "__main__":
    main()
