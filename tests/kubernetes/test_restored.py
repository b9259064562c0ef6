# SPDX-License-Identifier: GPL-3.0-or-later
"""A region is lost for good and made again from its backup, where ``v1beta2`` is served beside ``v1`` and its owner
keeps a topic in the older version. Each stage is played as a check before. Long: ``make test-kubernetes``.
"""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.client import object_path
from kafka_dr_lab.kubernetes.operator.loop import Operator
from tests.kubernetes.playing import Regions, stage
from tests.kubernetes.test_deprecated import MIRRORS, requests
from tests.kubernetes.test_turned import CREATE, OWNED, Orders

pytestmark = [pytest.mark.kubernetes, pytest.mark.full]

API, OLDER = "kafka.strimzi.io/v1", "kafka.strimzi.io/v1beta2"
LOOKED_AT = (
    *((API, plural) for plural in ("kafkas", "kafkanodepools", "kafkatopics", "kafkausers", "kafkamirrormaker2s")),
    *(("v1", plural) for plural in ("secrets", "configmaps")),
    ("apps/v1", "deployments"),
)
STAGES = {
    "initial_setup": {
        "initial_setup_source": "north_america",
        "initial_setup_target": "europe",
        "initial_setup_backup": True,
    },
    "recreate_from_backup": {"recreate_from_backup_region": "north_america", "recreate_from_backup_from": "europe"},
    "resume": {"resume_region": "north_america", "resume_from": "europe"},
    "new_backup": {"new_backup_region": "north_america", "new_backup_to": "europe"},
}


@pytest.fixture
def regions(old, tmp_path):
    """Two regions, of accounts that have what the playbook ``rbac`` writes, and a namespace for what is kept."""
    if old.plane is None:
        pytest.skip("needs the stand-in operator, and the API server's metrics")
    operator = Operator(old.kubeconfig, tmp_path / "operator").start()
    made = Regions({"north_america": old, "europe": old}, tmp_path)
    made.mirror["topics"] = ["orders.*"]
    made.kept = old.namespace("kept")
    for name, host in made.hosts.items():
        host.pop("kafka_dr_applications", None)
        host["kafka_dr_kafka"]["resources"] += [{**OWNED, "apiVersion": OLDER}] * (name == "north_america")
    made.hosts["north_america"]["kafka_dr_kubernetes"]["backup"] = {
        "kubeconfig": old.kubeconfig,
        "namespace": made.kept,
    }
    (tmp_path / "work").mkdir()
    made.limit_rights()
    yield made
    operator.stop()


def objects(regions):
    """Everything that a stage could have changed, as ``{place: what its owner wrote}``."""
    cluster = regions.places["europe"]
    return {
        (namespace, plural, one["metadata"]["name"]): [one.get(part) for part in ("spec", "data", "type")]
        + [one["metadata"].get(part) for part in ("labels", "annotations", "finalizers")]
        for namespace in (*regions.namespaces.values(), regions.kept)
        for version, plural in LOOKED_AT
        for one in cluster.client.list(object_path(version, plural, namespace))
    }


def play(regions, name):
    """A check, which changes nothing, then the stage."""
    before = objects(regions)
    regions.play([stage(name, **STAGES[name])], check=True)
    assert objects(regions) == before, f"a check of {name} changed something"
    regions.play([stage(name, **STAGES[name])])


def lose(regions):
    """The region's namespace goes, and its owner makes an empty one again, with the rights of the stages in it."""
    cluster, namespace = regions.places["north_america"], regions.namespaces["north_america"]
    path = object_path("v1", "namespaces", name=namespace)
    cluster.client.delete(path)
    cluster.until(lambda: cluster.read(namespace, "main", "kafkas", API) is None, "the cluster to be gone", 60)
    topics = object_path(API, "kafkatopics", namespace)
    for one in cluster.client.list(topics):
        cluster.merge(namespace, one["metadata"]["name"], {"metadata": {"finalizers": None}}, "kafkatopics", API)
    cluster.until(lambda: cluster.client.get(path) is None, "the namespace to be gone", 60)
    cluster.client.create(
        object_path("v1", "namespaces"), {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": namespace}}
    )
    regions.limit_rights()


def test_a_region_that_was_kept_in_an_older_version_is_made_again(regions):
    cluster, orders = regions.places["europe"], Orders(regions)
    regions.play([CREATE])
    play(regions, "initial_setup")
    orders.produce("north_america", 300)
    orders.arrive("europe")
    lose(regions)

    before = requests(cluster)
    play(regions, "recreate_from_backup")
    orders.arrive("north_america")
    play(regions, "resume")
    play(regions, "new_backup")
    asked = {key for key, count in requests(cluster).items() if count > before.get(key, 0)}
    assert {resource for resource, dummy in asked} <= {MIRRORS}, asked

    topic = cluster.read(regions.namespaces["north_america"], "orders", "kafkatopics", API)
    assert topic["metadata"].get("annotations", {}).get("strimzi.io/managed") is None
    spec = topic["spec"]
    assert (spec["partitions"], str(spec["config"]["retention.ms"])) == (2, "3600000")
    orders.produce("north_america", 50)
    orders.arrive("europe")
