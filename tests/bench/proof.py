# SPDX-License-Identifier: GPL-3.0-or-later
"""`make bench-proof`: the proof beside bare reading and beside Spark's own Kafka source, in one run on one machine.

Writes build/bench/proof.json. Ratios are of runs side by side, each the median of ``--repeats``; nothing is asserted.
Records are about 200 bytes (a key of 7, a value of 193), in ``--partitions`` partitions.
"""

from __future__ import annotations

import argparse
import importlib.util
import multiprocessing
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from multiprocessing.queues import Queue
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "lab"), str(ROOT / "spark")]

from kafka_dr_lab.kafka_home import KAFKA_VERSION  # noqa: E402
from tests.bench.figures import PLACE, say, write  # noqa: E402
from tests.bench.spark_source import connector_jars, spark_source  # noqa: E402
from tests.bench.topics import Sides, fill  # noqa: E402
from tests.support.ending import end_with_children  # noqa: E402
from tests.support.kafka import clusters  # noqa: E402

# Topics.
SMALL, MILLION, MANY, LOST = "small", "one", "many", "lost"


def raw_reader(bootstrap: str, topic: str, partitions: int, backoff: int, ready: Queue, go: Event, done: Queue) -> None:
    """Bare librdkafka: read one side to its end and count. With the one setting that matters: by default it pauses for
    a second when its queue is full.
    """
    from confluent_kafka import Consumer, KafkaError, TopicPartition

    consumer = Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": "bench",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
            "auto.offset.reset": "earliest",
            "log_level": 0,
            "fetch.queue.backoff.ms": backoff,
        }
    )
    ready.put(1)
    go.wait()
    consumer.assign([TopicPartition(topic, number, 0) for number in range(partitions)])
    ended = count = 0
    while ended < partitions:
        for message in consumer.consume(5000, 0.05):
            error = message.error()
            if error is None:
                count += 1
            elif error.code() == KafkaError._PARTITION_EOF:
                ended += 1
    done.put((time.perf_counter(), count))
    consumer.close()


def raw_read(sides: Sides, topic: str, partitions: int, backoff: int = 10) -> float:
    """Seconds for one process a side to read everything, from the moment both are ready."""
    ready, done, go = multiprocessing.Queue(), multiprocessing.Queue(), multiprocessing.Event()
    workers = [
        multiprocessing.Process(
            target=raw_reader, args=(cluster.bootstrap, topic, partitions, backoff, ready, go, done)
        )
        for cluster in sides.values()
    ]
    for worker in workers:
        worker.start()
    for dummy in workers:
        ready.get(timeout=60)
    began = time.perf_counter()
    go.set()
    ended = [done.get(timeout=900) for dummy in workers]
    for worker in workers:
        worker.join()
    return max(moment for moment, dummy in ended) - began


class Memory:
    """Peak resident megabytes of the driver (Python and JVM) and of the largest Python worker, while open."""

    def __enter__(self) -> Memory:
        import psutil

        self.me, self.driver, self.worker, self.stop = psutil.Process(), 0.0, 0.0, threading.Event()
        self.thread = threading.Thread(target=self._watch, daemon=True)
        self.thread.start()
        return self

    def _watch(self) -> None:
        import psutil

        while not self.stop.wait(0.2):
            driver = self.me.memory_info().rss
            for child in self.me.children(recursive=True):
                try:
                    words = " ".join(child.cmdline())
                    if "pyspark.daemon" in words or "pyspark.worker" in words:
                        self.worker = max(self.worker, child.memory_info().rss / 1e6)
                    elif "SparkSubmit" in words:
                        driver += child.memory_info().rss
                except psutil.Error:
                    continue
            self.driver = max(self.driver, driver / 1e6)

    def __exit__(self, *dummy: object) -> None:
        self.stop.set()
        self.thread.join()


def proof(engine: Any, sides: Sides, topic: str) -> tuple[float, dict[str, Any]]:
    """(seconds, report) of a whole compare on a warm Spark context."""
    from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.comparison import Options, prepare

    spec = {
        name: {"kind": "kafka", "config": cluster.client, "name": name, "timeout": 30, "rate": None}
        for name, cluster in sides.items()
    }
    began = time.perf_counter()
    comparison = prepare(spec["source"], spec["target"], Options(topic, wait_seconds=0))
    report = comparison.run(engine)
    return time.perf_counter() - began, report


def run(arguments: argparse.Namespace, save: Callable[[dict[str, Any]], None]) -> None:
    """All measurements, handed to ``save`` after each part, so that a part that fails costs only itself."""
    multiprocessing.set_start_method("spawn", force=True)
    result = surroundings(arguments, None if arguments.no_spark_source else connector_jars()[1])
    sides = clusters(["source", "target"], None, {"log.segment.bytes": 536870912})
    try:
        say(f"filling {arguments.records:,} records on both sides")
        fill(sides, SMALL, 2000, arguments.partitions)
        fill(sides, MILLION, arguments.records, arguments.partitions)
        engine = spark_engine()
        proofs = measure_reading(engine, sides, arguments, result)
        save(result)
        if arguments.many:
            measure_many(engine, sides, arguments, result)
            save(result)
        engine.close()
        if not arguments.no_spark_source:
            say("Spark's own Kafka source")
            times = spark_source(sides, MILLION, SMALL, arguments.repeats)
            result["seconds"].update({"spark_kafka_source": times["digest"], "except_all": times["except_all"]})
            result["to_spark_kafka_source"] = round(statistics.median(times["digest"]) / statistics.median(proofs), 2)
            result["to_except_all"] = round(statistics.median(times["except_all"]) / statistics.median(proofs), 2)
        result["machine"]["load_after"] = os.getloadavg()
        save(result)
    finally:
        for cluster in sides.values():
            cluster.stop()
        subprocess.run(["rm", "-rf", str(sides["source"].directory.parent)], check=False)


