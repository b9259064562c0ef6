# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands in the way of a stage's writes is told before it begins: rights, namespaces that end, namespaces that are
not there.
"""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.client import object_path
from ansible_collections.streamsafe.kafka_dr.plugins.modules import kubernetes_access_info
from tests.support.kubernetes import run

pytestmark = pytest.mark.kubernetes

RULES = [
    {"apiGroups": [""], "resources": ["secrets"], "verbs": ["create"]},
    {
        "apiGroups": [""],
        "resources": ["secrets"],
        "verbs": ["get", "patch"],
        "resourceNames": ["kdr-mirror", "kdr-proof"],
    },
    {"apiGroups": ["kafka.strimzi.io"], "resources": ["kafkausers"], "verbs": ["list", "create"]},
]


def ask(namespace, connection, **more):
    return run(
        kubernetes_access_info.main,
        {"places": [{"name": "europe", "connection": connection, "namespace": namespace, "rules": RULES, **more}]},
    )


def test_what_is_granted_is_no_obstacle_and_nothing_is_made(new, tmp_path):
    namespace = new.namespace()
    assert ask(namespace, new.identity(tmp_path, {namespace: RULES}))["refusals"] == []
    assert ask(namespace, {"kubeconfig": new.kubeconfig})["granted"]
    users = run(
        kubernetes_access_info.main,
        {
            "places": [
                {
                    "name": "europe",
                    "connection": {"kubeconfig": new.kubeconfig},
                    "namespace": namespace,
                    "rules": RULES[2:],
                }
            ]
        },
    )
    assert users["granted"], users
    assert new.client.list(object_path("v1", "secrets", namespace)) == []
    assert new.client.list(object_path("kafka.strimzi.io/v1", "kafkausers", namespace)) == []


def test_a_right_that_is_missing_is_named(new, tmp_path):
    namespace = new.namespace()
    less = [RULES[0], {**RULES[1], "resourceNames": ["kdr-mirror"]}, {**RULES[2], "verbs": ["list"]}]
    found = ask(namespace, new.identity(tmp_path, {namespace: less}))
    assert not found["granted"] and len(found["refusals"]) == 1
    assert "no right to get/patch secrets 'kdr-proof'; create kafkausers.kafka.strimzi.io" in found["refusals"][0]
    assert "'kdr-mirror'" not in found["refusals"][0] and "system:serviceaccount:" in found["refusals"][0]


def hold(cluster, namespace):
    """Make a ConfigMap whose finalizer keeps its namespace from ending; its path."""
    metadata = {"name": "stuck", "finalizers": ["strimzi.io/topic-operator"]}
    path = object_path("v1", "configmaps", namespace)
    cluster.client.create(path, {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata})
    return f"{path}/stuck"


def delete_held(cluster, namespace):
    """Delete a namespace that something holds, and wait until its status names that."""
    path = object_path("v1", "namespaces", name=namespace)
    cluster.client.delete(path)
    bindings = object_path("rbac.authorization.k8s.io/v1", "rolebindings", namespace)
    cluster.until(lambda: cluster.client.list(bindings) == [], "the RoleBindings to be gone")
    cluster.until(
        lambda: "strimzi.io/topic-operator" in str(cluster.client.get(path)["status"]),
        "the namespace to say what holds it",
    )


def test_a_namespace_that_ends_or_is_not_there_is_named_with_its_way_out(new, tmp_path):
    namespace, mine = new.namespace(), new.namespace()
    held = hold(new, namespace)
    # The account lives elsewhere: with the namespace go its Role and RoleBinding.
    limited = new.identity(tmp_path, {mine: RULES, namespace: RULES})
    delete_held(new, namespace)
    seen = ask(namespace, {"kubeconfig": new.kubeconfig})["refusals"]
    assert (
        len(seen) == 1
        and "is being deleted" in seen[0]
        and "strimzi.io/topic-operator" in seen[0]
        and "RoleBindings" in seen[0]
    )
    blind = ask(namespace, limited)["refusals"]
    assert (
        len(blind) == 1
        and "may not be written to as system:serviceaccount:" in blind[0]
        and "RoleBinding" in blind[0]
        and "finalizers" in blind[0]
    )
    new.client.request("PATCH", held, {"metadata": {"finalizers": None}}, content_type="application/merge-patch+json")
    new.until(
        lambda: new.client.get(object_path("v1", "namespaces", name=namespace)) is None, "the namespace to be gone"
    )
    assert "is not there" in ask(namespace, {"kubeconfig": new.kubeconfig})["refusals"][0]
    assert ask(namespace, {"kubeconfig": new.kubeconfig}, may_be_made=True)["granted"]


def test_a_namespace_that_ends_is_told_to_whom_still_has_every_right(new, tmp_path):
    """A ClusterRole outlives the namespace; without the right to read namespaces only a try tells that it ends."""
    namespace, mine = new.namespace(), new.namespace()
    path = object_path("v1", "configmaps", namespace)
    new.client.create(
        path,
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "stuck", "finalizers": ["example.com/never"]}},
    )
    who = new.identity(tmp_path, {mine: RULES})
    account = new.client.list(object_path("v1", "serviceaccounts", mine))
    name = next(one["metadata"]["name"] for one in account if one["metadata"]["name"].startswith("user-"))
    rbac = "rbac.authorization.k8s.io/v1"
    new.client.create(
        object_path(rbac, "clusterroles"),
        {"apiVersion": rbac, "kind": "ClusterRole", "metadata": {"name": name}, "rules": RULES},
    )
    new.client.create(
        object_path(rbac, "clusterrolebindings"),
        {
            "apiVersion": rbac,
            "kind": "ClusterRoleBinding",
            "metadata": {"name": name},
            "roleRef": {"apiGroup": rbac.partition("/")[0], "kind": "ClusterRole", "name": name},
            "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": mine}],
        },
    )
    new.until(lambda: ask(namespace, who)["granted"], "the rights to count")
    new.client.delete(object_path("v1", "namespaces", name=namespace))
    new.until(lambda: not ask(namespace, who)["granted"], "the namespace to end")
    assert "is being deleted" in ask(namespace, who)["refusals"][0]
    new.client.request(
        "PATCH", f"{path}/stuck", {"metadata": {"finalizers": None}}, content_type="application/merge-patch+json"
    )


def test_an_api_server_that_does_not_answer_stands_in_the_way():
    found = ask("kafka", {"host": "https://127.0.0.1:1", "api_key": "x"})
    assert not found["granted"] and "https://127.0.0.1:1" in found["unanswered"][0] and found["refusals"] == []
