# SPDX-License-Identifier: GPL-3.0-or-later
"""Ends and heads on real brokers: a long hole, a copy that lost its end, keys that expired, an open transaction, a
manifest of another cluster.
"""

from __future__ import annotations

import json
import uuid

import pytest
from confluent_kafka import Producer

from . import support
from .support import some

pytestmark = pytest.mark.real

MANY = some(100000, headers=())
EXPIRES = {"cleanup.policy": "compact,delete", "min.compaction.lag.ms": 86400000}
KEYED = [row.but(key=b"key %d" % at) for at, row in enumerate(some(100, headers=()))]


@pytest.fixture(scope="module")
def job(pair, spark, tmp_path_factory):
    return support.Job(tmp_path_factory.mktemp("ends"), pair["source"], pair["target"], spark)


@pytest.fixture(scope="module")
def filled(pair):
    """What the two sides hold of each topic."""
    held = {
        "ends.hole": (MANY, MANY[:2000] + MANY[99990:], {}),
        "ends.short": (MANY[:1000], MANY[:600], {}),
        "ends.both": (MANY[:900], MANY[:900], {}),
        "ends.keys": (KEYED, KEYED, EXPIRES),
        "ends.open": (MANY[:100], MANY[:100], {}),
    }
    for number, cluster in enumerate((pair["source"], pair["target"])):
        support.create(cluster, {name: (1, one[2]) for name, one in held.items()})
        support.write(cluster, {name: one[number] for name, one in held.items()})
    support.delete_before(pair["source"], "ends.keys", 0, 50)


def judged(job, topic, **bounds):
    path = job.directory / f"bounds-{uuid.uuid4().hex}.json"
    path.write_text(json.dumps({side: {topic: {"0": end}} for side, end in bounds.items()}))
    code, report, errors = job.compare(topic, "--wait-seconds", "0", *(("--bounds", str(path)) if bounds else ()))
    assert report, errors
    part = report["topics"][0]["partitions"][0]
    return (
        code,
        report["verdict"],
        {name: part[name] for name in (*support.KINDS, "lost") if part[name]},
        " / ".join(report["reasons"]),
    )


def test_a_long_hole_is_a_loss(filled, job):
    assert judged(job, "ends.hole", mirrored_through=2000)[:3] == (1, "LOSS", {"missing": 97990})


def test_a_copy_that_lost_its_end_lost_it(filled, job):
    assert judged(job, "ends.short", mirrored_through=500)[:3] == (0, "PROVEN", {"lost": 400})
    code, verdict, counts, reasons = judged(job, "ends.short", mirrored_through=500, target=1000)
    assert (code, verdict, counts) == (1, "LOSS", {"missing_tail": 400}) and "before the bound 1000" in reasons


def test_both_sides_short_of_their_bounds_prove_nothing(filled, job):
    assert judged(job, "ends.both", source=1000, target=1000)[:2] == (2, "NOT_PROVABLE")
    assert judged(job, "ends.both", source=900, target=900)[:2] == (0, "PROVEN")


def test_keys_that_expired_at_the_source_alone_are_not_foreign(filled, job):
    assert judged(job, "ends.keys")[:3] == (0, "PROVEN", {"beyond": 50})


def test_a_transaction_that_nobody_ends_is_told(filled, job, pair):
    producer = Producer({**pair["source"].client, "transactional.id": uuid.uuid4().hex, "log_level": 0})
    producer.init_transactions(30)
    producer.begin_transaction()
    producer.produce("ends.open", b"undecided", partition=0)
    producer.flush(30)
    support.write(pair["source"], {"ends.open": some(20, prefix="behind", headers=())})
    code, verdict, dummy, reasons = judged(job, "ends.open")
    assert (code, verdict) == (
        0,
        "PROVEN",
    ) and "an open transaction holds back 21 offsets of the source from 100 on" in reasons
    producer.abort_transaction(30)
    code, verdict, counts, reasons = judged(job, "ends.open")
    assert (code, verdict, counts) == (1, "LOSS", {"missing_tail": 20}) and "transaction" not in reasons


def test_a_manifest_of_another_cluster_is_not_written_over(filled, job, pair):
    """As after a failover, when the region that is active now is saved where the lost one's manifest lies."""
    place = job.directory / "saved"
    assert job.manifest(place, "ends.short")[0] == 0
    before = (place / "manifest.json").read_bytes()
    code, told = support.Job(job.directory, pair["target"], pair["target"], job.spark).manifest(place, "ends.short")
    assert code == 2 and "was made of another cluster" in told and (place / "manifest.json").read_bytes() == before
    assert support.Job(job.directory, pair["source"], pair["target"], job.spark).manifest(place, "ends.short")[0] == 0
