# SPDX-License-Identifier: GPL-3.0-or-later
"""An empty cluster in the place of the lost one tells the witness nothing: what is known of the groups is what the lost
one said.
"""

from __future__ import annotations

import json
import shutil
import time
import uuid

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.distinct import cluster_id
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.mm2_topics import read_witness
from tests.support import offsets_lab as lab
from tests.support import traffic
from tests.support.kafka import clusters

pytestmark = pytest.mark.real
TOPIC = ("t", 1, {})


@pytest.fixture
def pair(tmp_path):
    made = clusters(["a", "b"], tmp_path)
    lab.create(made["a"], TOPIC)
    lab.prepare_target(made["b"])
    traffic.Writer(made["a"], "t", partitions=1).write(20)
    lab.set_positions(made["a"], "t", {"readers": {0: 7}})
    yield made["a"], made["b"]
    for one in made.values():
        one.stop()


def known(target):
    return read_witness(KafkaClient(target.client, timeout=30), lab.POSITIONS)


def what_was_known_stays(target):
    # Rounds are a second apart.
    time.sleep(6)
    found = known(target)
    assert found["groups"]["readers"]["positions"] == {"t": {0: 7}}, found
    assert found["ends"] == {"t": {"0": 20}}


def test_positions_outlive_an_empty_cluster_and_a_new_start_of_the_witness(pair, tmp_path):
    source, target = pair
    begun = [lab.WitnessProcess(tmp_path / "witness", source, target, interval=1)]
    try:
        lab.until(lambda: "readers" in known(target)["groups"], 60)
        source.stop()
        shutil.rmtree(source.directory / "data")
        source.cluster_id = uuid.uuid4().hex[:22]
        source.start()
        lab.create(source, TOPIC)
        what_was_known_stays(target)
        begun[-1].stop()
        begun.append(lab.WitnessProcess(tmp_path / "again", source, target, interval=1))
        lab.until(lambda: any("answers in the place of" in line for line in begun[-1].lines()), 60)
        what_was_known_stays(target)
        # As the stage does that starts a mirror of the new one.
        begun[-1].stop()
        lab.set_positions(source, "t", {"new": {0: 0}})
        begun.append(
            lab.WitnessProcess(
                tmp_path / "named", source, target, interval=1, source_cluster=cluster_id(KafkaClient(source.client))
            )
        )
        lab.until(lambda: set(known(target)["groups"]) == {"new"}, 60)
        assert (
            json.loads((tmp_path / "named" / "witness.json").read_text())["source_cluster"] == known(target)["cluster"]
        )
    finally:
        for one in begun:
            one.stop()
