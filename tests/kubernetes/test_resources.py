# SPDX-License-Identifier: GPL-3.0-or-later
"""Every rendered resource under the API server's strict validation in every version, and the pruning trap."""

from __future__ import annotations

import copy

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s import (
    kafka_resources,
    mirror_resource,
    mirror_state,
    mirror_versions,
    proof_job,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.client import ConflictError, object_path
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.access import service_acls

pytestmark = pytest.mark.kubernetes

MIRROR = {
    "name": "backup",
    "source": "na",
    "target": "eu",
    "topics": ["orders.*", "items,x"],
    "tuning": {"tasks_max": 2, "replication_factor": 3},
}
# Patterns that cover the ledger, from which its principal is kept out.
WIDE = {**MIRROR, "topics": [".*"], "groups": [".*"]}
SCRAM = {"security.protocol": "SASL_SSL", "sasl.mechanism": "SCRAM-SHA-512", "sasl.username": "mm2"}
CLIENTS = {region: {"bootstrap.servers": f"{region}:9093", **SCRAM} for region in ("na", "eu")}
SECRETS = {
    region: {"ca": {"secret": f"{region}-ca"}, "password": {"secret": f"{region}-mm2"}} for region in ("na", "eu")
}
FIELDS = {
    "spec": {
        "version": "4.1.1",
        "resources": {"requests": {"memory": "1Gi"}},
        "jvmOptions": {"-Xmx": "512m"},
        "logging": {"type": "inline", "loggers": {"rootLogger.level": "INFO"}},
        "template": {"pod": {"metadata": {"annotations": {"productMetric": "VIRTUAL_PROCESSOR_CORE"}}}},
        "mirrors": [{"sourceConnector": {"autoRestart": {"enabled": True, "maxRestarts": 5}}}],
    }
}
TLS = {region: {"bootstrap.servers": f"{region}:9093", "security.protocol": "SSL"} for region in ("na", "eu")}
TLS_SECRETS = {region: {"certificate": {"secret": "mm2"}} for region in ("na", "eu")}


def written(cluster, body, plural):
    """Create it, and read it back as the server keeps it."""
    path = object_path(body["apiVersion"], plural, body["metadata"]["namespace"])
    cluster.client.create(path, body)
    return cluster.client.get(f"{path}/{body['metadata']['name']}")


@pytest.mark.parametrize(
    "cluster,api_version",
    [
        ("new", mirror_versions.API_VERSIONS[0]),
        ("old", mirror_versions.API_VERSIONS[0]),
        ("old", mirror_versions.API_VERSIONS[1]),
        ("old", mirror_versions.API_VERSIONS[2]),
    ],
)
@pytest.mark.parametrize(
    "clients,secrets,fields", [(CLIENTS, SECRETS, {}), (CLIENTS, SECRETS, FIELDS), (TLS, TLS_SECRETS, {})]
)
def test_mirror_is_accepted_and_kept_whole(request, cluster, api_version, clients, secrets, fields):
    cluster = request.getfixturevalue(cluster)
    body = mirror_resource.mirror_resource(
        MIRROR, clients, secrets, api_version, namespace=cluster.namespace(), fields=fields
    )
    assert written(cluster, body, "kafkamirrormaker2s")["spec"] == body["spec"]


@pytest.mark.parametrize("cluster,version", [("new", "v1"), ("old", "v1"), ("old", "v1beta2")])
def test_kafka_users_topics_and_clusters_are_accepted(request, cluster, version):
    cluster = request.getfixturevalue(cluster)
    namespace, api_version = cluster.namespace(), f"kafka.strimzi.io/{version}"
    acls = [
        {"principal": "mm2", "resource": "topic", "name": "*", "operations": ["READ", "DESCRIBE_CONFIGS"]},
        {"principal": "User:mm2", "resource": "group", "name": "g-", "pattern": "prefixed", "operations": ["READ"]},
        {"principal": "mm2", "resource": "cluster", "operations": ["DESCRIBE", "IDEMPOTENT_WRITE"]},
        {"principal": "mm2", "resource": "transactional_id", "name": "t", "operations": ["WRITE"]},
        {"principal": "other", "resource": "topic", "name": "*", "operations": ["READ"]},
    ]
    user = kafka_resources.kafka_user({"name": "mm2"}, acls, "main", namespace, api_version, {"secret": "kept-mm2"})
    kept = written(cluster, user, "kafkausers")
    assert kept["spec"] == user["spec"] and len(user["spec"]["authorization"]["acls"]) == 4
    described = {"name": "Orders_New", "partitions": 3, "replication_factor": 1, "configs": {"retention.ms": -1}}
    topic = kafka_resources.kafka_topic(described, "main", namespace, api_version)
    assert written(cluster, topic, "kafkatopics")["spec"]["topicName"] == "Orders_New"
    kafka = {
        "apiVersion": api_version,
        "kind": "Kafka",
        "metadata": {"name": "main", "namespace": namespace},
        "spec": {
            "kafka": {
                "listeners": [
                    {
                        "name": "tls",
                        "port": 9093,
                        "type": "internal",
                        "tls": True,
                        "authentication": {"type": "scram-sha-512"},
                    }
                ],
                "authorization": {"type": "simple"},
            },
            "entityOperator": {"userOperator": {}, "topicOperator": {}},
        },
    }
    own = kafka_resources.with_own_authorities(kafka)
    kept = written(cluster, own, "kafkas")
    assert kept["spec"]["clusterCa"] == {"generateCertificateAuthority": False}
    assert kept["metadata"]["annotations"] == {kafka_resources.PAUSE: "true"}


@pytest.mark.parametrize("cluster,version", [("new", "v1"), ("old", "v1"), ("old", "v1beta2")])
def test_what_keeps_a_wide_mirror_out_of_the_ledger_is_accepted(request, cluster, version):
    cluster = request.getfixturevalue(cluster)
    namespace, acls = cluster.namespace(), service_acls("mm2", "mirror", WIDE, "target")
    user = kafka_resources.kafka_user({"name": "mm2"}, acls, "main", namespace, f"kafka.strimzi.io/{version}")
    kept = written(cluster, user, "kafkausers")
    assert kept["spec"] == user["spec"]
    denials = [one for one in kept["spec"]["authorization"]["acls"] if one["type"] == "deny"]
    assert denials == [
        {
            "type": "deny",
            "resource": {"type": "topic", "name": "__", "patternType": "prefix"},
            "host": "*",
            "operations": ["All"],
        }
    ]


@pytest.mark.parametrize("claim", [None, "reports"])
def test_the_proof_is_accepted_as_a_job_and_its_clients_are_in_no_command(new, claim):
    namespace = new.namespace()
    clients = {
        side: {"bootstrap.servers": f"{side}:9093", **SCRAM, "sasl.password": "swordfish"}
        for side in ("source", "target")
    }
    secret, job = proof_job.proof_job(
        clients, "proof", namespace, "kafka-dr", "orders.*", ["--rename", "identity"], claim=claim
    )
    new.client.create(object_path("v1", "secrets", namespace), secret)
    kept = written(new, job, "jobs")
    assert kept["spec"]["template"]["spec"]["containers"][0]["command"][4:6] == [proof_job.PROGRAM, "compare"]
    assert "swordfish" not in str(job)


def test_an_unknown_field_is_refused_and_not_dropped(new):
    body = mirror_resource.mirror_resource(
        MIRROR, CLIENTS, SECRETS, namespace=new.namespace(), fields={"spec": {"replica": 2}}
    )
    with pytest.raises(UsageError, match=r"unknown field .*spec\.replica"):
        written(new, body, "kafkamirrormaker2s")


def test_the_pruning_trap_is_real_and_our_version_avoids_it(old):
    """Both versions served: a patch of one field through v1 loses the clusters; through the version chosen by shape it
    does not.
    """
    namespace = old.namespace()
    body = mirror_resource.mirror_resource(
        MIRROR, CLIENTS, SECRETS, mirror_versions.API_VERSIONS[1], namespace=namespace
    )
    stored = written(old, body, "kafkamirrormaker2s")
    served = old.client.served_versions("kafka.strimzi.io")
    assert {"v1", "v1beta2"} <= set(served)
    version = mirror_versions.writing_version(
        served,
        old.read(
            namespace, "backup", "kafkamirrormaker2s", f"kafka.strimzi.io/{mirror_versions.reading_version(served)}"
        ),
    )
    assert version == "v1beta2"
    path = object_path(f"kafka.strimzi.io/{version}", "kafkamirrormaker2s", namespace, "backup")
    patch = mirror_state.state_patch(stored, "stopped")
    after = old.client.request("PATCH", path, patch, content_type="application/json-patch+json")
    assert mirror_versions.shape_of(after) == "clusters" and after["spec"]["clusters"] == body["spec"]["clusters"]
    assert after["spec"]["mirrors"][0]["sourceConnector"]["state"] == "stopped"
    trap = path.replace("v1beta2", "v1")
    old.client.request("PATCH", trap, {"metadata": {"labels": {"a": "b"}}}, content_type="application/merge-patch+json")
    assert "clusters" not in old.client.get(path)["spec"], "the trap is gone; the choice of version may be simplified"


def test_a_resource_brought_to_v1_is_written_through_v1(old):
    namespace = old.namespace()
    body = mirror_resource.mirror_resource(MIRROR, CLIENTS, SECRETS, namespace=namespace)
    written(old, body, "kafkamirrormaker2s")
    seen = old.read(namespace, "backup", "kafkamirrormaker2s", "kafka.strimzi.io/v1beta2")
    assert mirror_versions.writing_version(old.client.served_versions("kafka.strimzi.io"), seen) == "v1"


def test_a_stop_that_meets_somebody_elses_change_is_a_conflict(new):
    namespace = new.namespace()
    stored = written(
        new, mirror_resource.mirror_resource(MIRROR, CLIENTS, SECRETS, namespace=namespace), "kafkamirrormaker2s"
    )
    path = object_path(mirror_versions.API_VERSIONS[0], "kafkamirrormaker2s", namespace, "backup")
    # The operator's status is no such change: it is written every few seconds.
    status = {"status": {"observedGeneration": 1, "conditions": [{"type": "Ready", "status": "True"}]}}
    new.client.request("PATCH", f"{path}/status", status, content_type="application/merge-patch+json")
    new.client.request(
        "PATCH", path, mirror_state.state_patch(stored, "paused"), content_type="application/json-patch+json"
    )
    stored = new.client.get(path)
    new.merge(namespace, "backup", {"spec": {"replicas": 2}}, "kafkamirrormaker2s", mirror_versions.API_VERSIONS[0])
    with pytest.raises((ConflictError, UsageError)):
        new.client.request(
            "PATCH", path, mirror_state.state_patch(stored, "stopped"), content_type="application/json-patch+json"
        )
    assert new.client.get(path)["spec"]["mirrors"][0]["sourceConnector"]["state"] == "paused"
    outdated = copy.deepcopy(stored)
    with pytest.raises(ConflictError):
        new.client.replace(path, outdated)
