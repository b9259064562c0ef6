# SPDX-License-Identifier: GPL-3.0-or-later
"""What the Kafka resource says of who stands above ACLs reaches what a fence finds: no client is told it, and here
nobody has a password to ask with.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.client import object_path
from tests.kubernetes.playing import Regions
from tests.real.hosts.mirrors import create
from tests.real.hosts.moved import of_role
from tests.real.ledger.guarded import guarded

pytestmark = pytest.mark.kubernetes
EVERYONE, SUPERS = "allow.everyone.if.no.acl.found", "super.users"
WHERE = {"credentials_region": "north_america", "credentials_topics": "orders"}
RIGHTS = "{{ credentials_rights.unfenceable | dictsort | map('join', ' ') | join('; ') }}"
FOUND = {"name": "Show", "ansible.builtin.debug": {"msg": f"FOUND {RIGHTS} END"}}


@pytest.fixture(scope="module")
def regions(new, tmp_path_factory) -> Iterator[Regions]:
    """Two regions, of which one has a broker that takes the producer for a super-user, and opens topics without ACL; no
    right in the API server that the stages are not given.
    """
    directory = tmp_path_factory.mktemp("settings")
    supers = {SUPERS: "User:ANONYMOUS;User:kdr-stages;User:shop-producer", EVERYONE: "true"}
    broker, of_user = guarded(directory / "broker", "settings", ["kdr-stages"], supers)
    create(broker.client, "orders")
    made = Regions({"north_america": new, "europe": new}, directory)
    host, client = made.hosts["north_america"], of_user("kdr-stages")
    del host["kafka_dr_applications"]
    host["kafka_dr_client_secrets"] = {"sasl.password": client.pop("sasl.password")}
    host.update({"kafka_dr_client": client, "kafka_dr_super_users": ["User:kdr-stages"]})
    made.limit_rights()
    yield made
    broker.stop()


def describe(regions: Regions) -> None:
    """The Kafka resource as the broker was started with."""
    namespace = regions.namespaces["north_america"]
    body = copy.deepcopy(regions.hosts["north_america"]["kafka_dr_kafka"]["resources"][1])
    body["metadata"]["namespace"] = namespace
    body["spec"]["kafka"]["authorization"]["superUsers"] = ["shop-producer"]
    body["spec"]["kafka"]["config"] = {**body["spec"]["kafka"]["config"], EVERYONE: True}
    regions.places["north_america"].client.create(object_path(body["apiVersion"], "kafkas", namespace), body)


def keep_user(regions: Regions, labels: dict[str, str]) -> None:
    """The producer's KafkaUser with rights, as a tool would mark it."""
    namespace, client = regions.namespaces["north_america"], regions.places["north_america"].client
    version = regions.hosts["north_america"]["kafka_dr_kafka"]["resources"][1]["apiVersion"]
    acl = {"resource": {"type": "topic", "name": "orders"}, "operations": ["Write"]}
    body = {
        "apiVersion": version,
        "kind": "KafkaUser",
        "metadata": {
            "name": "shop-producer",
            "namespace": namespace,
            "labels": {
                **labels,
                "strimzi.io/cluster": regions.hosts["north_america"]["kafka_dr_kubernetes"]["cluster"],
            },
        },
        "spec": {"authorization": {"type": "simple", "acls": [acl]}},
    }
    client.create(object_path(version, "kafkausers", namespace), body)


def found(regions: Regions) -> str:
    tasks = [{**of_role("credentials", "look.yml"), "vars": WHERE}, FOUND]
    said = " ".join(regions.play(tasks, learns=False).output.split())
    return said.rpartition("FOUND ")[2].partition(" END")[0]


def test_who_stands_above_acls_by_the_kafka_resource_is_named(regions):
    said = found(regions)
    assert f"{SUPERS} is set, no client is told to what" in said and "is a super-user" not in said, said
    describe(regions)
    said = found(regions)
    assert "User:shop-producer is a super-user" in said, said
    assert f"{EVERYONE} is true" in said and "no client is told to what" not in said, said


def test_a_tool_that_gives_rights_back_after_the_fence_is_named(regions):
    assert "KafkaUser" not in found(regions)
    keep_user(regions, {"kustomize.toolkit.fluxcd.io/name": "shop"})
    said = found(regions)
    assert "KafkaUser shop-producer is kept by Flux, which gives its rights back: suspend it" in said, said
