# SPDX-License-Identifier: GPL-3.0-or-later
"""The module secret_copy on a real API server: each step first in check mode, RBAC on."""

from __future__ import annotations

import base64

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.client import KubernetesClient
from ansible_collections.streamsafe.kafka_dr.plugins.modules.secret_copy import main
from tests.support.kubernetes import run

pytestmark = pytest.mark.kubernetes

VALUE = "swordfish-and-7-herrings"
ROTATED = "halibut-after-rotation"


def value(secret, key="password"):
    return base64.b64decode(secret["data"][key]).decode()


class Pair:
    """Two namespaces and the module between them."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.a, self.b = cluster.namespace("a"), cluster.namespace("b")
        self.connection = {"kubeconfig": cluster.kubeconfig}

    def arguments(self, **more):
        made = {"source": {**self.connection, "namespace": self.a}, "target": {**self.connection, "namespace": self.b}, **more}
        if not {"names", "label_selector", "name_regex"} & set(more):
            made["names"] = ["one"]
        return made

    def __call__(self, check=False, **more):
        result = run(main, self.arguments(**more), check)
        for hidden in (VALUE, ROTATED):
            assert hidden not in result["stdout"]
            assert base64.b64encode(hidden.encode()).decode() not in result["stdout"]
        return result

    def step(self, changed, actions, **more):
        """Check mode, then for real; check mode changed nothing and said the same."""
        before = self.versions()
        expected = self(check=True, **more)
        assert not expected.get("failed"), expected.get("msg")
        assert self.versions() == before
        found = self(**more)
        assert not found.get("failed"), found.get("msg")
        assert (found["changed"], found["secrets"], found["diff"]) == (expected["changed"], expected["secrets"], expected["diff"])
        assert (found["changed"], [one["action"] for one in found["secrets"]]) == (changed, actions)
        return found

    def versions(self):
        listed = self.cluster.client.list(f"/api/v1/namespaces/{self.b}/secrets")
        return {one["metadata"]["name"]: one["metadata"]["resourceVersion"] for one in listed}

    def source(self, name="one", **more):
        return self.cluster.secret(self.a, name, {"password": VALUE, "user": "mm2"}, **more)

    def copy(self, name="one"):
        return self.cluster.read(self.b, name)


@pytest.fixture
def pair(new):
    return Pair(new)


def test_the_whole_cycle(pair):
    pair.source(type="example.com/user", metadata={"labels": {"strimzi.io/cluster": "main"}, "annotations": {"strimzi.io/ca-cert-generation": "3"}})
    made = pair.step(True, ["created"])
    assert made["diff"][0]["before"] == {}
    assert made["diff"][0]["after"]["data"] == {"password": "(hidden) changed", "user": "(hidden) changed"}
    copy = pair.copy()
    assert (copy["type"], value(copy), copy["metadata"]["labels"]) == ("example.com/user", VALUE, {"strimzi.io/cluster": "main"})
    assert copy["metadata"]["annotations"]["strimzi.io/ca-cert-generation"] == "3"
    pair.step(False, ["unchanged"])
    pair.cluster.merge(pair.a, "one", {"stringData": {"password": ROTATED}, "metadata": {"labels": {"team": "dr", "strimzi.io/cluster": None}}})
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
    pair.cluster.merge(pair.b, "one", {"stringData": {"password": ROTATED}, "metadata": {"labels": {"added-here": "yes"}}})
    assert pair.step(True, ["updated"])["secrets"][0]["differences"] == ["data.password"]
    assert value(pair.copy()) == VALUE
    assert pair.copy()["metadata"]["labels"] == {"added-here": "yes"}


def test_leaves_behind_what_belongs_to_the_source(pair):
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "x", "uid": "3f1d9b9e-0000-4000-8000-000000000000"}
    pair.cluster.client.create(f"/api/v1/namespaces/{pair.a}/configmaps", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}})
    owner["uid"] = pair.cluster.read(pair.a, "x", "configmaps")["metadata"]["uid"]
    pair.source(immutable=True, metadata={
        "ownerReferences": [owner], "labels": {"argocd.argoproj.io/instance": "kafka", "app.kubernetes.io/part-of": "x", "keep": "me"},
        "annotations": {"kubectl.kubernetes.io/last-applied-configuration": '{"data":{"password":"%s"}}' % VALUE},
    })
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


def test_refuses_what_is_there_and_differs(pair):
    pair.source()
    pair.cluster.secret(pair.b, "one", {"password": "theirs"})
    for check in (True, False):
        found = pair(check=check)
        assert found["failed"] and "is no copy of" in found["msg"] and found["code"] == "different"
    assert value(pair.copy()) == "theirs"
    pair.step(False, ["kept"], on_existing="keep")
    pair.step(True, ["updated"], on_existing="replace")
    assert value(pair.copy()) == VALUE


def test_adopts_what_is_equal(pair):
    pair.source()
    pair.cluster.secret(pair.b, "one", {"password": VALUE, "user": "mm2"})
    pair.step(True, ["updated"])
    pair.step(False, ["unchanged"])


def test_refuses_a_label_that_somebody_else_has_set(pair):
    pair.source(metadata={"labels": {"team": "a"}})
    pair()
    pair.cluster.merge(pair.b, "one", {"metadata": {"labels": {"team": "theirs"}}})
    found = pair()
    assert found["failed"] and "labels.team set by somebody else" in found["msg"] and found["code"] == "foreign_label"
    pair.step(False, ["unchanged"], without=["team"])
    pair.step(True, ["updated"], on_existing="replace")


def test_refuses_the_copy_of_another_and_what_has_an_owner(pair):
    pair.source()
    pair.source("two")
    pair()
    found = pair(names=["two"], rename={"two": "one"})
    assert found["failed"] and found["code"] == "other_origin"
    pair.cluster.client.create(f"/api/v1/namespaces/{pair.b}/configmaps", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}})
    uid = pair.cluster.read(pair.b, "x", "configmaps")["metadata"]["uid"]
    pair.cluster.secret(pair.b, "two", {"password": "op"}, metadata={"ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "x", "uid": uid}]})
    found = pair(names=["two"])
    assert found["failed"] and found["code"] == "owned" and "ConfigMap/x" in found["msg"]


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


def test_missing_namespace(pair):
    pair.source()
    pair.b = "not-there"
    assert "not-there" in pair()["msg"] and pair()["error"] == "not_found"
    assert pair(check=True)["changed"]


@pytest.mark.parametrize("arguments,words", [
    ({"names": ["one", "two"], "rename": {"one": "two"}}, "would become"),
    ({"rename": {"none": "two"}}, "not copied"),
    ({"name_regex": "("}, "no regular expression"),
])
def test_refuses_bad_input(pair, arguments, words):
    pair.source()
    pair.source("two")
    found = pair(**arguments)
    assert found["failed"] and words in found["msg"]
    assert pair.versions() == {}


def test_refuses_to_copy_onto_itself_and_bound_tokens(pair):
    pair.source()
    # The token controller deletes a token of nobody; the account "default" comes some time after its namespace.
    pair.cluster.client.create(f"/api/v1/namespaces/{pair.a}/serviceaccounts", {"metadata": {"name": "mirror"}})
    pair.source("token", type="kubernetes.io/service-account-token", metadata={"annotations": {"kubernetes.io/service-account.name": "mirror"}})
    assert "its own cluster signs" in pair(names=["token"])["msg"]
    pair.b = pair.a
    assert "onto itself" in pair()["msg"]


def test_never_deletes_what_is_no_copy(pair):
    pair.cluster.secret(pair.b, "one", {"password": "theirs"})
    found = pair(state="absent")
    assert found["failed"] and "no copy of ours" in found["msg"]
    assert pair.copy() is not None


def test_works_with_name_scoped_rights_and_says_which_are_missing(pair, tmp_path):
    pair.source()
    pair.source("two")
    reading = [{"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["one"], "verbs": ["get"]}]
    writing = [{"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["one"], "verbs": ["get", "update", "delete"]},
               {"apiGroups": [""], "resources": ["secrets"], "verbs": ["create"]}]
    pair.connection = pair.cluster.identity(tmp_path, {pair.a: reading, pair.b: writing})
    pair.step(True, ["created"])
    found = pair(names=["one", "two"])
    assert found["error"] == "authorization" and "read Secret '%s/two'" % pair.a in found["msg"] and "cannot get" in found["msg"]
    assert "cannot list" in pair(name_regex="one")["msg"]
    pair.connection = pair.cluster.identity(tmp_path, {pair.a: reading, pair.b: [dict(writing[0], verbs=["get"])]})
    pair.cluster.merge(pair.a, "one", {"stringData": {"password": ROTATED}})
    for check in (True, False):
        found = pair(check=check)
        assert found["error"] == "authorization" and "cannot update" in found["msg"]
    assert value(pair.copy()) == VALUE


def test_a_missing_right_stops_all_of_many(pair, tmp_path):
    for name in ("one", "two", "three"):
        pair.source(name)
    pair(names=["two"])
    pair.cluster.merge(pair.a, "two", {"stringData": {"password": ROTATED}})
    everything = {"apiGroups": [""], "resources": ["secrets"], "verbs": ["get", "create"]}
    pair.connection = pair.cluster.identity(tmp_path, {pair.a: [everything], pair.b: [everything]})
    assert "cannot update" in pair(names=["one", "two", "three"])["msg"]
    assert set(pair.versions()) == {"two"}


def test_wrong_token_and_unreachable(pair, tmp_path):
    pair.source()
    pair.connection = {"host": pair.cluster.client.host, "api_key": "nonsense-token", "ca_cert": str(pair.cluster.plane.ca_file)}
    assert pair()["error"] == "authentication"
    assert "nonsense-token" not in pair()["stdout"]
    pair.connection = {"host": pair.cluster.client.host, "api_key": "x"}
    assert "certificate" in pair()["msg"] and pair()["error"] == "authentication"
    pair.connection = {"host": "https://127.0.0.1:9", "api_key": "x"}
    assert pair()["error"] == "unreachable"
    pair.connection = {"kubeconfig": str(tmp_path / "none")}
    assert pair()["error"] == "usage"


@pytest.mark.parametrize("change,kept", [({"metadata": {"labels": {"late": "yes"}}}, True), ({"stringData": {"password": "theirs"}}, False)])
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
        assert not found.get("failed") and value(pair.copy()) == ROTATED and pair.copy()["metadata"]["labels"] == {"late": "yes"}
    else:
        assert found["failed"] and found["error"] == "conflict" and value(pair.copy()) == "theirs"
        pair.step(True, ["updated"])


def test_terminating_namespace(pair):
    pair.source()
    pair.cluster.client.create(f"/api/v1/namespaces/{pair.b}/configmaps",
                               {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "hold", "finalizers": ["example.com/hold"]}})
    pair.cluster.client.delete(f"/api/v1/namespaces/{pair.b}")
    pair.cluster.until(lambda: pair.cluster.client.get(f"/api/v1/namespaces/{pair.b}")["status"]["phase"] == "Terminating", "the namespace to terminate")
    found = pair()
    assert found["error"] == "refused" and found["code"] == "NamespaceTerminating" and "finalizers" in found["msg"]
    pair.cluster.merge(pair.b, "hold", {"metadata": {"finalizers": None}}, "configmaps")
