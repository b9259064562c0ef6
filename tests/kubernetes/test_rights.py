# SPDX-License-Identifier: GPL-3.0-or-later
"""What an account with the printed Roles may do, by the API server's own answer: what a stage needs, and nothing else,
in its namespaces or outside.
"""

from __future__ import annotations

import itertools

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import AuthorizationError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.client import KubernetesClient, object_path
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.rbac import roles

pytestmark = pytest.mark.kubernetes

USERS = [
    {"name": "kdr-stages", "purpose": "stages"},
    {"name": "kdr-mirror", "purpose": "mirror"},
    {"name": "shop", "purpose": "application"},
]
MIRRORS = [{"name": "backup", "source": "na", "target": "eu"}]
STRIMZI = "kafka.strimzi.io"
CHANGES = ("create", "update", "patch", "delete", "deletecollection")
# In the namespace of the mirror's target. Of what is there, only what the stages are about; and nothing that hands out
# further rights.
DENIED = [
    *itertools.product(("list", "watch", "delete", "deletecollection"), [("", "secrets", "")]),
    *itertools.product(
        ("get", "patch", "update", "delete"),
        [("", "secrets", one) for one in ("bills", "main-clients-ca", "main-cluster-ca")],
    ),
    *itertools.product(
        ("patch", "update", "delete"), [("", "secrets", "kdr-mirror"), ("", "secrets", "main-cluster-ca-cert")]
    ),
    *itertools.product(
        CHANGES,
        [
            ("", "pods", ""),
            ("", "pods/exec", ""),
            ("", "pods/ephemeralcontainers", ""),
            ("", "serviceaccounts", ""),
            ("", "serviceaccounts/token", ""),
            ("", "configmaps", ""),
            ("", "services", ""),
            ("apps", "deployments", ""),
            ("apps", "statefulsets", ""),
            ("batch", "jobs", ""),
            ("networking.k8s.io", "networkpolicies", ""),
            ("rbac.authorization.k8s.io", "roles", ""),
            ("rbac.authorization.k8s.io", "rolebindings", ""),
        ],
    ),
    *itertools.product(("escalate", "bind"), [("rbac.authorization.k8s.io", "roles", "kafka-dr")]),
    *itertools.product(
        ("delete", "deletecollection"),
        [(STRIMZI, "kafkas", ""), (STRIMZI, "kafkausers", ""), (STRIMZI, "kafkatopics", "")],
    ),
    *itertools.product(("patch", "update"), [(STRIMZI, "kafkas", "main"), (STRIMZI, "kafkausers", "stranger")]),
    *itertools.product(("get", "patch", "delete"), [(STRIMZI, "kafkamirrormaker2s", "another")]),
    *itertools.product(
        ("impersonate",), [("", "users", "admin"), ("", "groups", "system:masters"), ("", "serviceaccounts", "default")]
    ),
]
# The mirror's source, and a namespace that is nobody's: nothing of what is allowed in the target is allowed there.
ELSEWHERE = [
    (verb, what)
    for verb in ("get", "create", "patch", "delete")
    for what in (
        ("", "secrets", "kdr-mirror"),
        (STRIMZI, "kafkausers", "kdr-mirror"),
        (STRIMZI, "kafkatopics", "orders"),
        (STRIMZI, "kafkamirrormaker2s", "backup"),
    )
]
OF_CLUSTER = [
    (verb, what)
    for verb in ("get", "list", *CHANGES)
    for what in (
        ("", "namespaces", ""),
        ("", "nodes", ""),
        ("", "persistentvolumes", ""),
        ("rbac.authorization.k8s.io", "clusterroles", ""),
        ("rbac.authorization.k8s.io", "clusterrolebindings", ""),
        ("apiextensions.k8s.io", "customresourcedefinitions", ""),
        ("certificates.k8s.io", "certificatesigningrequests", ""),
        ("admissionregistration.k8s.io", "validatingwebhookconfigurations", ""),
    )
]


@pytest.fixture(scope="module")
def world(new, tmp_path_factory):
    """An account for the target's namespace alone, the namespaces, and the rules that it has."""
    spaces = {name: new.namespace(name) for name in ("na", "eu", "nobody")}
    regions = {
        name: {
            "kafka_dr_platform": "kubernetes",
            "kafka_dr_kubernetes": {"namespace": spaces[name], "cluster": "main"},
            "kafka_dr_users": USERS,
        }
        for name in ("na", "eu")
    }
    rules = next(one["rules"] for one in roles(regions, MIRRORS) if one["metadata"]["namespace"] == spaces["eu"])
    account = KubernetesClient(new.identity(tmp_path_factory.mktemp("rights"), {spaces["eu"]: rules}))
    return account, spaces, rules


def may(account, namespace, verb, what):
    group, resource, name = what
    resource, dummy, sub = resource.partition("/")
    attributes = {
        "verb": verb,
        "group": group,
        "resource": resource,
        "subresource": sub,
        "name": name,
        **({"namespace": namespace} if namespace else {}),
    }
    body = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": attributes},
    }
    return account.request("POST", object_path("authorization.k8s.io/v1", "selfsubjectaccessreviews"), body)["status"][
        "allowed"
    ]


def test_what_a_stage_does_is_allowed(world):
    account, spaces, rules = world
    asked = [
        (verb, (group, resource, name))
        for rule in rules
        for verb in rule["verbs"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        for name in rule.get("resourceNames") or [""]
    ]
    assert len(asked) > 20
    assert [one for one in asked if not may(account, spaces["eu"], *one)] == []


def test_nothing_else_is_allowed_in_its_namespace(world):
    account, spaces, dummy = world
    assert [one for one in DENIED if may(account, spaces["eu"], *one)] == []


@pytest.mark.parametrize("where", ["na", "nobody"])
def test_nothing_is_allowed_in_another_namespace(world, where):
    account, spaces, dummy = world
    assert [one for one in ELSEWHERE if may(account, spaces[where], *one)] == []


def test_nothing_is_allowed_in_the_cluster(world):
    assert [one for one in OF_CLUSTER if may(world[0], None, *one)] == []


def test_the_server_does_as_it_says(new, world):
    """Secrets of others: neither by name nor by a list."""
    account, spaces, dummy = world
    new.secret(spaces["eu"], "bills", {"password": "x"})
    new.secret(spaces["eu"], "kdr-mirror", {"password": "y"})
    assert account.request("GET", object_path("v1", "secrets", spaces["eu"], "kdr-mirror"))["data"]
    for path in (
        object_path("v1", "secrets", spaces["eu"], "bills"),
        object_path("v1", "secrets", spaces["eu"]),
        object_path("v1", "secrets", spaces["na"]),
    ):
        with pytest.raises(AuthorizationError):
            account.request("GET", path)
