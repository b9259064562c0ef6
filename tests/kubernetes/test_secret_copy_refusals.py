# SPDX-License-Identifier: GPL-3.0-or-later
"""What ``secret_copy`` refuses: what is not its own, what is not allowed, and what cannot be reached."""

from __future__ import annotations

import pytest

from .secret_pairs import ROTATED, VALUE, value

pytestmark = pytest.mark.kubernetes


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
    pair.cluster.client.create(
        f"/api/v1/namespaces/{pair.b}/configmaps", {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "x"}}
    )
    uid = pair.cluster.read(pair.b, "x", "configmaps")["metadata"]["uid"]
    pair.cluster.secret(
        pair.b,
        "two",
        {"password": "op"},
        metadata={"ownerReferences": [{"apiVersion": "v1", "kind": "ConfigMap", "name": "x", "uid": uid}]},
    )
    found = pair(names=["two"])
    assert found["failed"] and found["code"] == "owned" and "ConfigMap/x" in found["msg"]


def test_missing_namespace(pair):
    pair.source()
    pair.b = "not-there"
    assert "not-there" in pair()["msg"] and pair()["error"] == "not_found"
    assert pair(check=True)["changed"]


@pytest.mark.parametrize(
    "arguments,words",
    [
        ({"names": ["one", "two"], "rename": {"one": "two"}}, "would become"),
        ({"rename": {"none": "two"}}, "not copied"),
        ({"name_regex": "("}, "no regular expression"),
    ],
)
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
    pair.source(
        "token",
        type="kubernetes.io/service-account-token",
        metadata={"annotations": {"kubernetes.io/service-account.name": "mirror"}},
    )
    assert "its own cluster signs" in pair(names=["token"])["msg"]
    pair.b = pair.a
    assert "onto itself" in pair()["msg"]


def test_works_with_name_scoped_rights_and_says_which_are_missing(pair, tmp_path):
    pair.source()
    pair.source("two")
    reading = [{"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["one"], "verbs": ["get"]}]
    writing = [
        {"apiGroups": [""], "resources": ["secrets"], "resourceNames": ["one"], "verbs": ["get", "update", "delete"]},
        {"apiGroups": [""], "resources": ["secrets"], "verbs": ["create"]},
    ]
    pair.connection = pair.cluster.identity(tmp_path, {pair.a: reading, pair.b: writing})
    pair.step(True, ["created"])
    found = pair(names=["one", "two"])
    assert (
        found["error"] == "authorization"
        and f"read Secret '{pair.a}/two'" in found["msg"]
        and "cannot get" in found["msg"]
    )
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
    pair.connection = {
        "host": pair.cluster.client.host,
        "api_key": "nonsense-token",
        "ca_cert": str(pair.cluster.plane.ca_file),
    }
    assert pair()["error"] == "authentication"
    assert "nonsense-token" not in pair()["stdout"]
    pair.connection = {"host": pair.cluster.client.host, "api_key": "x"}
    assert "certificate" in pair()["msg"] and pair()["error"] == "authentication"
    pair.connection = {"host": "https://127.0.0.1:9", "api_key": "x"}
    assert pair()["error"] == "unreachable"
    pair.connection = {"kubeconfig": str(tmp_path / "none")}
    assert pair()["error"] == "usage"
