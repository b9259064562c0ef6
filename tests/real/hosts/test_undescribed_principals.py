# SPDX-License-Identifier: GPL-3.0-or-later
"""Principals that an application works as and no entry of ``kafka_dr_users`` describes, such as those of OAuth: a fence
takes their rights, a stage gives them back, and a region that is made again keeps them waiting for ``resume``.
"""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import binding_acls, ensure_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from tests.conftest import ROOT
from tests.real.ledger.guarded import guarded
from tests.support.api_servers import answering, discovery
from tests.support.local_play import play_locally

pytestmark = pytest.mark.real
APPLICATION = {"name": "orders", "kind": "hook", "role": "producer", "principals": ["svc-orders"]}
VERSION = "kafka.strimzi.io/v1"


def right(principal: str, operation: str = "WRITE") -> dict[str, Any]:
    return {"principal": principal, "resource": "topic", "name": "orders", "operations": [operation]}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    above = {"super.users": "User:ANONYMOUS;User:kdr-stages"}
    broker, of_user = guarded(tmp_path_factory.mktemp("undescribed"), "undescribed", ["kdr-stages"], above)
    yield broker, of_user("kdr-stages")
    broker.stop()


def region(client: dict[str, Any], platform: str, *users: dict[str, Any], host: str = "http://127.0.0.1:9") -> Any:
    public = {key: value for key, value in client.items() if key != "sasl.password"}
    return {
        "kafka_dr_platform": platform,
        "ansible_connection": "local",
        "kafka_dr_client": public,
        "kafka_dr_client_secrets": {"sasl.password": client["sasl.password"]},
        "kafka_dr_super_users": ["kdr-stages"],
        "kafka_dr_kubernetes": {"namespace": "kafka", "cluster": "main", "host": host, "api_key": "x"},
        "kafka_dr_users": [
            {"name": "kdr-stages", "purpose": "stages"},
            {"name": "kdr-mirror", "purpose": "mirror"},
            *users,
        ],
        "kafka_dr_applications": [APPLICATION],
    }


def credentials(tasks: str, **given: Any) -> dict[str, Any]:
    role = {"name": "streamsafe.kafka_dr.credentials", "tasks_from": tasks}
    return {"name": tasks, "ansible.builtin.include_role": role, "vars": {"credentials_region": "na", **given}}


def rights_in(broker) -> set[tuple[str, str]]:
    return {(acl.principal, acl.operation) for acl in binding_acls(KafkaClient(broker.client))}


@pytest.mark.parametrize("platform", ["kubernetes", "managed"])
def test_what_a_fence_took_in_kafka_is_given_back_there(cluster, tmp_path, platform):
    broker, client = cluster
    ensure_acls(KafkaClient(broker.client), [right("User:svc-orders")], "present", False)
    options = "{{ hostvars.na | streamsafe.kafka_dr.client_options }}"
    take = {
        "module_defaults": {"group/streamsafe.kafka_dr.kafka": options},
        "name": "Take what a fence takes",
        "streamsafe.kafka_dr.acls": {
            "principals": "{{ hostvars.na | streamsafe.kafka_dr.fence_principals(hostvars) | map(attribute='name') }}",
            "state": "absent",
        },
        "register": "taken",
    }
    taken = play_locally(tmp_path, [take], hosts={"na": region(client, platform)})
    assert taken.returncode == 0 and rights_in(broker) == set(), taken.stdout
    back = [{**right("User:svc-orders"), "pattern": "literal", "permission": "allow", "host": "*"}]
    admit = credentials("admit.yml", credentials_given_back=back)
    done = play_locally(tmp_path, [admit], hosts={"na": region(client, platform)})
    assert done.returncode == 0, done.stdout + done.stderr
    assert rights_in(broker) == {("User:svc-orders", "WRITE")}


def test_a_region_that_is_made_again_lets_no_application_write(cluster, tmp_path):
    broker, client = cluster
    ensure_acls(KafkaClient(broker.client), [right("User:svc-orders")], "absent", False)
    users = [{"name": "till", "purpose": "application", "password": "p"}]
    acls = [right(name) for name in ("User:svc-orders", "User:till", "User:audit")]
    # No client here has a name for it.
    acls.append({"principal": "User:spark", "resource": "unknown", "name": "bob", "operations": ["UNKNOWN"]})
    restore = credentials("restore.yml", credentials_definition={"users": users, "acls": acls})
    done = play_locally(tmp_path, [restore], hosts={"na": region(client, "managed", users[0])})
    assert done.returncode == 0, done.stdout + done.stderr
    assert rights_in(broker) == {("User:audit", "WRITE")}
    assert "no client here has names for" in done.stdout and "User:spark" in done.stdout


