# SPDX-License-Identifier: GPL-3.0-or-later
"""`make bench-watch`: what the standing proof costs, and how far it is behind the mirror.

Writes build/bench/watch.json; nothing is asserted. Records are about 200 bytes, in ``--partitions`` partitions.

- Catching up: CPU seconds of the watch for a million records of each side, beside a process that only reads both sides;
  both without what they need for a topic of 2,000 records. The largest memory at 1 and at 8 million.
- Steady: a real MirrorMaker 2 with exactly-once copies ``--rate`` records a second. For each offset that the target was
  seen to have, the seconds until the watch had it as proven, by the times of its own records. CPU seconds a minute.
- The proof after a loss: seconds to compare the open windows, behind one and behind eight million proven records.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import tests.conftest  # noqa: E402, F401  makes the checkout importable as the collection  # pylint: disable=unused-import
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient  # noqa: E402
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.offsets import list_offsets  # noqa: E402
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof import worker  # noqa: E402
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.comparison import Options, prepare  # noqa: E402
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.side import specs  # noqa: E402
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.state import TOPIC, read_state  # noqa: E402
from tests.bench.behind import STEADY, Behind, produce  # noqa: E402
from tests.bench.figures import PLACE, say, write  # noqa: E402
from tests.bench.topics import Sides, fill, generate  # noqa: E402
from tests.real.proof.support import MAIN, config_file, create, environment  # noqa: E402
from tests.support.ending import end_with_children  # noqa: E402
from tests.support.kafka import MirrorMaker, clusters  # noqa: E402
from tests.support.offsets_lab import mirror_properties  # noqa: E402

SMALL = "small"
# Seconds in which mirror and watch begin.
WARM = 45
# Records that wait in windows when the proof after a loss is measured.
WAITING = 20000
BARE = """
import sys
from confluent_kafka import Consumer, KafkaError, TopicPartition
topic, partitions = sys.argv[1], int(sys.argv[2])
for bootstrap in sys.argv[3:]:
    consumer = Consumer({"bootstrap.servers": bootstrap, "group.id": "bench", "enable.auto.commit": False,
                         "enable.partition.eof": True, "log_level": 0, "fetch.queue.backoff.ms": 10})
    consumer.assign([TopicPartition(topic, number, 0) for number in range(partitions)])
    ended = 0
    while ended < partitions:
        for message in consumer.consume(5000, 0.05):
            if message.error() is not None and message.error().code() == KafkaError._PARTITION_EOF:
                ended += 1
    consumer.close()
"""


def measured(words: list[str]) -> tuple[float, float, float]:
    """``(seconds, CPU seconds, largest resident megabytes)`` of a process. :raises SystemExit: it failed."""
    began = time.perf_counter()
    process = subprocess.Popen(words, env=environment(), stdout=subprocess.DEVNULL)
    dummy, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{words[:3]} ended with {process.returncode}")
    return time.perf_counter() - began, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


class Bench:
    """Two clusters and their clients' files."""

    def __init__(self, sides: Sides, partitions: int) -> None:
        self.sides, self.partitions = sides, partitions
        directory = tempfile.mkdtemp(prefix="bench-watch-")
        self.files = {name: config_file(directory, name, cluster.client) for name, cluster in sides.items()}

    def watch_words(self, topic: str, mirror: str, *more: str) -> list[str]:
        words = [sys.executable, str(MAIN), "watch", "--topics", topic, "--mirror", mirror, "--quiet"]
        return [*words, "--source-config", self.files["source"], "--target-config", self.files["target"], *more]

    def bare_words(self, topic: str) -> list[str]:
        both = [cluster.bootstrap for cluster in self.sides.values()]
        return [sys.executable, "-c", BARE, topic, str(self.partitions), *both]

    def client(self, side: str) -> KafkaClient:
        return KafkaClient(self.sides[side].client)

    def catch_up(self, topic: str, mirror: str, count: int) -> tuple[float, float, float]:
        """As :func:`measured`. :raises SystemExit: not all of it was proven."""
        found = measured(self.watch_words(topic, mirror, "--once"))
        state = read_state(self.client("target"), mirror)
        records = sum(part.records for part in state.partitions.values()) if state else 0
        if records != count:
            raise SystemExit(f"{records:,} of {count:,} records of {topic} were proven")
        return found


