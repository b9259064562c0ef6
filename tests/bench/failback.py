# SPDX-License-Identifier: GPL-3.0-or-later
"""Benchmark of the way back: ``python tests/bench/failback.py`` writes build/bench/failback.json.

A region is back with its data, of which the region that works holds all and 1,000 records more. How long it takes from
the comparison of both until the mirror that was turned round has copied what is new, with 1 M and with 4 M records; and
the same after a planned move, whose proof is there when the mirror is turned round. Each again with the comparison
before and the proof after, which read everything. Only the ratios are worth anything.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

import tests.conftest  # noqa: E402, F401  makes the checkout importable as the collection  # pylint: disable=unused-import
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.mirror_seed import mirror_seed  # noqa: E402
from tests.bench.figures import PLACE, say, write  # noqa: E402
from tests.bench.restore import PARTITIONS, fill  # noqa: E402
from tests.real.hosts.mirrors import create, ends  # noqa: E402
from tests.support import offsets_lab as lab  # noqa: E402
from tests.support.ending import end_with_children  # noqa: E402
from tests.support.kafka import JVM, Kafka, clusters  # noqa: E402
from tests.support.proving import prove  # noqa: E402

NEW = 1000


def seed(source: Kafka, target: Kafka, proof: dict) -> None:
    """As the stages do it while applications work in the source."""
    lab.prepare_target(target, "a")
    mirror_seed(
        {
            "source_client": source.client,
            "source_client_secrets": {},
            "target_client": target.client,
            "target_client_secrets": {},
            "source_alias": "a",
            "target_alias": "b",
            "separator": ".",
            "proof": proof,
            "without_pairs": False,
            "source_in_use": True,
            "connector": "MirrorSourceConnector",
            "offsets_topic": None,
            "replication_factor": 1,
            "timeout": 60,
        },
        False,
    )


def turned(base: Path, works: Kafka, back: Kafka, bounded: bool, size: int) -> dict:
    """Seconds of turning a mirror round, so that it leads from the region that works to the one that is back.

    :param bounded: whether the region that works got new records before both were compared, as after a loss; otherwise
        they come once the mirror is seeded, as after a planned move.
    """
    base.mkdir()
    bounds = {
        "target": {"orders": {str(number): ends(works.client, "orders", number)[1] for number in range(PARTITIONS)}}
    }
    if bounded:
        fill([works.client], "orders", NEW, size)
    began = time.monotonic()
    proof = prove(base, back.client, works.client, "orders", bounds if bounded else None)
    compared = time.monotonic()
    seed(works, back, proof)
    if not bounded:
        fill([works.client], "orders", NEW, size)
    mirror = lab.start_mirror(base / "mm2", works, back, "orders")
    try:
        lab.await_ready(works, back, 300, until_caught_up=True, topics="orders")
        carried = time.monotonic()
        prove(base, works.client, back.client, "orders")
        proven = time.monotonic()
    finally:
        mirror.stop(5)
    return {
        "compared_seconds": round(compared - began, 2),
        "carried_seconds": round(carried - compared, 2),
        "whole_seconds": round(proven - began, 2),
    }


def way_back(base: Path, records: int, size: int) -> dict:
    """Both ways with as many records, one after the other on the same clusters."""
    base.mkdir()
    kafkas = clusters(["a", "b"], base)
    a, b = kafkas["a"], kafkas["b"]
    try:
        for cluster in (a, b):
            create(cluster.client, "orders", partitions=PARTITIONS)
        fill([a.client, b.client], "orders", records, size)
        failback = turned(base / "failback", b, a, True, size)
        say(f"{records} records, after a loss: {failback}")
        reverse = turned(base / "reverse", a, b, False, size)
        say(f"{records} records, after a planned move: {reverse}")
    finally:
        for cluster in kafkas.values():
            cluster.stop()
    return {"records": records, "failback": failback, "reverse": reverse}


def ratio(once: dict, four: dict, way: str, seconds: str) -> float:
    return round(four[way][seconds] / once[way][seconds], 2)


def main() -> None:
    end_with_children()
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--records", type=int, default=1_000_000, help="already proven; the other round has four times")
    words.add_argument("--size", type=int, default=200)
    asked = words.parse_args()
    JVM[:] = [option for option in JVM if not option.startswith("-XX")]
    base = Path(tempfile.mkdtemp(prefix="kafka-dr-bench-"))
    once, four = (
        way_back(base / name, records, asked.size)
        for name, records in (("one", asked.records), ("four", 4 * asked.records))
    )
    report = {
        "size": asked.size,
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "load": os.getloadavg()[0],
        "ways": [once, four],
        "ratios": {
            "four_m_to_one_m": ratio(once, four, "failback", "carried_seconds"),
            "reverse_four_m_to_one_m": ratio(once, four, "reverse", "carried_seconds"),
            "with_proofs_four_m_to_one_m": ratio(once, four, "failback", "whole_seconds"),
            "reverse_with_proofs_four_m_to_one_m": ratio(once, four, "reverse", "whole_seconds"),
        },
    }
    write(report, PLACE / "failback.json")
    print(json.dumps(report["ratios"]))


if __name__ == "__main__":
    main()
