# SPDX-License-Identifier: GPL-3.0-or-later
"""What somebody else wrote among the state: a look at the mirror names it, believes nothing, and says all the rest."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.writer import write
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2 import witness
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages.backup_status import backup_status
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import witnessing
from tests.real.proof.support import create, some
from tests.support.offsets_lab import info

from .watching import Watching, watch_of

pytestmark = pytest.mark.real

LIMITS = {"heartbeat": 120, "witness": 60, "proof": 3600, "lag": 100}
STRANGE = {
    "key": (b'["watch"]', b"{}"),
    "value": (b'["confirmed","w.foreign.value","w.foreign.value",0]', b"{"),
    "version": (b'["difference","w.foreign.version","w.foreign.version",0,0]', b'{"v":9}'),
}


@pytest.mark.parametrize("name", STRANGE)
def test_a_strange_record_is_a_finding(pair, name):
    topic, record = f"w.foreign.{name}", STRANGE[name]
    watching = watch_of(pair, topic)
    watching.write("source", some(10, headers=()))
    watching.rounds()
    target = KafkaClient(pair["target"].client)
    asked = {"topics": topic, "watch": topic, "source_alias": "america", "target_alias": "europe", "until_watch": True}
    asked["max_watch_age"] = 30
    write(target, "__kafka_dr_windows", [(0, *record)])
    try:
        found = info(pair["source"], pair["target"], **asked)
        assert found["watch"] is None and "no watch wrote" in found["watch_unreadable"]
        assert not found["ready"] and "cannot be read" in found["waiting_for"]
        assert found["partitions"][0]["source_end"] == 10
        status = backup_status(found, {"active_region": "america"}, [], LIMITS, "america", "europe", watched=True)
        (finding,) = [finding for finding in status["findings"] if finding["what"] == "watch"]
        assert "cannot be read" in finding["message"] and "null value for its key" in finding["message"]
        assert "never" not in finding["message"]
    finally:
        write(target, "__kafka_dr_windows", [(0, record[0], None)])
        # What its own record said is lost.
        watching.open(begin_anew=name == "value").rounds()
    found = info(pair["source"], pair["target"], **asked)
    assert found["watch"]["round"] > 0 and found["watch_unreadable"] is None


def test_the_witness_is_shown_and_never_judges(pair):
    topic, positions = "w.witness", "__kafka_dr_positions_w"
    for cluster in pair.values():
        create(cluster, {topic: (1, {})})
    target = KafkaClient(pair["target"].client)
    watching = Watching(pair, topic, positions_topic=positions)
    watching.write("source", some(10, headers=()))
    watching.write("target", some(10, headers=()))
    # Not even its topic is there.
    assert watching.open().watch.round().witness_at is None
    create(pair["target"], {positions: (1, {"cleanup.policy": "compact"})})
    write(target, positions, [(0, *witness.encode_round(at, 0, 1, 0)) for at in (5000, 7000)])
    assert watching.open().watch.round().witness_at == 7000
    watching.watch.witness._looked = -witnessing.SECONDS
    write(target, positions, [(0, b"strange", b"{")])
    assert watching.watch.round().witness_at == 7000, "what was known grows old"
    assert watching.rounds().partitions[topic, 0].through == (10, 10)
