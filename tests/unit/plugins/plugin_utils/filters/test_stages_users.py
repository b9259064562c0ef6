# SPDX-License-Identifier: GPL-3.0-or-later
"""Which KafkaUsers of the stages are printed for which cluster."""

from __future__ import annotations

from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.filters.kafka_resources import stages_users


def region(cluster: str, **context: str) -> dict[str, object]:
    """A region on Kubernetes with a user for the stages."""
    return {
        "kafka_dr_platform": "kubernetes",
        "kafka_dr_kubernetes": {"namespace": "kafka", "cluster": cluster, **context},
        "kafka_dr_users": [{"name": "kdr-stages", "purpose": "stages"}],
    }


def test_the_stages_user_is_printed_for_the_cluster_of_its_region():
    regions = {"na": region("main", context="na"), "eu": region("second", context="eu")}
    (user,) = stages_users(regions, region="eu")
    assert user["metadata"]["labels"]["strimzi.io/cluster"] == "second"
    assert len(stages_users({"na": region("main"), "eu": region("main")}, region="eu")) == 2
