# SPDX-License-Identifier: GPL-3.0-or-later
"""Benchmark of offset translation: ``python tests/bench/offsets.py`` writes build/bench/offsets.json.

One run, one pair of clusters: for groups that lag by 0, 100, 10,000 and 100,000 records, at 10 and 200 records a
second, over plain and transactional topics, what MirrorMaker 2's own group sync makes a consumer process again or skip,
beside what offset_translate does; first with the source killed in the midst, then with the source alive, drained and
fenced. Told by the consumers' own journals against what the target holds. Then how long 100 and 1,000 groups of 30
partitions take, planned, committed and read back.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import tests.conftest  # noqa: E402, F401  makes the checkout importable as the collection  # pylint: disable=unused-import
from kafka_dr_lab.kafka_home import KAFKA_VERSION  # noqa: E402
from tests.bench.figures import PLACE, say, write  # noqa: E402
from tests.bench.offset_case import LAGS, Case, Row  # noqa: E402
from tests.support import offsets_lab as lab  # noqa: E402
from tests.support import traffic  # noqa: E402
from tests.support.ending import end_with_children  # noqa: E402
from tests.support.kafka import Kafka, MirrorMaker  # noqa: E402

RATES = (10, 200)
TOPICS = "plain-.*,trans-.*"


def pair(base: Path) -> list[Kafka]:
    """Source and target; a loaded machine takes its time."""
    made = [Kafka(base / name, name).start(wait=0) for name in ("a", "b")]
    return [one.await_ready(300) for one in made]


def stop_all(cases: list[Case], consumers: traffic.Consumers, lost: bool) -> None:
    """Stop writers and consumers; what was processed counts from now on."""
    with ThreadPoolExecutor(len(cases) + 1) as pool:
        journals = pool.submit(consumers.stop, lost) if lost else None
        for one in [pool.submit(case.writer.stop, lost) for case in cases]:
            one.result()
    journals = journals.result() if lost else consumers.stop()
    silent = sorted(group for group, journal in journals.items() if not journal)
    if silent:
        raise SystemExit(f"these groups processed nothing, so nothing is measured: {', '.join(silent)}")
    for case in cases:
        for group in case.before:
            case.before[group] = case.before[group] + journals[group]
    say("writers and consumers have stopped")


def save_manifest(base: Path, source: Kafka) -> str:
    """The digests of the transactional topics, as a backup has them: where the source's control records stand is not
    told by anything else.
    """
    config = base / "source.json"
    config.write_text(json.dumps(source.client))
    config.chmod(0o600)
    words = ["manifest", "--config", str(config), "--topics", "trans-.*", "--out", str(base / "manifest"), "--quiet"]
    subprocess.run(
        [sys.executable, str(ROOT / "spark" / "main.py"), *words],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=240,
    )
    return str(base / "manifest")


def shown(rows: Iterable[Row]) -> Iterator[Row]:
    """The rows, each said as it comes."""
    keys = (
        "source",
        "lag",
        "rate",
        "transactional",
        "stock_reprocessed",
        "reprocessed",
        "reprocessed_without_manifest",
        "skipped",
        "since_checkpoint",
        "confidence",
    )
    for row in rows:
        say(" ".join(f"{key}={row[key]}" for key in keys))
        yield row


def measure_cases(base: Path, options: argparse.Namespace) -> tuple[list[Row], dict[str, float]]:
    """Rows for every case, the source lost first and alive then."""
    source, target = pair(base)
    say("clusters are up; writing")
    shapes = [(rate, transactional) for rate in RATES for transactional in (False, True)]
    with ThreadPoolExecutor(len(shapes)) as pool:
        cases = list(pool.map(lambda shape: Case(source, *shape, options.records), shapes))
    lab.prepare_target(target)
    mirror = lab.start_mirror(base / "mm2", source, target, TOPICS)
    witness = lab.WitnessProcess(base / "witness", source, target)
    lab.await_ready(source, target, 300, until_caught_up=True, until_heartbeat=True, topics=TOPICS)
    manifest = save_manifest(base, source)
    say("mirrored, a manifest of the transactional topics saved; consumers and writers run")
    consumers = consume(source, cases, base / "first", options.seconds, settled=False)
    rows, planned = measure_lost(cases, consumers, source, target, mirror, manifest)
    say("the source comes back")
    source.start()
    mirror.start()
    for case in cases:
        case.writer = traffic.Writer(source, case.topic, transaction=500 if case.transactional else 0)
        case.writer.written = 3 * 10**9  # new numbers
    consumers = consume(source, cases, base / "second", options.seconds, settled=True)
    stop_all(cases, consumers, lost=False)
    lab.await_ready(source, target, 300, until_caught_up=True, topics=TOPICS)
    # A little longer, so that MirrorMaker 2's own sync has had every chance.
    time.sleep(12)
    mirror.stop()
    witness.stop()
    more, committed = measure_alive(cases, source, target)
    for cluster in (source, target):
        cluster.stop()
    return rows + more, {"plan_lost_seconds": planned, "commit_alive_seconds": committed}


def consume(source: Kafka, cases: list[Case], directory: Path, seconds: float, settled: bool) -> traffic.Consumers:
    """Let the consumers of all cases run for so long."""
    groups = [group for case in cases for group in case.begin(source, settled=settled)]
    consumers = traffic.Consumers(source, groups, directory)
    time.sleep(seconds)
    return consumers


def measure_lost(
    cases: list[Case], consumers: traffic.Consumers, source: Kafka, target: Kafka, mirror: MirrorMaker, manifest: str
) -> tuple[list[Row], float]:
    """Rows with the source killed in the midst of traffic, and the seconds that the plan took."""
    rows: list[Row] = []
    say("the source is killed")
    source.kill()
    stop_all(cases, consumers, lost=True)
    mirror.stop()
    ends = lab.ends_of(target, *(case.topic for case in cases))
    bare = lab.translate(None, target, check=True, topics=TOPICS, target_ends=ends)
    lost = lab.translate(None, target, check=True, topics=TOPICS, target_ends=ends, manifest=manifest)
    say(f"planned in {lost['summary']['seconds']} s, {lost['summary']['confidence']}")
    for case in cases:
        rows += shown(case.rows(lost["plan"], lab.copies(target, case.topic), "lost", bare["plan"]))
    return rows, lost["summary"]["seconds"]


def measure_alive(cases: list[Case], source: Kafka, target: Kafka) -> tuple[list[Row], float]:
    """Rows with the source alive, drained and fenced, and the seconds that committing took."""
    rows: list[Row] = []
    alive = lab.translate(source, target, topics=TOPICS)
    say(f"committed {alive['committed']} groups in {alive['summary']['seconds']} s, {alive['summary']['confidence']}")
    for case in cases:
        rows += shown(case.rows(alive["plan"], lab.copies(target, case.topic), "alive"))
    return rows, alive["summary"]["seconds"]


def measure_groups(base: Path) -> dict[str, Any]:
    """Seconds to translate and commit 100 and 1,000 groups of 30 partitions each."""
    source, target = pair(base)
    lab.create(source, ("many", 30, {}))
    traffic.Writer(source, "many", 30).write(30 * 1000)
    lab.prepare_target(target)
    mirror = lab.start_mirror(base / "mm2", source, target, "many", groups="none")
    lab.await_ready(source, target, 300, until_caught_up=True, topics="many")
    mirror.stop()
    dice = random.Random(5)
    found = {}
    for count in (100, 1000):
        positions = {
            f"g{count}-{number:04d}": {partition: dice.randint(0, 1000) for partition in range(30)}
            for number in range(count)
        }
        lab.set_positions(source, "many", positions)
        result = lab.translate(source, target, groups_regex=f"g{count}-.*")
        if result["committed"] != count:
            raise SystemExit(f"{result['committed']} of {count} groups were committed")
        found[f"groups_{count}_seconds"] = result["summary"]["seconds"]
        found[f"groups_{count}_confidence"] = {
            key: value for key, value in result["summary"]["confidence"].items() if value
        }
        say(f"{count} groups x 30 partitions: {result['summary']['seconds']} s")
    found["groups_1000_to_100"] = round(found["groups_1000_seconds"] / found["groups_100_seconds"], 2)
    for one in (source, target):
        one.stop()
    return found


def main() -> int:
    end_with_children()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=int, default=40, help="how long consumers run before each cut")
    parser.add_argument("--records", type=int, default=120000, help="records a topic holds at first")
    parser.add_argument("--lags", type=int, nargs="+", default=LAGS)
    parser.add_argument("--parts", nargs="+", default=["groups", "cases"], choices=["groups", "cases"])
    parser.add_argument("--output", default=str(PLACE / "offsets.json"))
    options = parser.parse_args()
    LAGS[:] = options.lags
    began = time.time()
    base = Path(tempfile.mkdtemp(prefix="offsets-bench-"))
    result = {
        "machine": {"cores": os.cpu_count(), "platform": platform.platform(), "load_at_begin": os.getloadavg()[0]},
        "versions": {"kafka": KAFKA_VERSION, "python": platform.python_version()},
        "options": vars(options),
        "mirror": "exactly-once, offset.lag.max 100, checkpoints and group sync every 5 s; witness every 2 s",
    }
    result["rows"] = []
    if "groups" in options.parts:
        result.update(measure_groups(base / "groups"))
    if "cases" in options.parts:
        result["rows"], seconds = measure_cases(base / "cases", options)
        result.update(seconds)
    result["seconds"] = round(time.time() - began, 1)
    output = write(result, Path(options.output))
    bad = [
        row
        for row in result["rows"]
        if row["skipped"] or row["reprocessed"] > row["since_checkpoint"] + row["reprocess_at_most"]
    ]
    say(f"{output}: {len(result['rows'])} rows, {len(bad)} beyond what is promised")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
