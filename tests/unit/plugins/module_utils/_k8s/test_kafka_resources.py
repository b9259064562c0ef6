# SPDX-License-Identifier: GPL-3.0-or-later
"""Clients out of Kafka resources, waiting, and names that Kubernetes takes."""

from __future__ import annotations

import base64
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import RefusedError, UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s import (
    application,
    kafka_access,
    kafka_changes,
    region,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s import kafka_resources as k
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.access import service_acls

# A busy machine is no finding.
calmly = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def secret(**data):
    return {"data": {key.replace("__", "."): base64.b64encode(value.encode()).decode() for key, value in data.items()}}


def kafka(authentication="scram-sha-512", tls=True, **status):
    listener = {"name": "out", "port": 9094, "type": "route", "tls": tls}
    if authentication:
        listener["authentication"] = {"type": authentication}
    return {
        "kind": "Kafka",
        "metadata": {"name": "main", "generation": 2},
        "spec": {"kafka": {"listeners": [listener]}},
        "status": {
            "observedGeneration": 2,
            "conditions": [{"type": "Ready", "status": "True"}],
            "listeners": [{"name": "out", "bootstrapServers": "h:443", "certificates": ["PEM"]}],
            **status,
        },
    }


def test_client_by_scram_tls_and_plain():
    made = kafka_access.kafka_client(kafka(), None, "u", secret(password="p"), secret(ca__crt="CA"))
    assert made == {
        "client": {
            "bootstrap.servers": "h:443",
            "ssl.ca.pem": "CA",
            "security.protocol": "SASL_SSL",
            "sasl.mechanism": "SCRAM-SHA-512",
            "sasl.username": "u",
        },
        "secrets": {"sasl.password": "p"},
    }
    made = kafka_access.kafka_client(kafka("tls"), "out", "u", secret(user__crt="C", user__key="K"))
    assert made["client"]["ssl.ca.pem"] == "PEM" and made["secrets"] == {"ssl.key.pem": "K"}
    assert kafka_access.kafka_client(kafka(None, False))["client"] == {
        "bootstrap.servers": "h:443",
        "security.protocol": "PLAINTEXT",
    }


@pytest.mark.parametrize(
    "resource,user_secret,words",
    [
        (kafka(listeners=[]), secret(password="p"), "none yet"),
        (kafka(), None, "has no password"),
        (kafka("oauth"), secret(password="p"), "oauth"),
    ],
)
def test_client_that_cannot_be_made(resource, user_secret, words):
    with pytest.raises(RefusedError, match=words):
        kafka_access.kafka_client(resource, "out", "u", user_secret)


def test_waiting_speaks_with_the_operators_words():
    assert k.waiting_for([kafka()]) == []
    assert k.waiting_for([None]) == ["a resource that is not there yet"]
    assert "generation 2" in k.waiting_for([kafka(observedGeneration=1)])[0]
    refused = kafka(conditions=[{"type": "NotReady", "status": "True", "reason": "Bad", "message": "no quorum"}])
    assert k.waiting_for([refused]) == ["Kafka 'main' to be Ready (Bad: no quorum)"]
    paused = kafka()
    paused["metadata"]["annotations"] = {k.PAUSE: "true"}
    assert "reconciled again" in k.waiting_for([paused])[0]


@calmly
@given(st.text(alphabet="abcXYZ019._-", min_size=1, max_size=249))
def test_every_topic_has_a_name_that_kubernetes_takes(name):
    made = k.kafka_topic({"name": name, "partitions": 1}, "main", "n")
    assert (
        re.fullmatch(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?", made["metadata"]["name"])
        and len(made["metadata"]["name"]) <= 253
    )
    assert made["spec"]["topicName"] == name


def test_topics_that_differ_in_case_stay_apart():
    assert (
        len(
            {
                k.kafka_topic({"name": name, "partitions": 1}, "m", "n")["metadata"]["name"]
                for name in ("a_b", "a-b", "A-b")
            }
        )
        == 3
    )


def test_region_is_checked():
    assert (
        region.kubernetes_region(
            {"kafka_dr_kubernetes": {"namespace": "n", "cluster": "c", "context": "x"}}, "north_america"
        )["prefix"]
        == "north-america-"
    )
    for described in ({}, {"namespace": "n"}, {"namespace": "n", "cluster": "c", "cntext": "x"}):
        with pytest.raises(UsageError, match="kafka_dr_kubernetes"):
            region.kubernetes_region({"kafka_dr_kubernetes": described}, "e")


def deployment(size=3, **more):
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "shop", "namespace": "n", "generation": 4, **more.pop("metadata", {})},
        "spec": {"replicas": size, "template": {}},
        "status": {"observedGeneration": 4, **more},
    }


def test_sizes_are_remembered():
    assert region.size_of(deployment()) == 3
    assert region.size_of(deployment(0, metadata={"annotations": {region.SIZE: "5"}})) == 5
    stopped = application.application_stop(deployment())
    assert (stopped["spec"], stopped["metadata"]["annotations"]) == ({"replicas": 0}, {region.SIZE: "3"})
    started = application.application_start(deployment(0, metadata={"annotations": {region.SIZE: "5"}}), "eu")
    assert started["spec"] == {"replicas": 5, "template": {"metadata": {"annotations": {application.REGION: "eu"}}}}
    assert application.application_start(deployment(0), "eu", 2)["spec"]["replicas"] == 2


