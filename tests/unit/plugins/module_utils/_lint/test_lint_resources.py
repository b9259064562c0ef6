# SPDX-License-Identifier: GPL-3.0-or-later
"""Traps in KafkaMirrorMaker2 resources."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.mirror_versions import API_VERSIONS
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._lint import lint
from tests.support.linted import IDENTITY, resource, rules


def test_policy_on_one_connector_only():
    made = resource()
    del made["spec"]["mirrors"][0]["checkpointConnector"]["config"]["replication.policy.class"]
    assert "policy-differs" in rules(made, "error")


def test_offset_syncs_in_two_places():
    made = resource()
    made["spec"]["mirrors"][0]["checkpointConnector"]["config"]["offset-syncs.topic.location"] = "source"
    assert "offset-syncs-split" in rules(made, "error")


def test_no_checkpoint_connector():
    made = resource()
    del made["spec"]["mirrors"][0]["checkpointConnector"]
    assert "no-checkpoints" in rules(made, "warning")


def test_fields_of_both_versions():
    made = resource()
    made["spec"]["connectCluster"] = "b"
    assert "shapes-mixed" in rules(made, "error")
    assert "shape-of-other-version" in rules(
        {**resource("kafka.strimzi.io/v1beta2"), "apiVersion": "kafka.strimzi.io/v1"}, "error"
    )
    assert "shape-of-other-version" in rules({**resource(), "apiVersion": "kafka.strimzi.io/v1beta2"}, "error")


def test_connect_at_the_source():
    made = resource("eventstreams.ibm.com/v1beta2")
    made["spec"]["connectCluster"] = "a"
    assert "connect-not-at-target" in rules(made, "error")


def test_old_field_names_of_a_resource_and_tasks_in_the_wrong_place():
    made = resource("kafka.strimzi.io/v1beta2")
    made["spec"]["mirrors"][0]["topicsBlacklistPattern"] = "x"
    made["spec"]["mirrors"][0]["sourceConnector"]["config"]["tasks.max"] = 4
    assert {"old-name", "tasks-max-unheard"} <= rules(made)


def test_exactly_once_at_the_source_cluster():
    made = resource("kafka.strimzi.io/v1beta2")
    made["spec"]["clusters"][0]["config"] = {"exactly.once.source.support": "enabled"}
    assert "exactly-once-unheard" in rules(made, "error")


class TestDefectsOfAKnownSetOfTemplates:
    """A widely copied set of templates has ten defects; those of configuration are found in its like, and never in
    ours.
    """

    @pytest.fixture
    def template(self):
        common = {"replication.policy.class": IDENTITY, "offset-syncs.topic.location": "target"}
        return {
            "apiVersion": "eventstreams.ibm.com/v1beta2",
            "kind": "KafkaMirrorMaker2",
            "spec": {
                "connectCluster": "b",
                "clusters": [
                    {"alias": "a", "bootstrapServers": "a:9092"},
                    {
                        "alias": "b",
                        "bootstrapServers": "b:9092",
                        "config": {
                            "exactly.once.source.support": "enabled",
                            "ssl.endpoint.identification.algorithm": "",
                        },
                    },
                ],
                "mirrors": [
                    {
                        "sourceCluster": "a",
                        "targetCluster": "b",
                        "topicsPattern": ".*",
                        "sourceConnector": {
                            "config": {**common, "refresh.topics.interval.seconds": 600000, "offset.lag.max": 1}
                        },
                        "checkpointConnector": {"config": {**common, "refresh.groups.interval.seconds": 600000}},
                    }
                ],
            },
        }

    @pytest.mark.parametrize("rule", ["interval-unit", "offset-lag-max", "isolation", "name-not-verified"])
    def test_found_there(self, template, rule):
        assert rule in rules(template)

    def test_the_interval_is_said_in_days(self, template):
        found = [one["found"] for one in lint(template) if one["rule"] == "interval-unit"]
        assert found == ["600000 s, which is 6.94 days"] * 2

    def test_every_second_record_and_nothing_about_completeness(self, template):
        reason = next(one["reason"] for one in lint(template) if one["rule"] == "offset-lag-max")
        assert "second record" in reason and "never how much is copied" in reason

    @pytest.mark.parametrize("version", API_VERSIONS)
    def test_never_in_ours(self, version):
        assert not {"interval-unit", "offset-lag-max", "isolation", "name-not-verified"} & rules(resource(version))
