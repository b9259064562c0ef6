# SPDX-License-Identifier: GPL-3.0-or-later
"""Benchmark of many topics: ``python tests/bench/scale.py`` writes build/bench/scale.json.

The lab with 100 topics and 50 groups, and with 1,000 topics and 500 groups; each topic has ten partitions. What is
measured of each playbook: its seconds by step, the peak memory of Ansible's processes and of Spark's driver, and what
it added to the ledger. Orchestration is what a playbook takes without the steps that read records, or wait for the
mirror or for applications. Only the ratios are worth anything.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "lab")]

import psutil  # noqa: E402
from confluent_kafka import (  # noqa: E402
    Consumer,
    ConsumerGroupTopicPartitions,
    KafkaError,
    KafkaException,
    Message,
    Producer,
    TopicPartition,
)
from confluent_kafka.admin import AdminClient, NewTopic, OffsetSpec  # noqa: E402

from kafka_dr_lab.drill import MIRROR, SOURCE, TARGET, Drill  # noqa: E402
from kafka_dr_lab.hosts import Variables  # noqa: E402
from kafka_dr_lab.inventory import Inventory  # noqa: E402
from kafka_dr_lab.lab import Lab  # noqa: E402
from kafka_dr_lab.landscape import GROUP  # noqa: E402
from kafka_dr_lab.playbook import PlaybookFailed  # noqa: E402
from kafka_dr_lab.waiting import until  # noqa: E402
from tests.bench.figures import PLACE, say, surroundings, write  # noqa: E402
from tests.support.ending import end_with_children  # noqa: E402

PARTITIONS, TOPICS_OF_A_GROUP, RECORDS_OF_A_PARTITION = 10, 2, 3
LEDGER = "__kafka_dr_ledger"
PAIR = {"initial_setup_source": SOURCE, "initial_setup_target": TARGET}
# What depends on records, on the mirror or on applications, and not on how many topics there are.
WAITS = ("Wait until", "Prove", "Move the applications", "Drain")


class WideInventory(Inventory):
    """The lab's regions, with brokers and mirrors that have the memory for many partitions. The mirror looks for topics
    and groups as seldom as production does: every few seconds, it does nothing else with 10,000 partitions.
    """

    def _hosts(self, options: dict[str, Any], ports: Iterator[int], authorities: Any) -> dict[str, Variables]:
        hosts = super()._hosts(options, ports, authorities)
        for host in hosts.values():
            if "kafka_dr_kafka" in host:
                host["kafka_dr_kafka"]["heap"] = host["kafka_dr_mirror_heap"] = "2g"
            for mirror in host.get("kafka_dr_mirrors", []):
                mirror["tuning"] = {**mirror["tuning"], "refresh_seconds": 60, "checkpoint_seconds": 30}
        return hosts


def fill(drill: Drill, topics: int, groups: int) -> None:
    """Topics with a few records in each partition, and groups with a position in each partition of two of them.

    The mirror rests meanwhile, since it starts its tasks anew for each batch of topics that it finds. ``initial_setup``
    creates the copies, which are too many for one request of the mirror, and starts it.
    """
    drill.lab.halt(MIRROR)
    names = [f"flights.wide-{number:04d}" for number in range(topics)]
    admin = AdminClient({**drill.client(SOURCE, "kdr-stages"), "log_level": 0})
    for some in batched(names, 100):
        wanted = [NewTopic(name, PARTITIONS, 1) for name in some]
        for future in admin.create_topics(wanted, request_timeout=120, operation_timeout=120).values():
            future.result(180)
    # A record of a topic that the broker does not show yet fails in the producer after half a minute.
    until(f"{topics} topics to be there", lambda: held(admin, names, 0), 900)
    failed: list[str] = []
    producer = Producer({**drill.client(SOURCE, "departures-producer"), "enable.idempotence": True, "linger.ms": 50})
    for name in names:
        for partition in range(PARTITIONS):
            for number in range(RECORDS_OF_A_PARTITION):
                producer.produce(name, f"{name}-{partition}-{number}", partition=partition, on_delivery=written(failed))
        producer.poll(0)
    if producer.flush(300) or failed:
        raise TimeoutError(f"The records of the wide topics were not acknowledged within 300 s: {failed[:3]}")
    for number in range(groups):
        read = [names[(number * TOPICS_OF_A_GROUP + at) % topics] for at in range(TOPICS_OF_A_GROUP)]
        positions = [TopicPartition(name, at, number % 3 + 1) for name in read for at in range(PARTITIONS)]
        name = f"{GROUP}-wide-{number:04d}"
        admin.alter_consumer_group_offsets([ConsumerGroupTopicPartitions(name, positions)])[name].result(60)
    drill.stage("initial_setup", **PAIR)
    target = AdminClient({**drill.client(TARGET, "kdr-stages"), "log_level": 0})
    until(f"{topics} topics to be copied", lambda: held(target, names, RECORDS_OF_A_PARTITION), 1500)


def written(failed: list[str]) -> Callable[[KafkaError | None, Message], None]:
    """What a producer calls with each record, to note those that were not written."""
    return lambda error, dummy: failed.append(str(error)) if error is not None else None


def held(admin: AdminClient, names: list[str], records: int) -> bool:
    """Whether the region of this client has all of these topics, with so many records in each partition."""
    known = admin.list_topics(timeout=60).topics
    if not all(name in known and len(known[name].partitions) == PARTITIONS for name in names):
        return False
    asked = {TopicPartition(name, at): OffsetSpec.latest() for name in names for at in range(PARTITIONS)}
    try:
        ends = [future.result(60).offset for future in admin.list_offsets(asked, request_timeout=60).values()]
    except KafkaException:
        # A partition that was made just now may have no leader yet.
        return False
    return min(ends) >= records


def batched(names: list[str], size: int) -> Iterator[list[str]]:
    """At most ``size`` of them at a time."""
    rest = iter(names)
    while some := list(islice(rest, size)):
        yield some


class Memory:
    """The peak memory of one of a playbook's processes, in MB, by ``controller`` and ``driver``.

    :param steps: the file that the playbook writes its steps to; all that it starts has that in its environment.
    """

    KINDS = {"ansible-playbook": "controller", "SparkSubmit": "driver"}

    def __init__(self, steps: Path) -> None:
        self.peak = dict.fromkeys(self.KINDS.values(), 0.0)
        self._steps = str(steps)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def _look(self) -> None:
        while not self._ended.wait(1):
            for process in psutil.process_iter():
                try:
                    if process.environ().get("KAFKA_DR_STEPS") != self._steps:
                        continue
                    words, size = " ".join(process.cmdline()), process.memory_info().rss / 1e6
                except psutil.Error:
                    continue
                for mark, kind in self.KINDS.items():
                    if mark in words:
                        self.peak[kind] = max(self.peak[kind], round(size, 1))

    def __enter__(self) -> Memory:
        self._thread.start()
        return self

    def __exit__(self, *dummy: object) -> None:
        self._ended.set()
        self._thread.join()


def ledger(client: dict[str, Any]) -> dict[str, int]:
    """``bytes`` and ``records`` of the ledger in a region, and the bytes of the ``largest`` record."""
    consumer = Consumer({**client, "group.id": "kdr-bench", "enable.auto.commit": False, "log_level": 0})
    sizes = []
    try:
        dummy, end = consumer.get_watermark_offsets(TopicPartition(LEDGER, 0), timeout=20)
        consumer.assign([TopicPartition(LEDGER, 0, 0)])
        while consumer.position([TopicPartition(LEDGER, 0)])[0].offset < end:
            sizes += [len(row.value() or b"") for row in consumer.consume(1000, 0.5) if row.error() is None]
    finally:
        consumer.close()
    return {"bytes": sum(sizes), "records": len(sizes), "largest": max(sizes, default=0)}


def measured(drill: Drill, playbook: str, region: str, **extra: Any) -> dict[str, Any]:
    """One playbook: seconds as a whole, of orchestration and by step, peak memory, and the ledger afterwards."""
    before, began = len(drill.lab.playbooks.steps()), time.monotonic()
    failed = ""
    with Memory(drill.lab.playbooks.steps_file) as memory:
        try:
            drill.stage(playbook, **extra)
        except PlaybookFailed as error:
            failed = str(error)
    seconds = time.monotonic() - began
    steps = [step for stage in drill.lab.playbooks.steps()[before:] for step in stage["steps"]]
    waited = sum(step["seconds"] for step in steps if step["name"].startswith(WAITS))
    row = {
        "seconds": round(seconds, 1),
        "orchestration": round(seconds - waited, 1),
        "megabytes": memory.peak,
        "ledger": ledger(drill.client(region, "kdr-stages")),
        "steps": {step["name"]: step["seconds"] for step in steps if step["seconds"] >= 1},
        **({"failed": failed} if failed else {}),
    }
    say(f"{playbook}: {json.dumps({key: value for key, value in row.items() if key != 'steps'})}")
    return row


@contextmanager
def wide(directory: Path, topics: int, groups: int) -> Iterator[Drill]:
    """A lab whose mirror has copied so many topics, under live traffic."""
    options = {"history": 2000, "rate": 50.0, "records": 0, "watch": False, "machines": False}
    arguments = argparse.Namespace(scenario="failover", platform="host", command="drill", lab=directory)
    lab = Lab(directory)
    lab.inventory = WideInventory(lab.directory)
    lab.playbooks.inventory = lab.inventory
    drill = Drill(lab, arguments, options)
    try:
        drill.prepare()
        began = time.monotonic()
        fill(drill, topics, groups)
        say(f"{topics} topics, {groups} groups: filled and copied in {time.monotonic() - began:.0f} s")
        yield drill
    finally:
        drill.sampler.stop()
        lab.down()


def without_loss(directory: Path, topics: int, groups: int) -> dict[str, Any]:
    """What reads, and the planned move."""
    # A copy that was never proven is no reason to end here.
    status = {"backup_status_region": SOURCE, "backup_status_backup": TARGET, "backup_status_fail": False}
    with wide(directory, topics, groups) as drill:
        rows = {
            "initial_setup": measured(drill, "initial_setup", TARGET, **PAIR),
            "doctor": measured(drill, "doctor", TARGET),
            "backup_status": measured(drill, "backup_status", TARGET, **status),
        }
        move = {"failover_source": SOURCE, "failover_target": TARGET, "failover_planned": True}
        return {**rows, "planned_move": measured(drill, "failover", TARGET, **move)}


def with_loss(directory: Path, topics: int, groups: int) -> dict[str, Any]:
    """The unplanned move."""
    with wide(directory, topics, groups) as drill:
        drill.lost_at = drill.lab.lose(SOURCE)
        # What the mirror had read before is written for some seconds, and the stage would wait for its end.
        time.sleep(20)
        return {"unplanned_move": measured(drill, "failover", TARGET, failover_source=SOURCE, failover_target=TARGET)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--topics", type=int, nargs="+", default=(100, 1000), metavar="COUNT")
    asked = parser.parse_args()
    end_with_children()
    began = time.monotonic()
    found: dict[str, dict[str, Any]] = {}
    cases: list[Callable[[Path, int, int], dict[str, Any]]] = [without_loss, with_loss]
    with tempfile.TemporaryDirectory(prefix="kafka-dr-scale-") as place:
        for topics in asked.topics:
            found[str(topics)] = {}
            for case in cases:
                found[str(topics)].update(case(Path(place) / f"{case.__name__}{topics}", topics, topics // 2))
    few, many = (found[str(topics)] for topics in (min(asked.topics), max(asked.topics)))
    figures = {
        "topics": found,
        "ratios": {name: round(many[name]["orchestration"] / few[name]["orchestration"], 2) for name in many},
        **surroundings(began, asked),
    }
    path = write(figures, PLACE / "scale.json")
    say(f"{path}: {json.dumps(figures['ratios'])}")


if __name__ == "__main__":
    main()