def test_gone_is_what_the_controller_says():
    assert region.gone(None) == []
    assert region.gone({}) == ["an answer of the API server"]
    assert region.gone(deployment(0)) == []
    assert "2 pods" in region.gone(deployment(0, replicas=2))[0]
    assert "generation 4" in region.gone(deployment(0, observedGeneration=3))[0]
    assert "scaled to zero" in region.gone(deployment(3))[0]


@pytest.mark.parametrize(
    "metadata,scalers,words",
    [
        ({"annotations": {"argocd.argoproj.io/tracking-id": "x"}}, [], "Argo CD"),
        ({"labels": {"kustomize.toolkit.fluxcd.io/name": "x"}}, [], "Flux"),
        ({}, [{"metadata": {"name": "lag"}, "spec": {"scaleTargetRef": {"name": "shop"}}}], "KEDA"),
    ],
)
def test_who_would_undo_it(metadata, scalers, words):
    assert words in region.undone_by(deployment(metadata=metadata), scalers)[0]


def test_nobody_undoes_what_is_suspended():
    flux = {
        "labels": {"kustomize.toolkit.fluxcd.io/name": "x"},
        "annotations": {"kustomize.toolkit.fluxcd.io/reconcile": "disabled"},
    }
    other = {"metadata": {"name": "lag"}, "spec": {"scaleTargetRef": {"name": "other"}}}
    paused = {
        "metadata": {"name": "lag", "annotations": {"autoscaling.keda.sh/paused-replicas": "0"}},
        "spec": {"scaleTargetRef": {"name": "shop"}},
    }
    assert region.undone_by(deployment(metadata=flux), [other, paused]) == []


def test_what_is_so_already_is_not_applied_again():
    reads = {"principal": "mm2", "resource": "topic", "name": "orders", "operations": ["READ"]}
    wanted = k.kafka_user({"name": "mm2"}, [reads], "main", "kafka", password_secret={"secret": "given"})
    read = {
        **wanted,
        "metadata": {**wanted["metadata"], "uid": "1"},
        "spec": {**wanted["spec"], "quotas": {"producerByteRate": 5}},
        "status": {},
    }
    assert k.to_apply([wanted], [read]) == []
    assert k.to_apply([wanted], []) == [wanted]
    less = {**read, "spec": {**read["spec"], "authorization": {"type": "simple", "acls": []}}}
    assert k.to_apply([wanted], [less]) == [wanted]
    elsewhere = {**read, "metadata": {**read["metadata"], "labels": {}}}
    assert k.to_apply([wanted], [elsewhere]) == [wanted]


def test_where_a_cluster_is_can_be_told_without_a_user():
    described = {"name": "tls", "tls": True, "authentication": {"type": "scram-sha-512"}}
    kafka = {
        "metadata": {"name": "main"},
        "spec": {"kafka": {"listeners": [described]}},
        "status": {"listeners": [{"name": "tls", "bootstrapServers": "k:9093", "certificates": ["PEM"]}]},
    }
    assert kafka_access.kafka_address(kafka)["bootstrap.servers"] == "k:9093"
    assert kafka_access.kafka_address({**kafka, "status": {}}) == {}
    # What its listener asks for is not known here, and so neither is the client.
    described["authentication"] = {"type": "custom"}
    assert kafka_access.kafka_address(kafka) == {}


@pytest.mark.parametrize(
    "text", ["many", "-1", "1e9", "99999", "3\n", "\u0663", '{{ lookup("pipe", "id") }}'], ids=ascii
)
def test_an_annotation_that_is_no_size_is_refused_in_words(text):
    with pytest.raises(
        UsageError, match="The size that is remembered on Deployment 'orders' is none: expected a number"
    ):
        region.size_of(
            {
                "kind": "Deployment",
                "spec": {"replicas": 0},
                "metadata": {"name": "orders", "annotations": {region.SIZE: text}},
            }
        )


def test_a_denial_becomes_a_rule_that_denies_and_stays_where_rights_are_taken():
    """The mirror's principal, whose patterns cover the ledger, is kept out of what begins with __ in the target."""
    wide = {"name": "m", "source": "a", "target": "b", "topics": [".*"], "groups": [".*"]}
    (denial,) = [one for one in service_acls("mm2", "mirror", wide, "target") if one.get("permission") == "deny"]
    rule = k.acl_rule(denial)
    assert rule == {
        "type": "deny",
        "resource": {"type": "topic", "name": "__", "patternType": "prefix"},
        "host": "*",
        "operations": ["All"],
    }
    allowed = k.acl_rule({**denial, "permission": "allow"})
    assert kafka_changes.rights([rule, allowed], [], "without_allow") == [rule]
    assert kafka_changes.rights([rule], [{**denial, "permission": "allow"}], "remove") == [rule]
    assert kafka_changes.rights([allowed], [denial], "add") == [allowed, rule]
    assert kafka_changes.rights([allowed, rule], [denial], "remove") == [allowed]
