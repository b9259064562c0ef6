# SPDX-License-Identifier: GPL-3.0-or-later
"""What is missing in a region is said before anybody connects, and a region that lives is never taken for a lost one
because its user is missing.
"""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.client import object_path
from tests.kubernetes.playing import Regions, kafka_resources

pytestmark = pytest.mark.kubernetes

API = "kafka.strimzi.io/v1"
ADDRESS = "kafka-that-lives.example.com:9093"


def look(*lost):
    """Tasks that check both regions, and say where the first one is."""
    check = {
        "name": "Check",
        "ansible.builtin.include_role": {"name": "streamsafe.kafka_dr.preflight", "tasks_from": "regions.yml"},
        "vars": {"preflight_regions": ["north_america"], "preflight_may_be_lost": list(lost)},
    }
    return [
        check,
        {
            "name": "Say",
            "ansible.builtin.debug": {
                "msg": "it is at {{ hostvars.north_america.kafka_dr_client['bootstrap.servers'] }}"
            },
        },
    ]


def test_what_a_region_lacks_is_named_and_decides_nothing(new, tmp_path):
    regions = Regions({"north_america": new, "europe": new}, tmp_path)
    here = regions.namespaces["north_america"]
    assert f"Kafka '{here}/main' to exist" in regions.play(look(), fails=True).output
    output = regions.play(look("north_america")).output
    # The output is YAML, whose lines are folded and whose quotes are doubled.
    told = " ".join(output.split()).replace("''", "'")
    assert "region-lost.invalid" in told and f"Waited for: Kafka '{here}/main' to exist" in told
    assert "north_america counts as a region that does not answer: its operator names no address" in told

    new.client.create(object_path(API, "kafkas", here), kafka_resources("main", API)[1])
    status = {
        "observedGeneration": 1,
        "conditions": [{"type": "NotReady", "status": "True", "reason": "Creating", "message": "no broker is up"}],
    }
    path = object_path(API, "kafkas", here, "main", "status")
    new.client.request("PATCH", path, {"status": status}, content_type="application/merge-patch+json")
    output = regions.play(look(), fails=True).output
    assert "cannot be used yet" in output and "no broker is up" in output and "region-lost.invalid" not in output

    listener = {"name": "tls", "bootstrapServers": ADDRESS, "certificates": ["PEM"]}
    new.client.request(
        "PATCH", path, {"status": {**status, "listeners": [listener]}}, content_type="application/merge-patch+json"
    )
    output = regions.play(look(), fails=True).output
    assert "Create KafkaUser 'kdr-stages' of cluster 'main'" in output and "streamsafe.kafka_dr.rbac" in output
    # It may be lost: whether it is, its brokers say, at their address.
    assert f"it is at {ADDRESS}" in regions.play(look("north_america")).output

    new.secret(here, "kdr-stages")
    assert f"it is at {ADDRESS}" in regions.play(look()).output