def test_users_who_have_no_password_are_left_alone_on_hosts(cluster, tmp_path):
    """The same list may stand for a region on Kubernetes, from where passwords are learnt."""
    dummy, client = cluster
    users = [
        {"name": "kdr-stages", "purpose": "stages", "password": client["sasl.password"]},
        {
            "name": "cash",
            "purpose": "application",
            "password": "p",
            "password_learned": True,
            "authentication": "scram-sha-512",
        },
        {"name": "orders", "purpose": "application", "authentication": "tls"},
        {"name": "bus", "purpose": "application", "authentication": "none"},
    ]
    make = {
        "name": "Make them",
        "streamsafe.kafka_dr.scram_users": {"users": users},
        "module_defaults": {
            "group/streamsafe.kafka_dr.kafka": "{{ hostvars.na | streamsafe.kafka_dr.client_options }}"
        },
        "register": "done",
    }
    show = {"ansible.builtin.debug": {"msg": "CREATED {{ done.created | difference(['kdr-stages']) }}"}}
    done = play_locally(tmp_path, [make, show], hosts={"na": region(client, "managed")})
    assert done.returncode == 0 and "CREATED ['cash']" in done.stdout, done.stdout + done.stderr


def test_nor_one_with_a_certificate(tmp_path):
    users = [
        {"name": "orders", "purpose": "application", "authentication": "tls"},
        {"name": "till", "purpose": "application"},
        {"name": "kdr-mirror", "purpose": "mirror"},
    ]
    acls = [right(name) for name in ("User:CN=orders", "User:CN=till", "User:till", "User:kdr-mirror")]
    show = {"ansible.builtin.debug": {"msg": "KEPT {{ __credentials_kept_acls | map(attribute='principal') | list }}"}}
    known = {"ansible.builtin.include_vars": str(ROOT / "roles/credentials/vars/main.yml")}
    done = play_locally(
        tmp_path,
        [known, show],
        hosts={"na": {"kafka_dr_platform": "kubernetes"}},
        credentials_region="na",
        credentials_definition={"users": users, "acls": acls},
    )
    assert "KEPT ['User:kdr-mirror']" in done.stdout, done.stdout + done.stderr


def kafka_user(name: str) -> dict[str, Any]:
    rule = {"type": "allow", "resource": {"type": "topic", "name": "orders"}, "operations": ["Write"], "host": "*"}
    return {
        "apiVersion": VERSION,
        "kind": "KafkaUser",
        "metadata": {"name": name, "namespace": "kafka", "labels": {"strimzi.io/cluster": "main"}},
        "spec": {"authentication": {"type": "scram-sha-512"}, "authorization": {"type": "simple", "acls": [rule]}},
    }


def api_server() -> dict[str, Any]:
    """Pages of an API server that serves a Kafka, and KafkaUsers of a mirror and of two applications."""

    place = f"/apis/{VERSION}/namespaces/kafka"
    users = [kafka_user(name) for name in ("kdr-mirror", "orders", "svc-orders")]
    spec = {"kafka": {"authorization": {"type": "simple", "superUsers": ["kdr-stages"]}}}
    kafka = {"apiVersion": VERSION, "kind": "Kafka", "metadata": {"name": "main", "namespace": "kafka"}, "spec": spec}
    return {
        **discovery(VERSION, KafkaUser="kafkausers", Kafka="kafkas"),
        f"{place}/kafkas/main": kafka,
        f"{place}/kafkausers": {"apiVersion": VERSION, "kind": "KafkaUserList", "metadata": {}, "items": users},
    }


@pytest.mark.parametrize(
    ("look", "found", "named"),
    [
        ("look_mirror.yml", "credentials_mirror_rights", []),
        ("look.yml", "credentials_rights", ["KafkaUser svc-orders"]),
    ],
)
def test_a_gate_names_the_kafka_user_that_no_stage_changes_alone(cluster, tmp_path, look, found, named):
    broker, client = cluster
    ensure_acls(KafkaClient(broker.client), [right("User:svc-orders")], "absent", False)
    orders = {
        "name": "orders",
        "purpose": "application",
        "acls": [{"resource": "topic", "name": "orders", "operations": ["WRITE"]}],
    }
    mirror = {"name": "m", "source": "eu", "target": "na", "topics": [".*"]}
    with answering(api_server()) as host:
        regions = {name: region(client, "kubernetes", orders, host=host) for name in ("na", "eu")}
        done = play_locally(
            tmp_path,
            [
                credentials(look, credentials_mirror=mirror, credentials_topics=".*"),
                {"ansible.builtin.debug": {"msg": "NAMED {{ %s.unfenceable | list | sort }}" % found}},
            ],
            hosts=regions,
            everywhere={"kafka_dr_mirrors": [mirror]},
        )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    told = [
        name for name in ("KafkaUser kdr-mirror", "KafkaUser orders", "KafkaUser svc-orders") if name in done.stdout
    ]
    assert told == named, done.stdout[-2000:]