def surroundings(arguments: argparse.Namespace, provider: str | None) -> dict[str, Any]:
    """The machine, the versions and the sizes that the measurements belong to."""
    import confluent_kafka
    import psutil
    import pyspark

    return {
        "machine": {
            "cores": os.cpu_count(),
            "memory_gb": round(psutil.virtual_memory().total / 1e9, 1),
            "system": platform.platform(),
            "load_before": os.getloadavg(),
        },
        "versions": {
            "python": platform.python_version(),
            "pyspark": pyspark.__version__,
            "librdkafka": confluent_kafka.libversion()[0],
            "kafka": KAFKA_VERSION,
            "spark_token_provider": provider,
        },
        "records": arguments.records,
        "many_records": arguments.many,
        "partitions": arguments.partitions,
        "record_bytes": 200,
    }


def spark_engine() -> Any:
    described = importlib.util.spec_from_file_location("proof_main", ROOT / "spark" / "main.py")
    submitted = importlib.util.module_from_spec(described)
    described.loader.exec_module(submitted)
    path = submitted.package(tempfile.mkdtemp(prefix="bench-proof-"))
    sys.path.insert(0, path)
    from kafka_dr_spark.engine import SparkEngine

    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    return SparkEngine("local[*]", path, quiet=True)


def measure_reading(engine: Any, sides: Sides, arguments: argparse.Namespace, result: dict[str, Any]) -> list[float]:
    """Bare reading and the proof, by turns; the seconds of the proofs."""
    say("reading and proving, by turns")
    proof(engine, sides, SMALL)
    by_default = [raw_read(sides, MILLION, arguments.partitions, 1000)]
    raw, proofs = [], []
    with Memory() as memory:
        for dummy in range(arguments.repeats):
            raw.append(raw_read(sides, MILLION, arguments.partitions))
            seconds, report = proof(engine, sides, MILLION)
            if report["verdict"] != "PROVEN" or report["totals"]["records_source"] != arguments.records:
                raise SystemExit(f"not proven: {report['reasons']}")
            proofs.append(seconds)
    say(f"bare {raw}, proof {proofs}")
    result["seconds"] = {"raw_read": raw, "raw_read_by_default": by_default, "proof": proofs}
    result["to_raw_read"] = round(statistics.median(proofs) / statistics.median(raw), 3)
    result["peak_driver_mb_1m"], result["peak_worker_mb_1m"] = round(memory.driver), round(memory.worker)
    return proofs


def measure_many(engine: Any, sides: Sides, arguments: argparse.Namespace, result: dict[str, Any]) -> None:
    """The proof of large topics: of equal ones, and of a copy that lost one record."""
    say(f"filling {arguments.many:,} records on both sides, twice")
    lost_at = arguments.many // 3
    fill(sides, MANY, arguments.many, arguments.partitions)
    fill(sides, LOST, arguments.many, arguments.partitions, lost=lost_at)
    equal, unequal = [], []
    with Memory() as memory:
        for dummy in range(arguments.repeats_many):
            seconds, report = proof(engine, sides, MANY)
            if report["verdict"] != "PROVEN":
                raise SystemExit(f"not proven: {report['reasons']}")
            equal.append(seconds)
            seconds, report = proof(engine, sides, LOST)
            named = differences(report)
            if named != [(lost_at % arguments.partitions, "missing", lost_at // arguments.partitions)]:
                raise SystemExit(f"the lost record was not named: {named}")
            unequal.append(seconds)
    proofs = result["seconds"]["proof"]
    result["seconds"].update({"proof_many": equal, "one_lost": unequal})
    result["lost_record"] = {"partition": named[0][0], "source_offset": named[0][2]}
    result["per_record_8m_to_1m"] = round(
        statistics.median(equal) / arguments.many / (statistics.median(proofs) / arguments.records), 3
    )
    result["one_lost_to_equal"] = round(statistics.median(unequal) / statistics.median(equal), 3)
    result["peak_driver_mb"], result["peak_worker_mb"] = round(memory.driver), round(memory.worker)


def differences(report: dict[str, Any]) -> list[tuple[int, str, int]]:
    return [
        (part["partition"], difference["kind"], difference["source_offset"])
        for topic in report["topics"]
        for part in topic["partitions"]
        for difference in part["differences"]
    ]


def main() -> None:
    end_with_children()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=1000000)
    parser.add_argument("--many", type=int, default=8000000, help="0 leaves the large topics out")
    parser.add_argument("--partitions", type=int, default=4)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--repeats-many", type=int, default=2)
    parser.add_argument("--no-spark-source", action="store_true")
    parser.add_argument("--out", default=str(PLACE / "proof.json"))
    arguments = parser.parse_args()
    os.makedirs(os.path.dirname(arguments.out), exist_ok=True)

    def save(result: dict[str, Any]) -> None:
        write(result, Path(arguments.out))

    run(arguments, save)
    print(Path(arguments.out).read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
