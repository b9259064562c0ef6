# SPDX-License-Identifier: GPL-3.0-or-later
"""The modules that read Strimzi's resources: which version, whose words, and an API server that goes away. The test
plays the operator.
"""

from __future__ import annotations

import base64
import signal

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s import mirror_resource, mirror_versions
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.client import object_path
from ansible_collections.streamsafe.kafka_dr.plugins.modules import strimzi_client_info, strimzi_mirror_info
from tests.kubernetes.test_resources import CLIENTS, MIRROR, SECRETS, written
from tests.support.kubernetes import run

pytestmark = pytest.mark.kubernetes

PLURAL = "kafkamirrormaker2s"
NAME = "na->eu.MirrorSourceConnector"
REFUSAL = {
    "type": "NotReady",
    "status": "True",
    "reason": "InvalidConfigurationException",
    "message": "Secret na-mm2 not found",
}
LISTENER = {"name": "tls", "port": 9093, "type": "internal", "tls": True, "authentication": {"type": "scram-sha-512"}}
KAFKA = {
    "apiVersion": "kafka.strimzi.io/v1",
    "kind": "Kafka",
    "metadata": {"name": "main"},
    "spec": {"kafka": {"listeners": [LISTENER]}},
}


def ask(cluster, namespace, **more):
    return run(
        strimzi_mirror_info.main,
        {"connection": {"kubeconfig": cluster.kubeconfig}, "namespace": namespace, "name": "backup", **more},
    )


def say(cluster, namespace, status, api_version=mirror_versions.API_VERSIONS[0]):
    """Write a status as the operator would, for the latest generation."""
    generation = cluster.read(namespace, "backup", PLURAL, api_version)["metadata"]["generation"]
    cluster.client.request(
        "PATCH",
        object_path(api_version, PLURAL, namespace, "backup", "status"),
        {"status": {"observedGeneration": generation, **status}},
        content_type="application/merge-patch+json",
    )


def test_a_mirror_that_never_becomes_ready_speaks_with_the_operators_words(new):
    namespace = new.namespace()
    assert ask(new, namespace)["state"] == "absent"
    assert ask(new, namespace, until="absent")["ready"] and ask(new, namespace, until="stopped")["stopped"]
    assert ask(new, namespace, until="ready")["waiting_for"][0] == "the resource to exist"
    written(new, mirror_resource.mirror_resource(MIRROR, CLIENTS, SECRETS, namespace=namespace), PLURAL)
    found = ask(new, namespace, until="running")
    assert not found["ready"] and "generation 1" in found["waiting_for"][0]
    say(new, namespace, {"conditions": [REFUSAL]})
    found = ask(new, namespace, until="running")
    assert found["waiting_for"] == ["condition Ready (InvalidConfigurationException: Secret na-mm2 not found)"]
    failed = {"id": 0, "state": "FAILED", "trace": "org.apache.kafka.X: no rights\n\tat y"}
    running = {"name": NAME, "connector": {"state": "RUNNING"}}
    ready = [{"type": "Ready", "status": "True"}]
    say(new, namespace, {"conditions": ready, "connectors": [{**running, "tasks": [failed]}]})
    assert ask(new, namespace, until="running")["waiting_for"] == [
        f"connector {NAME} to recover (org.apache.kafka.X: no rights)"
    ]
    say(new, namespace, {"connectors": [{**running, "tasks": [{"id": 0, "state": "RUNNING"}]}]})
    assert ask(new, namespace, until="running")["ready"]
    assert ask(new, namespace, until="stopped")["waiting_for"] == [
        f"{NAME} to be STOPPED (it is RUNNING)",
        f"1 tasks of {NAME} to end",
    ]


def test_names_the_version_by_the_shape(old):
    for api_version in mirror_versions.API_VERSIONS[:2]:
        namespace = old.namespace()
        written(
            old, mirror_resource.mirror_resource(MIRROR, CLIENTS, SECRETS, api_version, namespace=namespace), PLURAL
        )
        found = ask(old, namespace)
        assert (found["api_version"], found["read_with"]) == (api_version, "kafka.strimzi.io/v1beta2")
        assert mirror_versions.shape_of(found["resource"]) == mirror_versions.SHAPES[api_version.split("/")[1]]
    assert ask(old, old.namespace())["api_version"] == "kafka.strimzi.io/v1"
    assert ask(old, old.namespace(), group="eventstreams.ibm.com")["api_version"] == "eventstreams.ibm.com/v1beta2"
    assert "served in no version" in ask(old, old.namespace(), group="nobody.example.com")["msg"]


def client(cluster, namespace, **more):
    return run(
        strimzi_client_info.main,
        {
            "connection": {"kubeconfig": cluster.kubeconfig},
            "namespace": namespace,
            "cluster": "main",
            "user": "stages",
            "listener": "tls",
            "users": ["shop"],
            **more,
        },
    )


def test_a_client_out_of_the_cluster_and_a_rotated_password(new):
    namespace = new.namespace()
    assert client(new, namespace)["waiting_for"] == [f"Kafka '{namespace}/main' to exist"]
    new.client.create(object_path(KAFKA["apiVersion"], "kafkas", namespace), KAFKA)
    assert "none yet" in " ".join(client(new, namespace)["waiting_for"])
    new.client.request(
        "PATCH",
        object_path(KAFKA["apiVersion"], "kafkas", namespace, "main", "status"),
        {
            "status": {
                "observedGeneration": 1,
                "conditions": [{"type": "Ready", "status": "True"}],
                "listeners": [{"name": "tls", "bootstrapServers": "k:9093", "certificates": ["PEM"]}],
            }
        },
        content_type="application/merge-patch+json",
    )
    assert "Secret of user 'stages'" in client(new, namespace)["waiting_for"][0]
    new.secret(namespace, "stages", {"password": "first"})
    new.secret(namespace, "shop", {"password": "theirs"})
    new.secret(namespace, "main-cluster-ca-cert", {"ca.crt": "CA"})
    found = client(new, namespace)
    assert (
        found["ready"]
        and found["client_secrets"] == {"sasl.password": "first"}
        and found["passwords"] == {"shop": "theirs"}
    )
    assert found["client"]["ssl.ca.pem"] == "CA"
    new.merge(namespace, "stages", {"data": {"password": base64.b64encode(b"second").decode()}})
    assert client(new, namespace)["client_secrets"] == {"sasl.password": "second"}


def test_an_api_server_that_goes_away_and_comes_back(new):
    if new.plane is None:
        pytest.skip("the cluster of KUBECONFIG is not ours to kill")
    namespace = new.namespace()
    new.plane.end("kube-apiserver", signal.SIGKILL)
    try:
        found = ask(new, namespace, timeout=3)
        assert found["failed"] and found["error"] == "unreachable" and "127.0.0.1" in found["msg"]
        lost = client(new, namespace, allow_unreachable=True, timeout=3)
        assert not lost.get("failed") and lost["reachable"] is False and lost["client"] == {}
    finally:
        new.plane.start()
    assert ask(new, namespace)["state"] == "absent"
