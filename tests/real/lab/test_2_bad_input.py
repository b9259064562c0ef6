# SPDX-License-Identifier: GPL-3.0-or-later
"""initial_setup before anything is set up: what it refuses and says in check mode, with nothing changed."""

from __future__ import annotations

import socket
import threading
import time

import pytest
from confluent_kafka import Consumer, Producer

from kafka_dr_lab.pki import new_authority
from kafka_dr_lab.ports import free_ports
from tests.real.lab.playing import SOURCE, TARGET

pytestmark = pytest.mark.real


@pytest.fixture(scope="module")
def before(ground):
    return ground.state()


def test_check_on_a_first_run_says_what_it_would_do_and_does_nothing(ground, before):
    done = ground.stage("initial_setup", None, "--check")
    assert done.returncode == 0, done.stdout
    assert "check mode: nothing is changed" in done.stdout
    for step in (
        "Create the users in the target",
        "Allow services and applications",
        "Create the topics that the source is to have",
        "Prepare the mirror's topics in the target",
        "Bring the programs to their state",
    ):
        assert step in done.stdout, done.stdout
    assert ground.state() == before


def refused(ground, before, done, *words):
    assert done.returncode != 0, done.stdout
    text = " ".join(done.stdout.split())
    for word in words:
        assert word in text, done.stdout
    assert "Traceback" not in done.stdout
    assert ground.state() == before


def test_an_unknown_region(ground, before):
    refused(
        ground,
        before,
        ground.stage("initial_setup", {"initial_setup_target": "atlantis"}),
        "Region atlantis is unknown: expected one of europe, north_america",
        "correct the name, or add it",
    )


def test_equal_regions(ground, before):
    refused(
        ground,
        before,
        ground.stage("initial_setup", {"initial_setup_source": TARGET}),
        "Source and target are both europe: expected two different regions",
        "Name the other one",
    )


def test_a_target_that_does_not_answer(ground, before):
    address = f"127.0.0.1:{free_ports(1)[0]}"

    def change(inventory):
        inventory["hosts"][TARGET]["kafka_dr_client"]["bootstrap.servers"] = address

    refused(
        ground,
        before,
        ground.stage("initial_setup", change=change),
        f"expected a broker at {address}",
        "Check address, listener and firewall",
    )


def test_a_wrong_password(ground, before):
    def change(inventory):
        inventory["hosts"][TARGET]["kafka_dr_client_secrets"]["sasl.password"] = "not-the-password-77"

    done = ground.stage("initial_setup", change=change)
    refused(
        ground,
        before,
        done,
        "expected the password of kdr-stages to be right",
        "Correct sasl.username and sasl.password",
    )
    assert "not-the-password-77" not in done.stdout


def test_an_authority_that_does_not_match(ground, before):
    def change(inventory):
        inventory["hosts"][TARGET]["kafka_dr_client"]["ssl.ca.pem"] = new_authority("another")["certificate"]

    refused(
        ground,
        before,
        ground.stage("initial_setup", change=change),
        "No trusted TLS connection",
        "Correct ssl.ca.pem",
        "verification stays on",
    )


@pytest.fixture
def strangers(ground):
    """A topic of the target with a record that no mirror brought, and a live member of the applications' group."""
    topic = {"name": "flights.departed", "partitions": 1, "replication_factor": 1}
    ground.module("topics", topics=[topic])
    producer = Producer(ground.admin(TARGET))
    producer.produce(topic["name"], b"stranger")
    assert producer.flush(30) == 0
    consumer = Consumer({**ground.admin(TARGET), "group.id": "flights-dashboard", "enable.auto.commit": False})
    consumer.subscribe([topic["name"]])
    ended = threading.Event()
    thread = threading.Thread(target=lambda: [consumer.poll(0.2) for dummy in iter(ended.is_set, True)])
    thread.start()
    end = time.monotonic() + 60
    while not ground.module("cluster_info", until_groups=["flights-dashboard"])["ready"]:
        assert time.monotonic() < end, "the consumer did not join"
    yield
    ended.set()
    thread.join()
    consumer.close()
    ground.module("topics", topics=[topic], state="absent")


