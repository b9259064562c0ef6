# SPDX-License-Identifier: GPL-3.0-or-later
"""A mirror as a Deployment: passwords in the Secret alone, one worker at a time, and where it runs."""

from __future__ import annotations

import base64

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.mirror_deployment import (
    mirror_manifests,
    mirror_place,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.properties import parse_properties

MIRROR = {"name": "backup", "source": "na", "target": "eu", "topics": ["orders"], "groups": ["shop"]}
CLIENT = {
    "bootstrap.servers": "b:9093",
    "security.protocol": "SASL_SSL",
    "sasl.mechanism": "SCRAM-SHA-512",
    "sasl.username": "kdr-mirror",
}
SECRETS = {"na": {"sasl.password": "swordfish"}, "eu": {"sasl.password": "marlin"}}
REGION = {
    "kafka_dr_mirror_platform": "deployment",
    "kafka_dr_mirror_deployment": {"image": "kafka:4", "namespace": "mm2", "context": "eu"},
}


def manifests(**fields):
    described = {**REGION["kafka_dr_mirror_deployment"], **fields}
    place = mirror_place(
        {**REGION, "kafka_dr_java_options": "-Da='1 2' -Db=c", "kafka_dr_mirror_deployment": described}, "eu"
    )
    return mirror_manifests(MIRROR, {"na": CLIENT, "eu": CLIENT}, SECRETS, place)


def test_passwords_are_in_the_secret_and_nowhere_else():
    settings, secret, deployment = manifests()
    assert "swordfish" not in str(settings) + str(deployment) and "marlin" not in str(settings) + str(deployment)
    kept = parse_properties(base64.b64decode(secret["data"]["secrets.properties"]).decode())
    assert kept == {"na.sasl.password": "swordfish", "eu.sasl.password": "marlin"}
    read = parse_properties(settings["data"]["mm2.properties"])
    assert "${file:/etc/kafka-dr/secrets/secrets.properties:na.sasl.password}" in read["na.sasl.jaas.config"]
    assert read["eu.exactly.once.source.support"] == "enabled" and read["listeners"] == "http://127.0.0.1:8083"


def test_one_worker_at_a_time_that_may_do_nothing_on_its_node():
    deployment = manifests()[2]
    pod = deployment["spec"]["template"]["spec"]
    assert (deployment["spec"]["replicas"], deployment["spec"]["strategy"]) == (1, {"type": "Recreate"})
    assert pod["automountServiceAccountToken"] is False and pod["securityContext"]["runAsNonRoot"] is True
    command = pod["containers"][0]["command"]
    assert (
        command[:4] == ["java", "-Xmx1g", "-Da=1 2", "-Db=c"] and command[-1] == "/etc/kafka-dr/settings/mm2.properties"
    )


def test_other_fields_are_laid_over_it():
    deployment = manifests(fields={"spec": {"template": {"metadata": {"annotations": {"meter": "on"}}}}})[2]
    assert (
        deployment["spec"]["template"]["metadata"]["annotations"] == {"meter": "on"}
        and deployment["spec"]["template"]["metadata"]["labels"]
    )


def test_where_it_runs_is_taken_from_the_cluster_unless_it_is_said():
    cluster = {"kafka_dr_kubernetes": {"context": "c", "namespace": "kafka", "cluster": "main", "witness_image": "w"}}
    assert mirror_place(cluster, "eu")["stop_by"] == "state"
    here = mirror_place(
        {**cluster, "kafka_dr_mirror_platform": "deployment", "kafka_dr_mirror_deployment": {"image": "i"}}, "eu"
    )
    assert (here["connection"], here["namespace"], here["witness_image"]) == ({"context": "c"}, "kafka", "w")
    there = mirror_place({**cluster, **REGION}, "eu")
    assert (there["connection"], there["namespace"]) == ({"context": "eu"}, "mm2")


@pytest.mark.parametrize(
    "described, words",
    [
        ({"namespace": "a"}, "no image"),
        ({"image": "a"}, "no namespace"),
        ({"image": "a", "nmespace": "b"}, "unknown nmespace"),
    ],
)
def test_what_is_missing_is_named(described, words):
    with pytest.raises(UsageError, match=words):
        mirror_place({"kafka_dr_mirror_platform": "deployment", "kafka_dr_mirror_deployment": described}, "eu")
