# SPDX-License-Identifier: GPL-3.0-or-later
"""Where only ``v1`` is served, what was kept as ``v1beta2`` is made again; where both are, nothing but a mirror of the
older shape is touched through it.
"""

from __future__ import annotations

import copy

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.modules import strimzi_client_info
from tests.kubernetes.playing import Regions, kafka_resources
from tests.support.kubernetes import run

pytestmark = pytest.mark.kubernetes

API = "kafka.strimzi.io/v1"


def test_users_and_topics_are_written_with_the_version_that_is_not_deprecated(old, new):
    for cluster, served in ((old, {"v1", "v1beta2"}), (new, {"v1"})):
        found = run(
            strimzi_client_info.main,
            {
                "connection": {"kubeconfig": cluster.kubeconfig},
                "namespace": cluster.namespace(),
                "cluster": "main",
                "user": "stages",
            },
        )
        assert found["api_version"] == API and served <= set(found["served"])


def test_a_cluster_that_was_kept_in_an_older_version_is_made_again(new, tmp_path):
    regions = Regions({"north_america": new, "europe": new}, tmp_path)
    kept = copy.deepcopy(kafka_resources("main", "kafka.strimzi.io/v1beta2"))
    regions.role("kafka", "prepare", kafka_region="north_america", kafka_described={"resources": kept})
    here = regions.namespaces["north_america"]
    assert new.read(here, "main", "kafkas", API)["spec"]["kafka"]["listeners"] == kept[1]["spec"]["kafka"]["listeners"]
    assert new.read(here, "dual", "kafkanodepools", API) is not None


def test_a_namespace_that_may_not_be_written_to_is_refused_before_anything_is(new, tmp_path):
    regions = Regions({"north_america": new, "europe": new}, tmp_path)
    nothing = {
        regions.namespaces["north_america"]: [{"apiGroups": [""], "resources": ["configmaps"], "verbs": ["get"]}]
    }
    regions.hosts["north_america"]["kafka_dr_kubernetes"].update(new.identity(tmp_path, nothing))
    # Who may not read where it is has to be told.
    regions.hosts["north_america"]["kafka_dr_client"] = {"bootstrap.servers": "kafka.example.com:9093"}
    played = regions.role("kafka", "prepare", fails=True, kafka_region="north_america")
    assert (
        "may not be written to" in played.output
        and "create kafkausers" in played.output
        and "RoleBinding" in played.output
    )


ROLL_OUT = {
    "mirror_described": "{{ described }}",
    "__mirror_pod": "witness-backup",
    "__mirror_manifests": (
        "{{ 'witness-backup' | streamsafe.kafka_dr.witness_manifests("
        "__mirror_place.namespace, 'lab', {'interval': said}, {'run.py': ''}) }}"
    ),
}


def test_a_check_of_what_is_rolled_out_needs_nothing_that_a_dry_run_does_not_return(new, tmp_path):
    regions = Regions({"north_america": new, "europe": new}, tmp_path)
    regions.hosts["europe"]["kafka_dr_kubernetes"]["witness_image"] = "lab"
    mirror = {
        "name": "Roll out",
        "vars": ROLL_OUT,
        "ansible.builtin.include_role": {"name": "streamsafe.kafka_dr.mirror", "tasks_from": "kubernetes/roll_out.yml"},
    }
    wait = {**ROLL_OUT, "mirror_operator_timeout": 2}
    here = regions.namespaces["europe"]
    assert regions.play([mirror], check=True, said=1).changed == 2
    assert new.read(here, "witness-backup", "deployments", "apps/v1") is None
    # No node runs its pod, so that the wait ends without one.
    assert "does not run after" in regions.play([{**mirror, "vars": wait}], fails=True, said=1).output
    first = new.read(here, "witness-backup", "deployments", "apps/v1")["metadata"]["generation"]
    assert regions.play([mirror], check=True, said=1).changed == 0
    assert regions.play([mirror], check=True, said=2).changed == 2, (
        "what changes rolls out a pod, which the check says too"
    )
    assert new.read(here, "witness-backup", "deployments", "apps/v1")["metadata"]["generation"] == first
