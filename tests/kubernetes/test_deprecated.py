# SPDX-License-Identifier: GPL-3.0-or-later
"""Where ``v1beta2`` is served beside ``v1``, every request of it is answered with a deprecation warning: a mirror's is
the only one.
"""

from __future__ import annotations

import re

import pytest

from kafka_dr_lab.kubernetes.operator.loop import Operator
from tests.kubernetes.playing import Regions
from tests.kubernetes.test_roles import SET_UP, SWITCH

pytestmark = [pytest.mark.kubernetes, pytest.mark.full]

MIRRORS = "kafkamirrormaker2s"
COUNTED = re.compile(
    r'^apiserver_request_total\{(?=[^}]*group="kafka\.strimzi\.io")(?=[^}]*version="v1beta2")'
    r'[^}]*[{,]resource="(\w+)"[^}]*verb="(\w+)"[^}]*\} (\d+)',
    re.M,
)
BACKUP = {"definition_region": "north_america", "definition_backup": "europe"}


def requests(cluster):
    """How often each resource was asked for through the older version, as ``{(resource, verb): count}``."""
    found = {}
    for resource, verb, count in COUNTED.findall(cluster.plane.get("/metrics", timeout=30)):
        found[resource, verb] = found.get((resource, verb), 0) + int(count)
    return found


def test_nothing_but_a_mirror_is_asked_for_through_the_deprecated_version(old, tmp_path):
    if old.plane is None:
        pytest.skip("needs the stand-in operator, and the API server's metrics")
    operator = Operator(old.kubeconfig, tmp_path / "operator").start()
    try:
        regions = Regions({"north_america": old, "europe": old}, tmp_path)
        regions.hosts["north_america"].pop("kafka_dr_applications")
        regions.hosts["north_america"]["kafka_dr_kubernetes"]["backup"] = {
            "kubeconfig": old.kubeconfig,
            "namespace": old.namespace("kept"),
        }
        before = requests(old)
        keep = {
            "name": "Keep",
            "ansible.builtin.include_role": {"name": "streamsafe.kafka_dr.definition", "tasks_from": "keep.yml"},
            "vars": BACKUP,
        }
        # Of v1 there is no heartbeat connector, and so no heartbeat to be missed.
        examine = {
            "name": "Examine",
            "ansible.builtin.include_role": {"name": "streamsafe.kafka_dr.doctor"},
            "vars": {"doctor_fail_on": "never"},
        }
        played = regions.play(
            [*SET_UP[:-1], keep, examine, *(one for one in SWITCH if "applications" not in one["name"])]
        )
        after = requests(old)
    finally:
        operator.stop()
    asked = {key for key, count in after.items() if count > before.get(key, 0)}
    assert {resource for resource, dummy in asked} <= {MIRRORS}, asked
    # The stand-in reads it, and writes its status, through that version; nobody else writes.
    assert {verb for dummy, verb in asked} <= {"GET", "LIST", "PATCH", "APPLY"}
    assert "heartbeat-missing" not in played.output and "mirror-not-running" not in played.output
    assert "is deprecated" not in played.output.replace("KafkaMirrorMaker2 API is deprecated", "")