def catching_up(bench: Bench, arguments: argparse.Namespace) -> dict[str, Any]:
    """CPU and memory for history that is there already."""
    fill(bench.sides, SMALL, 2000, bench.partitions)
    fill(bench.sides, "one", arguments.records, bench.partitions)
    runs: dict[str, list[tuple[float, float, float]]] = {"watch": [], "bare": []}
    for number in range(arguments.repeats):
        start = bench.catch_up(SMALL, f"small-{number}", 2000), measured(bench.bare_words(SMALL))
        full = bench.catch_up("one", f"one-{number}", arguments.records), measured(bench.bare_words("one"))
        for name, small, large in zip(runs, start, full, strict=True):
            runs[name].append((large[0] - small[0], large[1] - small[1], large[2]))
        say(f"catching up {runs['watch'][-1]}, bare {runs['bare'][-1]}")
    cpu = {name: [round(run[1], 2) for run in listed] for name, listed in runs.items()}
    seconds = {name: [round(run[0], 2) for run in listed] for name, listed in runs.items()}
    result: dict[str, Any] = {"catching_up_cpu_seconds": cpu, "catching_up_seconds": seconds}
    result["cpu_to_raw_read"] = round(statistics.median(cpu["watch"]) / statistics.median(cpu["bare"]), 3)
    result["peak_mb_1m"] = round(max(run[2] for run in runs["watch"]))
    return result


def many(bench: Bench, arguments: argparse.Namespace, known: dict[str, Any]) -> dict[str, Any]:
    """Memory, and the proof after a loss, at eight times the records."""
    say(f"filling {arguments.many:,} records on both sides")
    fill(bench.sides, "many", arguments.many, bench.partitions)
    seconds, cpu, memory = bench.catch_up("many", "many", arguments.many)
    say(f"caught up in {seconds:.0f} s, CPU {cpu:.0f} s, {memory:.0f} MB")
    closing = {name: close(bench, topic, topic) for name, topic in (("1m", "one"), ("8m", "many"))}
    return {
        "catching_up_many": {"records": arguments.many, "seconds": round(seconds, 1), "cpu_seconds": round(cpu, 1)},
        "peak_mb_8m": round(memory),
        "peak_mb_8m_to_1m": round(memory / known["peak_mb_1m"], 3),
        "failover_proof_seconds": closing,
        "failover_proof_8m_to_1m": round(closing["8m"] / closing["1m"], 3),
    }


def close(bench: Bench, topic: str, mirror: str) -> float:
    """Seconds to prove what was open, once the source has more than the target, and the target gets it."""
    client = bench.client("source")
    count = sum(list_offsets(client, [(topic, number) for number in range(bench.partitions)]).values())
    generate(bench.sides["source"].bootstrap, topic, count, count + WAITING, bench.partitions)
    measured(bench.watch_words(topic, mirror, "--once"))
    generate(bench.sides["target"].bootstrap, topic, count, count + WAITING, bench.partitions)
    state = read_state(bench.client("target"), mirror)
    if state is None or sum(part.waiting for part in state.partitions.values()) != WAITING:
        raise SystemExit("the windows do not hold what was written")
    began = time.perf_counter()
    target = {"kind": "kafka", "config": bench.sides["target"].client, "name": "target", "timeout": 30, "rate": None}
    report = prepare(*specs(target, mirror, TOPIC, state), Options(topic, wait_seconds=0)).run(worker.InProcess())
    if report["verdict"] != "PROVEN":
        raise SystemExit(f"not proven: {report['reasons']}")
    return round(time.perf_counter() - began, 3)


