# SPDX-License-Identifier: GPL-3.0-or-later
"""The other accounts whose Roles are printed: jobs that only read, where a definition is kept, and where mirrors are
Deployments. By the API server's own answer each may do what its rules say, and nothing else.
"""

from __future__ import annotations

import itertools

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.client import KubernetesClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.rbac import reader_roles, roles

from .test_rights import CHANGES, ELSEWHERE, MIRRORS, OF_CLUSTER, STRIMZI, may

pytestmark = pytest.mark.kubernetes

USERS = [{"name": f"kdr-{one}", "purpose": one} for one in ("stages", "mirror", "proof", "witness", "reader")]
USERS.append({"name": "shop", "purpose": "application"})
RESOURCES = [
    *(("", one) for one in ("secrets", "configmaps", "pods", "pods/exec", "services", "serviceaccounts")),
    ("", "serviceaccounts/token"),
    *(("apps", one) for one in ("deployments", "statefulsets", "daemonsets")),
    ("batch", "jobs"),
    *(("rbac.authorization.k8s.io", one) for one in ("roles", "rolebindings")),
    *((STRIMZI, one) for one in ("kafkas", "kafkanodepools", "kafkausers", "kafkatopics", "kafkamirrormaker2s")),
]
VERBS = ("get", "list", "watch", *CHANGES, "escalate", "bind", "impersonate")
# Names that are there in any such namespace, and no account may read but the one that is meant to.
NAMES = ("bills", "kdr-stages", "kdr-mirror", "shop", "main-cluster-ca", "main-clients-ca", "kdr-reader", "kdr-proof")
ACCOUNTS = ("reader", "reader of what is kept", "keeper", "mirrors")


@pytest.fixture(scope="module")
def accounts(new, tmp_path_factory):
    """``{account: (its client, its namespace, its rules)}``, and the name of a namespace that is nobody's."""
    spaces = {name: new.namespace(name) for name in ("na", "eu", "kept", "mirrors", "others")}
    regions = {
        name: {
            "kafka_dr_platform": "kubernetes",
            "kafka_dr_kubernetes": {"namespace": spaces[name], "cluster": "main"},
            "kafka_dr_users": USERS,
        }
        for name in ("na", "eu")
    }
    regions["na"]["kafka_dr_kubernetes"]["backup"] = {"namespace": spaces["kept"]}
    regions["asia"] = {
        "kafka_dr_platform": "managed",
        "kafka_dr_mirror_platform": "deployment",
        "kafka_dr_mirror_deployment": {"image": "i", "namespace": spaces["mirrors"]},
    }
    mirrors = [*MIRRORS, {"name": "far", "source": "na", "target": "asia"}]

    def of(made, space):
        return next(one["rules"] for one in made if one["metadata"]["namespace"] == spaces[space])

    rules = {
        "reader": ("na", of(reader_roles(regions, mirrors), "na")),
        "reader of what is kept": ("kept", of(reader_roles(regions, mirrors), "kept")),
        "keeper": ("kept", of(roles(regions, mirrors), "kept")),
        "mirrors": ("mirrors", of(roles(regions, mirrors), "mirrors")),
    }
    made = {}
    for number, (name, (space, granted)) in enumerate(rules.items()):
        identity = new.identity(tmp_path_factory.mktemp(f"account{number}"), {spaces[space]: granted})
        made[name] = (KubernetesClient(identity), spaces[space], granted)
    return made, spaces["others"]


def granted(rules, verb, group, resource, name):
    return any(
        verb in rule["verbs"]
        and group in rule["apiGroups"]
        and resource in rule["resources"]
        and ("resourceNames" not in rule or name in rule["resourceNames"])
        for rule in rules
    )


def asked(rules):
    """Each verb on each kind, with names of the rules and of others, and without one."""
    names = sorted({one for rule in rules for one in rule.get("resourceNames", [])} | set(NAMES)) + [""]
    for verb, (group, resource), name in itertools.product(VERBS, RESOURCES, names):
        # Secrets matter by their names.
        if name == "" or (resource == "secrets" and verb in ("get", "patch", "update", "delete")):
            yield verb, (group, resource, name)


@pytest.mark.parametrize("account", ACCOUNTS)
def test_it_may_do_what_its_rules_say_and_nothing_else(accounts, account):
    client, namespace, rules = accounts[0][account]
    wrong = [
        (verb, what) for verb, what in asked(rules) if may(client, namespace, verb, what) != granted(rules, verb, *what)
    ]
    assert wrong == []


@pytest.mark.parametrize("account", ACCOUNTS)
def test_it_may_do_nothing_elsewhere(accounts, account):
    client = accounts[0][account][0]
    assert [one for one in ELSEWHERE if may(client, accounts[1], *one)] == []
    assert [one for one in OF_CLUSTER if may(client, None, *one)] == []


def test_who_reads_changes_nothing_and_who_keeps_does_not_list(accounts):
    for account in ("reader", "reader of what is kept"):
        assert {verb for rule in accounts[0][account][2] for verb in rule["verbs"]} <= {"get", "list"}
    readable = [rule.get("resourceNames") for rule in accounts[0]["reader"][2] if rule["resources"] == ["secrets"]]
    assert readable == [["kdr-proof", "kdr-reader", "main-cluster-ca-cert"]]
    assert [rule["resourceNames"] for rule in accounts[0]["reader of what is kept"][2]] == [["na-definition"]]
    for account in ("keeper", "mirrors"):
        verbs = {verb for rule in accounts[0][account][2] for verb in rule["verbs"]}
        assert not verbs & {"list", "watch", "deletecollection"}
