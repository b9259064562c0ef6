# SPDX-License-Identifier: GPL-3.0-or-later
"""Stopping a mirror whose source is dead, behind an operator that looks again only at a change of the resource or with
its period.
"""

from __future__ import annotations

import pytest

from kafka_dr_lab.kubernetes.operator.loop import Operator
from tests.kubernetes.playing import Regions
from tests.kubernetes.test_roles import SET_UP

pytestmark = [pytest.mark.kubernetes, pytest.mark.full]

MIRROR = {"mirror_described": "{{ described }}"}
API = "kafka.strimzi.io/v1"


@pytest.fixture(scope="module")
def regions(new, tmp_path_factory):
    """Two regions whose mirror lost its source; the operator's period is longer than any wait."""
    if new.plane is None:
        pytest.skip("needs the stand-in operator")
    directory = tmp_path_factory.mktemp("stop")
    operator = Operator(new.kubeconfig, directory / "operator", period=3600).start()
    made = Regions({"north_america": new, "europe": new}, directory)
    made.hosts["north_america"].pop("kafka_dr_applications")
    made.operator = operator
    made.limit_rights()
    made.play(SET_UP[:-1])
    {key[0]: one for key, one in operator.brokers.items()}[made.namespaces["north_america"]].kill()
    yield made
    operator.stop()


def mirror(regions):
    return regions.places["europe"].read(regions.namespaces["europe"], "backup", "kafkamirrormaker2s", API)


def states(regions):
    return {one["connector"]["state"] for one in mirror(regions)["status"].get("connectors") or []}


def steer(regions, state, **source):
    """Give the connectors this state, as somebody with ``kubectl edit`` would."""
    flow = mirror(regions)["spec"]["mirrors"][0]
    flow.update({key: {**value, "state": state} for key, value in flow.items() if key.endswith("Connector")})
    flow["source"].update(source)
    regions.places["europe"].merge(
        regions.namespaces["europe"], "backup", {"spec": {"mirrors": [flow], "replicas": 1}}, "kafkamirrormaker2s", API
    )


def test_a_mirror_of_a_dead_source_is_stopped_without_the_operators_period(regions):
    regions.role("mirror", "stop", **MIRROR)
    status = mirror(regions)["status"]
    assert states(regions) == {"STOPPED"} or status["replicas"] == 0
    again = regions.role("mirror", "stop", **MIRROR)
    assert again.changed == 0, again.output


def test_connectors_that_failed_are_stopped_with_their_worker(regions):
    """The operator never asks a failed connector to stop, and its tasks may still copy."""
    steer(regions, "running", bootstrapServers="region-that-was.invalid:9093")
    regions.places["europe"].until(lambda: "FAILED" in states(regions), "the connectors to fail", 120)
    regions.role("mirror", "stop", **MIRROR)
    stopped = mirror(regions)
    assert stopped["spec"]["replicas"] == 0 and stopped["status"]["replicas"] == 0
    assert {one["state"] for field, one in stopped["spec"]["mirrors"][0].items() if field.endswith("Connector")} == {
        "stopped"
    }
    assert [worker for key, worker in regions.operator.workers.items() if key[0] == regions.namespaces["europe"]] == []
