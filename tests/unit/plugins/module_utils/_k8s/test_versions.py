# SPDX-License-Identifier: GPL-3.0-or-later
"""Resources that were kept are written with a version that is served, and nothing of them is hidden on the way."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.kafka_changes import rights
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.kafka_resources import (
    hidden_in_v1,
    served_resources,
    shown_whole,
)

GROUP = "kafka.strimzi.io"
KINDS = ("Kafka", "KafkaNodePool", "KafkaTopic")


def kept(version):
    return [
        {"apiVersion": f"{GROUP}/{version}", "kind": kind, "metadata": {"name": "one"}, "spec": {}} for kind in KINDS
    ]


@pytest.mark.parametrize(
    "was, served, now",
    [
        ("v1beta2", ["v1"], {kind: "v1" for kind in KINDS}),
        ("v1beta2", ["v1", "v1beta2"], {"Kafka": "v1beta2", "KafkaNodePool": "v1beta2", "KafkaTopic": "v1"}),
        ("v1", ["v1", "v1beta2"], {kind: "v1" for kind in KINDS}),
        ("v1", ["v1beta2"], {kind: "v1beta2" for kind in KINDS}),
        ("v1beta2", [], {kind: "v1beta2" for kind in KINDS}),
    ],
)
def test_kept_resources_are_written_with_a_version_that_is_served(was, served, now):
    assert {one["kind"]: one["apiVersion"] for one in served_resources(kept(was), served)} == {
        kind: f"{GROUP}/{version}" for kind, version in now.items()
    }


def test_what_was_written_through_the_older_version_is_kept_as_that_shows_it():
    seen = kept("v1")
    wrote = [{"apiVersion": f"{GROUP}/v1beta2", "manager": "kubectl"}]
    seen[0]["metadata"]["managedFields"] = wrote
    # An operator's status is no field of anybody's.
    seen[1]["metadata"]["managedFields"] = [{**wrote[0], "subresource": "status"}]
    seen[2]["metadata"]["managedFields"] = wrote
    assert [one["kind"] for one in hidden_in_v1(seen)] == ["Kafka"]
    older = [{**one, "spec": {"jmxTrans": {}}} for one in kept("v1beta2")]
    assert [one["apiVersion"].split("/")[1] for one in shown_whole(seen, older)] == ["v1beta2", "v1", "v1"]


@pytest.mark.parametrize("how", ["add", "remove"])
def test_a_rule_of_the_older_version_is_written_as_the_newer_one_has_it(how):
    resource = {"type": "topic", "name": "orders", "patternType": "literal"}
    rules = [{"resource": resource, "operation": "Read"}, {"resource": resource}]
    assert rights(rules, [], how) == [{"resource": resource, "operations": ["Read"]}]
