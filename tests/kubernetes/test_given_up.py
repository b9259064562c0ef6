# SPDX-License-Identifier: GPL-3.0-or-later
"""A planned move on Kubernetes that is given up because its target is lost, API server and all. Long:
``make test-kubernetes``.
"""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError
from kafka_dr_lab.kubernetes.operator.loop import Operator
from tests.kubernetes.playing import Regions, stage
from tests.kubernetes.test_turned import CREATE, move
from tests.support.kubernetes import Cluster

pytestmark = [pytest.mark.kubernetes, pytest.mark.full]


@pytest.fixture
def regions(new, tmp_path):
    """Two regions with an API server each; ``lose`` takes that of europe, and all that runs there."""
    if new.plane is None:
        pytest.skip("needs the stand-in operator")
    there = Cluster.start(tmp_path / "europe", "europe").install("1.2.0")
    operators = [
        Operator(one.kubeconfig, tmp_path / f"{name}-operator").start() for name, one in (("a", new), ("b", there))
    ]
    made = Regions({"north_america": new, "europe": there}, tmp_path)
    for host in made.hosts.values():
        host.pop("kafka_dr_applications", None)
        host["kafka_dr_kubernetes"]["witness_image"] = "lab"
    (tmp_path / "work").mkdir()
    made.limit_rights()

    def lose() -> None:
        operators.pop().stop()
        there.kill()

    made.lose = lose
    yield made
    for one in operators:
        one.stop()
    there.stop()


def may_write(regions: Regions) -> bool:
    """Whether the application may, in the source."""
    producer = regions.kafka("north_america", "shop-producer").producer(message_timeout_ms=15000)
    try:
        producer.produce("orders", b"{}")
        producer.flush(30)
    except KafkaDrError:
        return False
    return True


def test_the_applications_may_write_in_the_source_again(regions):
    regions.play([CREATE])
    regions.play([stage("initial_setup", initial_setup_source="north_america", initial_setup_target="europe")])
    assert may_write(regions)
    # It ends after the fence, where its proof cannot begin.
    cut_off = move("north_america", "europe", failover_reverse=False, proof_master="nowhere")
    said = regions.play(cut_off, fails=True).output
    assert not may_write(regions), said[-3000:]
    regions.lose()
    given_up = {"abort_move_source": "north_america", "abort_move_target": "europe"}
    said = regions.play([stage("abort_move", **given_up)], fails=True).output
    assert "europe its ledger cannot be read" in " ".join(said.split()), said[-3000:]
    given_up["abort_move_accept_elsewhere"] = ["europe"]
    regions.play([stage("abort_move", **given_up)], check=True)
    assert not may_write(regions)
    said = regions.play([stage("abort_move", **given_up)]).output
    assert "The move to europe is given up" in " ".join(said.split()), said[-3000:]
    assert may_write(regions)
    # The operator keeps what was given back.
    user = regions.places["north_america"].read(
        regions.namespaces["north_america"], "shop-producer", "kafkausers", "kafka.strimzi.io/v1"
    )
    assert any("Write" in one["operations"] for one in user["spec"]["authorization"]["acls"]), user["spec"]
