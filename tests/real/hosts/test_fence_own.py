# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster's own administrators, whom the gates of a fence know, are no strangers when it is verified either."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import ensure_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from tests.real.hosts.moved import STRAY, THERE

pytestmark = pytest.mark.real


def test_an_acl_that_the_collection_s_own_administrator_has_left_stops_no_fence(world):
    world.hosts["na"]["kafka_dr_platform"] = "host"
    world.hosts["na"]["kafka_dr_super_users"] = ["User:stages", "User:ANONYMOUS"]
    world.hosts["na"]["kafka_dr_kafka"] = {"name": "na", "directory": str(world.brokers["na"].directory)}
    left = {"principal": "admin", "resource": "topic", "name": "*", "operations": ["ALL"]}
    ensure_acls(KafkaClient(world.brokers["na"].client), [*STRAY, left], "present", False)
    said = world.run("streamsafe.kafka_dr.fence", THERE, fence_region="na", fence_survivor="eu")
    assert world.rights() == [] and "FENCED" in said.upper(), said[-2000:]
