# SPDX-License-Identifier: GPL-3.0-or-later
"""A manifest in an object store: saved, looked at, compared with and translated by, over S3's own protocol."""

from __future__ import annotations

import time

import pytest
from confluent_kafka import Producer

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._manifest.scan import ManifestRecords
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2 import codec, witness
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.manifest_info import manifest_info
from tests.support.object_store import VARIABLES, ObjectStore
from tests.support.offsets_lab import POSITIONS, translate

from . import support
from .support import some

pytestmark = [pytest.mark.real, pytest.mark.full]
SYNCS = "mm2-offset-syncs.a.internal"
ROWS = some(500, headers=())


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    patched = pytest.MonkeyPatch()
    for name, value in VARIABLES.items():
        patched.setenv(name, value)
    made = ObjectStore(tmp_path_factory.mktemp("store") / "log")
    yield made
    made.stop()
    patched.undo()


def test_a_manifest_in_an_object_store_is_read_by_job_and_modules(pair, tmp_path, store):
    support.create(pair["source"], {"stored": (1, {})})
    support.create(pair["target"], {"stored": (1, {}), POSITIONS: (1, {}), SYNCS: (1, {})})
    support.write(pair["source"], {"stored": ROWS})
    support.write(pair["target"], {"stored": ROWS[:490]})
    where = store.uri("manifests/north_america")
    assert not manifest_info({"manifest": where, "topics": []})["readable"]
    # Workers take the environment of the process that starts Spark.
    job = support.Job(tmp_path, pair["source"], pair["target"])
    code, told = job.manifest(where, "stored")
    assert code == 0, told
    found = manifest_info({"manifest": where, "topics": ["stored", "elsewhere"]})
    assert (found["readable"], found["uncovered"]) == (True, ["elsewhere"]), found
    code, report, errors = job.compare("stored", "--manifest", where, "--wait-seconds", "0", source=False)
    assert (code, report["verdict"], report["totals"]["missing_tail"]) == (1, "LOSS", 10), errors
    assert len(ManifestRecords(where).scan("stored", 0, 0, 500).digests) == 500
    witnessed(pair["target"], "readers", 250)
    plan = translate(
        None, pair["target"], check=True, topics="stored", manifest=where, target_ends={"stored": {"0": 490}}
    )["plan"]
    assert [(row["group"], row["to"], row["confidence"]) for row in plan] == [("readers", 250, "exact_verified")]


def witnessed(target, group, position):
    """What a mirror and a witness of the lost source leave on its target: pairs of offsets around the position, and the
    position.
    """
    now = int(time.time() * 1000)
    producer = Producer(target.client)
    for place in (100, 400):
        key, value = codec.encode_offset_sync(codec.OffsetSync("stored", 0, place, place))
        producer.produce(SYNCS, value, key, 0)
    for key, value in (witness.encode_group(group, now, {"stored": {0: position}}), witness.encode_round(now, 0, 1, 1)):
        producer.produce(POSITIONS, value, key, 0)
    assert producer.flush(30) == 0
