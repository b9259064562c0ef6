# SPDX-License-Identifier: GPL-3.0-or-later
"""Benchmark of backup and restore: ``python tests/bench/restore.py`` writes build/bench/restore.json.

Copying: the collection's restore mirror (exactly-once, as ``recreate_from_backup`` starts it) beside MirrorMaker 2 with
its own defaults and beside a bare librdkafka loop that consumes and produces, the same records, one after the other,
round by round, each from its first record on the target to its last. Every JVM runs as it is installed, not with the
quick start that tests have. Going on: how long it takes until a backup is gone on with after a restore, with four times
the records as well; with and without the proof of the new backup. Only the ratios are worth anything.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition  # noqa: E402

import tests.conftest  # noqa: E402, F401  makes the checkout importable as the collection  # pylint: disable=unused-import
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import mirrors as _mirrors  # noqa: E402
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.mirror_seed import mirror_seed  # noqa: E402
from tests.bench.figures import PLACE, say, write  # noqa: E402
from tests.real.hosts.mirrors import Mirror, create, ends, exists  # noqa: E402
from tests.support import offsets_lab as lab  # noqa: E402
from tests.support.ending import end_with_children  # noqa: E402
from tests.support.kafka import JVM, MirrorMaker, clusters  # noqa: E402
from tests.support.proving import prove  # noqa: E402

PARTITIONS = 4
STARTED = time.time()


def fill(clients: list[dict], topic: str, records: int, size: int) -> None:
    """The same records into each cluster."""
    blob = os.urandom(4_000_000)
    # Recent, or retention deletes them in the midst of a round; not of the future, which brokers refuse; the same in
    # every cluster.
    stamp = int(STARTED * 1000)
    for client in clients:
        producer = Producer({**client, "linger.ms": 50, "batch.size": 1000000, "queue.buffering.max.messages": 1000000})
        for number in range(records):
            at = number * 37 % (len(blob) - size)
            while True:
                try:
                    producer.produce(
                        topic,
                        value=blob[at : at + size - 16],
                        key=b"%016d" % number,
                        partition=number % PARTITIONS,
                        timestamp=stamp + number // 1000,
                    )
                    break
                except BufferError:
                    producer.poll(0.5)
        producer.flush()


def stock(alias: str, source: str, target: str) -> dict:
    """What the documentation's smallest example has, on clusters of one broker."""
    flow = f"{alias}->target"
    factors = (
        "replication.factor",
        "checkpoints.topic.replication.factor",
        "heartbeats.topic.replication.factor",
        "offset-syncs.topic.replication.factor",
        "offset.storage.replication.factor",
        "status.storage.replication.factor",
        "config.storage.replication.factor",
    )
    return {
        "clusters": f"{alias}, target",
        f"{alias}.bootstrap.servers": source,
        "target.bootstrap.servers": target,
        f"{flow}.enabled": "true",
        f"{flow}.topics": "bench",
        f"target->{alias}.emit.heartbeats.enabled": "false",
        **dict.fromkeys(factors, 1),
    }


def copied(client: dict, topic: str) -> int:
    try:
        return sum(ends(client, topic, number)[1] for number in range(PARTITIONS)) if exists(client, topic) else 0
    except KafkaException:  # a topic just made has no leader for a moment
        return 0


def mirrored(mirror: Mirror | MirrorMaker, client: dict, topic: str, records: int, limit: float = 300) -> float:
    """Seconds from the first record seen on the target to the last."""
    mirror.start()
    first, last, before, end = None, time.monotonic(), 0, time.monotonic() + limit
    try:
        while time.monotonic() < end:
            now = copied(client, topic)
            if now != before:
                first, last, before = first or time.monotonic(), time.monotonic(), now
            if before >= records and time.monotonic() - last > 2.5:
                return last - first
            time.sleep(0.1)
        raise SystemExit(f"{topic} reached {before} of {records}:\n{mirror.tail()}")
    finally:
        mirror.stop(5)


def produce_copy(producer: Producer, topic: str, message: Message) -> None:
    """Produce a record again as it is, once the queue has room for it."""
    while True:
        try:
            producer.produce(
                topic,
                message.value(),
                message.key(),
                message.partition(),
                timestamp=message.timestamp()[1],
                headers=message.headers(),
            )
            break
        except BufferError:
            producer.poll(0.05)
    producer.poll(0)


def bare(source: dict, target: dict, topic: str, records: int) -> float:
    """Seconds of a loop that consumes and produces, with acknowledgements of all replicas and nothing else."""
    create(target, topic, partitions=PARTITIONS)
    consumer = Consumer(
        {
            **source,
            "group.id": "bare",
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            "enable.partition.eof": True,
        }
    )
    producer = Producer(
        {**target, "linger.ms": 20, "batch.size": 1000000, "queue.buffering.max.messages": 1000000, "acks": "all"}
    )
    consumer.assign([TopicPartition("bench", number, 0) for number in range(PARTITIONS)])
    first, count = None, 0
    while count < records:
        for message in consumer.consume(10000, 0.2):
            if message.error() is not None:
                if message.error().code() != KafkaError._PARTITION_EOF:
                    raise SystemExit(str(message.error()))
                continue
            first = first or time.monotonic()
            count += 1
            produce_copy(producer, topic, message)
    producer.flush()
    taken = time.monotonic() - first
    consumer.close()
    return taken