def steady(bench: Bench, arguments: argparse.Namespace) -> dict[str, Any]:
    """A mirror at work, and the watch of it."""
    create(bench.sides["source"], {STEADY: (bench.partitions, {})})
    directory = Path(tempfile.mkdtemp(prefix="bench-watch-"))
    mirror = MirrorMaker(directory, mirror_properties(bench.sides["source"], bench.sides["target"], STEADY)).start()
    words = ["--interval", str(arguments.interval), "--offsets-topic", "mm2-offsets.a.internal", "--alias", "a"]
    watch = subprocess.Popen(bench.watch_words(STEADY, STEADY, *words), env=environment(), stdout=subprocess.DEVNULL)
    producer = multiprocessing.Process(
        target=produce,
        args=(bench.sides["source"].bootstrap, arguments.rate, WARM + arguments.seconds + 5, bench.partitions),
    )
    try:
        producer.start()
        found = observed(bench, watch.pid, arguments.seconds)
    finally:
        watch.kill()
        mirror.kill()
        # Whoever ends the benchmark early does not wait for the traffic.
        if producer.is_alive():
            producer.terminate()
        producer.join()
    say(f"steady: {found}")
    return {"rate": arguments.rate, "interval_seconds": arguments.interval, **found}


def observed(bench: Bench, pid: int, seconds: float) -> dict[str, Any]:
    """What is so under traffic."""
    import psutil

    behind, process = Behind(bench.sides["target"], bench.partitions), psutil.Process(pid)
    time.sleep(WARM)
    behind.start()
    time.sleep(3)
    since, before = time.time(), process.cpu_times()
    time.sleep(seconds)
    until, after = time.time(), process.cpu_times()
    # What was copied last is proven a little later.
    time.sleep(20)
    behind.stop.set()
    behind.join()
    found = behind.seconds(since, until)
    places = [(STEADY, number) for number in range(bench.partitions)]
    ends = {name: sum(list_offsets(bench.client(name), places).values()) for name in bench.sides}
    if not found:
        raise SystemExit(f"the watch proved nothing of {ends}")
    return {
        "behind_mirror_seconds": {"median": round(statistics.median(found), 2), "most": round(max(found), 2)},
        "samples": len(found),
        "cpu_seconds_a_minute": round((sum(after[:2]) - sum(before[:2])) / (until - since) * 60, 1),
        "steady_mb": round(process.memory_info().rss / 1e6),
        "ends": ends,
    }


def run(arguments: argparse.Namespace, save: Callable[[dict[str, Any]], None]) -> None:
    """All measurements, handed to ``save`` after each part."""
    multiprocessing.set_start_method("spawn", force=True)
    sides = clusters(["source", "target"])
    result: dict[str, Any] = {"cores": os.cpu_count(), "load_before": os.getloadavg(), "records": arguments.records}
    result |= {"partitions": arguments.partitions, "record_bytes": 200}
    bench = Bench(sides, arguments.partitions)
    try:
        if arguments.seconds:
            result |= steady(bench, arguments)
            save(result)
        result |= catching_up(bench, arguments)
        save(result)
        if arguments.many:
            result |= many(bench, arguments, result)
        save(result | {"load_after": os.getloadavg()})
    finally:
        for cluster in sides.values():
            cluster.stop()
        subprocess.run(["rm", "-rf", str(sides["source"].directory.parent)], check=False)


def main() -> None:
    end_with_children()
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--records", type=int, default=1000000)
    parser.add_argument("--many", type=int, default=8000000, help="0 leaves the large topic out")
    parser.add_argument("--partitions", type=int, default=4)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--rate", type=int, default=10000)
    parser.add_argument("--seconds", type=float, default=60, help="of steady traffic; 0 leaves it out")
    parser.add_argument("--interval", type=float, default=1)
    parser.add_argument("--out", default=str(PLACE / "watch.json"))
    arguments = parser.parse_args()
    os.makedirs(os.path.dirname(arguments.out), exist_ok=True)

    def save(result: dict[str, Any]) -> None:
        write(result, Path(arguments.out))

    run(arguments, save)
    print(Path(arguments.out).read_text(encoding="utf-8"))


if __name__ == "__main__":
    main()