def test_foreign_records_and_a_group_in_use_are_told_together(ground, strangers):
    before = ground.state()
    refused(
        ground,
        before,
        ground.stage("initial_setup"),
        "Refused, nothing was changed",
        "Topic flights.departed in europe holds records that no mirror brought there",
        "-e initial_setup_accept_foreign_records=true",
        "Group flights-dashboard has members in europe",
        "Stop its consumers",
    )


def test_two_names_for_one_cluster(ground, before):
    def change(inventory):
        inventory["hosts"][TARGET]["kafka_dr_client"] = inventory["hosts"][SOURCE]["kafka_dr_client"]

    refused(
        ground,
        before,
        ground.stage("initial_setup", change=change),
        "are the same cluster",
        "Correct kafka_dr_client of one of them",
    )
    # What a later step of a failover would need is looked at with it, in one refusal.
    refused(
        ground,
        before,
        ground.stage("failover", {"failover_manifest": "file:///nowhere/manifest"}, change=change),
        "are the same cluster",
        "The manifest of north_america cannot be used: There is no manifest at file:///nowhere/manifest",
        "or leave it out",
    )


@pytest.mark.parametrize(
    "stage, extra",
    [
        ("resume", {"resume_region": SOURCE, "resume_from": TARGET}),
        ("new_backup", {"new_backup_region": SOURCE, "new_backup_to": TARGET}),
        # Rights would be taken from the applications where they work.
        ("fence", {"fence_region": SOURCE, "fence_survivor": TARGET}),
        # Topics would be deleted where the applications work.
        ("failback", {"failback_region": SOURCE, "failback_from": TARGET}),
        ("recreate_from_backup", {"recreate_from_backup_region": SOURCE, "recreate_from_backup_from": TARGET}),
    ],
)
def test_two_names_for_one_cluster_where_it_is_told_by_its_id_alone(ground, before, stage, extra):
    def change(inventory):
        inventory["hosts"][SOURCE]["kafka_dr_client"] = {
            **inventory["hosts"][TARGET]["kafka_dr_client"],
            "client.id": "by-another-name",
        }

    refused(
        ground,
        before,
        ground.stage(stage, extra, change=change),
        "are the same cluster",
        "Correct kafka_dr_client of one of them",
    )


def test_a_gate_of_one_s_own(ground, before):
    own = [{"query": "report.source.brokers >= `3`", "message": "The source has fewer than three brokers"}]
    refused(
        ground,
        before,
        ground.stage("initial_setup", {"initial_setup_require": own}),
        "Your own gate is closed: The source has fewer than three brokers",
    )


@pytest.mark.parametrize("stage, extra", [("initial_setup", {}), ("failover", {"failover_planned": True})])
def test_machines_that_do_not_answer_are_told_together_before_anything_is_changed(ground, before, stage, extra):
    """One refuses, one accepts and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as mute:

        def change(inventory):
            ways = {"refuses": free_ports(1)[0], "mute": mute.getsockname()[1]}
            for name, port in ways.items():
                inventory["hosts"][name] = {
                    "ansible_connection": "ssh",
                    "ansible_host": "127.0.0.1",
                    "ansible_port": port,
                }
            inventory["hosts"][TARGET]["kafka_dr_mirror_hosts"] = [TARGET, "refuses"]
            inventory["hosts"][TARGET]["kafka_dr_mirror_rest_open"] = "nothing is started in this test"
            inventory["hosts"]["mute"]["kafka_dr_applications"] = [
                {
                    "name": "far",
                    "kind": "process",
                    "role": "both",
                    "environment_file": "/nowhere/env",
                    "principals": ["departures-producer"],
                }
            ]

        refused(
            ground,
            before,
            ground.stage(stage, {**extra, "preflight_answer_timeout": 5}, change=change),
            "expected all to answer, found no answer from mute (no answer within 5 s); "
            "refuses (Failed to connect to the host via ssh",
            "Connection refused",
        )
