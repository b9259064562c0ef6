# SPDX-License-Identifier: GPL-3.0-or-later
"""How fast a rendered mirror copies what is already there, beside MirrorMaker 2 with its own defaults: ``python -m tests.real.hosts.bench_mirror``.

Both copy the same records from one cluster to another, one after the other, round by round, each from its first record on the target to its last;
ours with exactly-once, the other without, as they come. Only the ratios are worth anything. Writes ``build/bench/mirror.json``.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PARTITIONS = 4


def importable() -> None:
    """Make the checkout the collection, as the tests' conftest does."""
    base = Path(tempfile.mkdtemp(prefix="kafka-dr-collections-"))
    link = base / "ansible_collections" / "streamsafe" / "kafka_dr"
    link.parent.mkdir(parents=True)
    link.symlink_to(ROOT)
    sys.path[:0] = [str(base), str(ROOT)]


def fill(client: dict, records: int, size: int) -> None:
    from confluent_kafka import Producer

    producer = Producer({**client, "linger.ms": 50, "batch.size": 1000000, "queue.buffering.max.messages": 1000000})
    blob = os.urandom(4_000_000)
    for number in range(records):
        at = number * 37 % (len(blob) - size)
        while True:
            try:
                producer.produce("bench", value=blob[at:at + size - 16], key=b"%016d" % number, partition=number % PARTITIONS)
                break
            except BufferError:
                producer.poll(0.5)
    producer.flush()


def stock(alias: str, source: str, target: str) -> dict:
    """What the documentation's smallest example has, on clusters of one broker."""
    flow = f"{alias}->target"
    factors = ("replication.factor", "checkpoints.topic.replication.factor", "heartbeats.topic.replication.factor", "offset-syncs.topic.replication.factor",
               "offset.storage.replication.factor", "status.storage.replication.factor", "config.storage.replication.factor")
    return {"clusters": f"{alias}, target", f"{alias}.bootstrap.servers": source, "target.bootstrap.servers": target, f"{flow}.enabled": "true",
            f"{flow}.topics": "bench", f"target->{alias}.emit.heartbeats.enabled": "false", **dict.fromkeys(factors, 1)}


def copied(client: dict, topic: str) -> int:
    from confluent_kafka import KafkaException

    from .mirrors import ends

    try:
        return sum(ends(client, topic, number)[1] for number in range(PARTITIONS))
    except KafkaException:
        return 0


def seconds(mirror, client: dict, topic: str, records: int, limit: float = 300) -> float:
    """From the first record seen on the target to the last."""
    from .mirrors import exists

    mirror.start()
    first, last, before, end = None, time.monotonic(), 0, time.monotonic() + limit
    try:
        while time.monotonic() < end:
            now = copied(client, topic) if first or exists(client, topic) else 0
            if now != before:
                first, last, before = first or time.monotonic(), time.monotonic(), now
            if before >= records and time.monotonic() - last > 2.5:
                return last - first
            time.sleep(0.1)
        raise SystemExit(f"{topic} reached {before} of {records}:\n{mirror.tail()}")
    finally:
        mirror.stop(5)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--records", type=int, default=1_000_000)
    words.add_argument("--size", type=int, default=200)
    words.add_argument("--rounds", type=int, default=2)
    asked = words.parse_args()
    importable()
    from tests.real.hosts.mirrors import Mirror, create
    from tests.support.kafka import MirrorMaker, clusters

    base = Path(tempfile.mkdtemp(prefix="kafka-dr-bench-"))
    kafkas = clusters(["source", "target"], base)
    source, target = kafkas["source"].client, kafkas["target"].client
    create(source, "bench", partitions=PARTITIONS)
    fill(source, asked.records, asked.size)
    times: dict[str, list[float]] = {"stock": [], "ours": [], "ours_one_task": []}
    for turn in range(asked.rounds):
        for kind, alias in (("stock", f"stock{turn}"), ("ours", f"ours{turn}"), ("ours_one_task", f"one{turn}")):
            if kind == "stock":
                mirror = MirrorMaker(base / alias, stock(alias, source["bootstrap.servers"], target["bootstrap.servers"]))
            else:
                tuning = {"replication_factor": 1, **({"tasks_max": 1} if kind == "ours_one_task" else {})}
                mirror = Mirror(base / alias, {"name": alias, "source": alias, "target": "target", "topics": ["bench"], "groups": ["none"],
                                               "policy": "default", "tuning": tuning}, {alias: source, "target": target})
            times[kind].append(seconds(mirror, target, f"{alias}.bench", asked.records))
            print(f"round {turn + 1} {kind}: {times[kind][-1]:.2f} s", flush=True)
    for one in kafkas.values():
        one.stop()
    middle = {kind: statistics.median(values) for kind, values in times.items()}
    report = {"records": asked.records, "size": asked.size, "cores": os.cpu_count(), "load": os.getloadavg()[0], "seconds": times,
              "ratios": {"to_stock_mm2": middle["ours"] / middle["stock"], "one_task_to_stock_mm2": middle["ours_one_task"] / middle["stock"]}}
    path = ROOT / "build" / "bench" / "mirror.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(report, indent=1) + "\n")
    print(json.dumps(report["ratios"]))


if __name__ == "__main__":
    main()
