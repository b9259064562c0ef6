# SPDX-License-Identifier: GPL-3.0-or-later
"""The module secret_copy on a real API server: each step first in check mode, RBAC on."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.client import KubernetesClient

from .secret_pairs import ROTATED, VALUE, value

pytestmark = pytest.mark.kubernetes


def test_the_whole_cycle(pair):
    pair.source(
        type="example.com/user",
        metadata={"labels": {"strimzi.io/cluster": "main"}, "annotations": {"strimzi.io/ca-cert-generation": "3"}},
    )
    made = pair.step(True, ["created"])
    assert made["diff"][0]["before"] == {}
    assert made["diff"][0]["after"]["data"] == {"password": "(hidden) changed", "user": "(hidden) changed"}
    copy = pair.copy()
    assert (copy["type"], value(copy), copy["metadata"]["labels"]) == (
        "example.com/user",
        VALUE,
        {"strimzi.io/cluster": "main"},
    )
    assert copy["metadata"]["annotations"]["strimzi.io/ca-cert-generation"] == "3"
    pair.step(False, ["unchanged"])
    pair.cluster.merge(
        pair.a,
        "one",
        {"stringData": {"password": ROTATED}, "metadata": {"labels": {"team": "dr", "strimzi.io/cluster": None}}},
    )
    found = pair.step(True, ["updated"])
    assert found["secrets"][0]["differences"] == ["data.password", "labels.team", "labels.strimzi.io/cluster"]
    assert found["diff"][0]["after"]["data"] == {"password": "(hidden) changed", "user": "(hidden)"}
    assert (value(pair.copy()), pair.copy()["metadata"]["labels"]) == (ROTATED, {"team": "dr"})
    pair.step(False, ["unchanged"])
    pair.step(True, ["deleted"], state="absent")
    assert pair.copy() is None
    pair.step(False, ["absent"], state="absent")


def test_drift_is_shown_and_repaired(pair):
    pair.source()
    pair()
    pair.cluster.merge(
        pair.b, "one", {"stringData": {"password": ROTATED}, "metadata": {"labels": {"added-here": "yes"}}}
    )
    assert pair.step(True, ["updated"])["secrets"][0]["differences"] == ["data.password"]
    assert value(pair.copy()) == VALUE
    assert pair.copy()["metadata"]["labels"] == {"added-here": "yes"}


def test_leaves_behind_what_belongs_to_the_source(pair):
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "x", "uid": "3f1d9b9e-0000-4000-8000-000000000000"}
    pair.cluster.client.create(
        f"/api/v1/namespaces/{pair.a}/configmaps", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}}
    )
    owner["uid"] = pair.cluster.read(pair.a, "x", "configmaps")["metadata"]["uid"]
    pair.source(
        immutable=True,
        metadata={
            "ownerReferences": [owner],
            "labels": {"argocd.argoproj.io/instance": "kafka", "app.kubernetes.io/part-of": "x", "keep": "me"},
            "annotations": {"kubectl.kubernetes.io/last-applied-configuration": f'{{"data":{{"password":"{VALUE}"}}}}'},
        },
    )
    pair.step(True, ["created"], without=["app.kubernetes.io/*"])
    copy = pair.copy()
    assert copy["metadata"]["labels"] == {"keep": "me"}
    assert "ownerReferences" not in copy["metadata"] and "immutable" not in copy
    assert VALUE not in str(copy["metadata"])


def test_many_in_one_call_by_label_and_regex(pair):
    for at in range(20):
        pair.source(f"u{at:02}", metadata={"labels": {"kind": "user"}})
    pair.source("other", metadata={"labels": {"kind": "user"}})
    pair.step(True, ["created"] * 20, label_selector="kind=user", name_regex=r"u\d\d", prefix="na-", keys=["password"])
    assert set(pair.copy("na-u07")["data"]) == {"password"}
    assert pair.copy("other") is None and pair.copy("na-other") is None


def test_rename_and_set_labels(pair):
    pair.source()
    pair.step(True, ["created"], rename={"one": "two"}, labels={"strimzi.io/cluster": "dr"}, annotations={"note": "x"})
    assert pair.copy("two")["metadata"]["labels"] == {"strimzi.io/cluster": "dr"}


def test_adopts_what_is_equal(pair):
    pair.source()
    pair.cluster.secret(pair.b, "one", {"password": VALUE, "user": "mm2"})
    pair.step(True, ["updated"])
    pair.step(False, ["unchanged"])


def test_immutable_and_type_need_recreation(pair):
    pair.source()
    pair()
    pair.cluster.merge(pair.b, "one", {"immutable": True})
    pair.step(False, ["unchanged"])
    pair.cluster.merge(pair.a, "one", {"stringData": {"password": ROTATED}})
    found = pair()
    assert found["failed"] and found["code"] == "immutable" and "recreate=true" in found["msg"]
    pair.step(True, ["recreated"], recreate=True)
    assert value(pair.copy()) == ROTATED
    pair.cluster.client.delete(f"/api/v1/namespaces/{pair.a}/secrets/one")
    pair.source(type="example.com/other")
    found = pair()
    assert found["failed"] and found["code"] == "type"
    pair.step(True, ["recreated"], recreate=True)


def test_names_what_is_missing(pair):
    pair.source()
    found = pair(names=["one", "gone", "lost"])
    assert found["failed"] and found["error"] == "not_found" and found["missing"] == ["gone", "lost"]
    assert pair.copy() is None
    found = pair(check=True, names=["one", "gone"])
    assert [one["action"] for one in found["secrets"]] == ["source_absent", "created"]
    assert "no key token" in pair(keys=["token"])["msg"]
    assert pair(label_selector="a=b")["error"] == "not_found"
    assert pair(label_selector="a=b", allow_none=True)["secrets"] == []


def test_never_deletes_what_is_no_copy(pair):
    pair.cluster.secret(pair.b, "one", {"password": "theirs"})
    found = pair(state="absent")
    assert found["failed"] and "no copy of ours" in found["msg"]
    assert pair.copy() is not None


@pytest.mark.parametrize(
    "change,kept", [({"metadata": {"labels": {"late": "yes"}}}, True), ({"stringData": {"password": "theirs"}}, False)]
)
def test_a_change_between_reading_and_writing(pair, monkeypatch, change, kept):
    """Somebody's label is kept; somebody's value is a conflict, which the next run decides."""
    pair.source()
    pair()
    pair.cluster.merge(pair.a, "one", {"stringData": {"password": ROTATED}})
    original, meddled = KubernetesClient.replace, []

    def late(self, path, body, dry_run=False, what=None):
        if not dry_run and not meddled:
            meddled.append(pair.cluster.merge(pair.b, "one", change))
        return original(self, path, body, dry_run, what)

    monkeypatch.setattr(KubernetesClient, "replace", late)
    found = pair()
    if kept:
        assert (
            not found.get("failed")
            and value(pair.copy()) == ROTATED
            and pair.copy()["metadata"]["labels"] == {"late": "yes"}
        )
    else:
        assert found["failed"] and found["error"] == "conflict" and value(pair.copy()) == "theirs"
        pair.step(True, ["updated"])


def test_terminating_namespace(pair):
    pair.source()
    pair.cluster.client.create(
        f"/api/v1/namespaces/{pair.b}/configmaps",
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "hold", "finalizers": ["example.com/hold"]}},
    )
    pair.cluster.client.delete(f"/api/v1/namespaces/{pair.b}")
    pair.cluster.until(
        lambda: pair.cluster.client.get(f"/api/v1/namespaces/{pair.b}")["status"]["phase"] == "Terminating",
        "the namespace to terminate",
    )
    found = pair()
    assert found["error"] == "refused" and found["code"] == "NamespaceTerminating" and "finalizers" in found["msg"]
    pair.cluster.merge(pair.b, "hold", {"metadata": {"finalizers": None}}, "configmaps")
