# SPDX-License-Identifier: GPL-3.0-or-later
"""A mirror without an operator: MirrorMaker 2 as a Deployment beside clusters that have one, with real records."""

from __future__ import annotations

import pytest

from kafka_dr_lab.kubernetes.operator.loop import Operator
from tests.kubernetes.playing import Regions
from tests.kubernetes.test_roles import SET_UP, ends, produce, produce_as_admin, role
from tests.support.kafka import JVM, free_ports, kafka_home

pytestmark = [pytest.mark.kubernetes, pytest.mark.full]

MIRROR = {"mirror_described": "{{ described }}"}


@pytest.fixture
def regions(new, tmp_path):
    """Two regions whose mirror is a Deployment in a namespace of its own, played with no right that is not needed."""
    if new.plane is None:
        pytest.skip("needs the stand-in for a node")
    operator = Operator(new.kubeconfig, tmp_path / "operator").start()
    made = Regions({"north_america": new, "europe": new}, tmp_path)
    made.operator = operator
    made.hosts["north_america"].pop("kafka_dr_applications")
    made.mirrors = new.namespace("mirrors")
    # In a test no node reads an image; what it would have is named here.
    made.hosts["europe"].update(
        {
            "kafka_dr_mirror_platform": "deployment",
            "kafka_dr_kafka_home": str(kafka_home()),
            "kafka_dr_mirror_rest_port": free_ports(1)[0],
            "kafka_dr_mirror_heap": "512m",
            "kafka_dr_java_options": " ".join(JVM),
            "kafka_dr_mirror_deployment": {
                "kubeconfig": new.kubeconfig,
                "namespace": made.mirrors,
                "image": "lab",
                "witness_image": "lab",
                "fields": {"spec": {"template": {"metadata": {"annotations": {"meter": "on"}}}}},
            },
        }
    )
    made.limit_rights()
    yield made
    operator.stop()


def deployment(regions, name="mirror-backup"):
    return regions.places["europe"].read(regions.mirrors, name, "deployments", "apps/v1")


def refuse_a_stop_under_argo_cd(regions):
    """A mirror that Argo CD keeps is refused to be stopped, and runs on."""

    def track(mark):
        metadata = {"annotations": {"argocd.argoproj.io/tracking-id": mark}}
        regions.places["europe"].merge(
            regions.mirrors, "mirror-backup", {"metadata": metadata}, "deployments", "apps/v1"
        )

    track("dr:apps/Deployment:mirrors/mirror-backup")
    refused = regions.role("mirror", "stop", fails=True, **MIRROR)
    assert (
        "would not stay stopped" in refused.output
        and "Argo CD" in refused.output
        and deployment(regions)["spec"]["replicas"] == 1
    )
    track(None)


def test_a_mirror_without_an_operator(regions):
    cluster = regions.places["europe"]
    set_up = [*SET_UP[:-1], role("mirror", "await_carrying", **MIRROR)]
    regions.play(set_up)
    source, target, producer = (
        regions.kafka("north_america"),
        regions.kafka("europe"),
        regions.kafka("north_america", "shop-producer"),
    )
    assert produce(producer, 200) == []
    cluster.until(lambda: sum(ends(target).values()) >= 200, "the records to arrive", 60)
    shown = str(deployment(regions)) + str(cluster.read(regions.mirrors, "mirror-backup", "configmaps"))
    assert source.config["sasl.password"] not in shown and "meter" in shown
    again = regions.play(set_up)
    assert again.changed == 0, again.output

    refuse_a_stop_under_argo_cd(regions)

    regions.role("mirror", "stop", **MIRROR)
    assert [
        (one["spec"]["replicas"], one["status"].get("replicas", 0))
        for one in (deployment(regions), deployment(regions, "witness-backup"))
    ] == [(0, 0), (0, 0)]
    held = ends(target)
    produce_as_admin(regions, "north_america", 50)
    assert ends(target) == held, "a stopped mirror copies nothing"

    regions.play([role("mirror", "start", **MIRROR), role("mirror", "await_carrying", **MIRROR)])
    cluster.until(lambda: sum(ends(target).values()) >= sum(held.values()) + 50, "the mirror to go on", 60)

    # A stop that was left to a later run.
    regions.role("mirror", "stop", mirror_left=["the Kubernetes cluster"], mirror_target_in_use=True, **MIRROR)
    assert deployment(regions)["spec"]["replicas"] == 0
    regions.play([role("mirror", "stop", **MIRROR), role("mirror", "remove", **MIRROR)])
    assert deployment(regions) is None and cluster.read(regions.mirrors, "mirror-backup") is None
    assert [name for name in target.metadata().topics if name.startswith("mm2")] == []