def copying(base: Path, asked: argparse.Namespace) -> dict:
    kafkas = clusters(["source", "target"], base)
    source, target = kafkas["source"].client, kafkas["target"].client
    create(source, "bench", partitions=PARTITIONS)
    fill([source], "bench", asked.records, asked.size)
    times: dict[str, list[float]] = {"stock": [], "ours": [], "bare": []}
    for turn in range(asked.rounds):
        mirror = MirrorMaker(
            base / f"stock{turn}", stock(f"stock{turn}", source["bootstrap.servers"], target["bootstrap.servers"])
        )
        times["stock"].append(mirrored(mirror, target, f"stock{turn}.bench", asked.records))
        alias = f"ours{turn}"
        backup = {
            "name": alias,
            "source": "target",
            "target": alias,
            "topics": ["bench"],
            "groups": ["none"],
            "tuning": {"replication_factor": 1},
        }
        # Only the names differ from a real one, so that every round has a topic of its own.
        restore = {**_mirrors.reverse_of(backup, alias), "policy": "default"}
        mirror = Mirror(base / alias, restore, {alias: source, "target": target})
        times["ours"].append(mirrored(mirror, target, f"{alias}.bench", asked.records))
        times["bare"].append(bare(source, target, f"bare{turn}", asked.records))
        say(f"round {turn + 1}: " + ", ".join(f"{kind} {values[-1]:.2f} s" for kind, values in times.items()))
    for one in kafkas.values():
        one.stop()
    middle = {kind: statistics.median(values) for kind, values in times.items()}
    ratios = {
        "to_stock_mm2": round(middle["stock"] / middle["ours"], 2),
        "of_raw_copy": round(middle["bare"] / middle["ours"], 2),
    }
    return {"copy_seconds": times, "ratios": ratios}


def going_on(base: Path, records: int, size: int) -> dict:
    """Seconds from both sides equal and proven until the mirror has copied what is new, and until that is proven."""
    kafkas = clusters(["a", "b"], base)
    region, backup = kafkas["a"], kafkas["b"]
    for one in (region, backup):
        create(one.client, "orders", partitions=PARTITIONS)
    fill([region.client, backup.client], "orders", records, size)
    proof = prove(base, backup.client, region.client, "orders")
    fill([region.client], "orders", 1000, size)
    began = time.monotonic()
    lab.prepare_target(backup, "a")
    mirror_seed(
        {
            "source_client": region.client,
            "source_client_secrets": {},
            "target_client": backup.client,
            "target_client_secrets": {},
            "source_alias": "a",
            "target_alias": "b",
            "separator": ".",
            "proof": proof,
            "connector": "MirrorSourceConnector",
            "offsets_topic": None,
            "replication_factor": 1,
            "timeout": 60,
        },
        False,
    )
    mirror = lab.start_mirror(base / "mm2", region, backup, "orders")
    try:
        lab.await_ready(region, backup, 300, until_caught_up=True, topics="orders")
        carried = time.monotonic() - began
        prove(base, region.client, backup.client, "orders")
        proven = time.monotonic() - began
    finally:
        mirror.stop(5)
        for one in kafkas.values():
            one.stop()
    say(f"{records} records: gone on with after {carried:.1f} s, proven after {proven:.1f} s")
    return {"records": records, "carried_seconds": round(carried, 2), "proven_seconds": round(proven, 2)}


def main() -> None:
    end_with_children()
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument(
        "--records", type=int, default=2_000_000, help="to copy; to go on from it is half of them, and twice"
    )
    words.add_argument("--size", type=int, default=200)
    words.add_argument("--rounds", type=int, default=2)
    asked = words.parse_args()
    JVM[:] = [one for one in JVM if not one.startswith("-XX")]
    base = Path(tempfile.mkdtemp(prefix="kafka-dr-bench-"))
    report = {
        "records": asked.records,
        "size": asked.size,
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "load": os.getloadavg()[0],
        **copying(base / "copy", asked),
    }
    once, four = (
        going_on(base / name, records, asked.size)
        for name, records in (("one", asked.records // 2), ("four", 2 * asked.records))
    )
    report["continue"] = [once, four]
    report["ratios"]["continue_4m_to_1m"] = round(four["carried_seconds"] / once["carried_seconds"], 2)
    report["ratios"]["continue_and_proof_4m_to_1m"] = round(four["proven_seconds"] / once["proven_seconds"], 2)
    write(report, PLACE / "restore.json")
    print(json.dumps(report["ratios"]))


if __name__ == "__main__":
    main()
