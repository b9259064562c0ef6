# SPDX-License-Identifier: GPL-3.0-or-later
"""The stages of backup and restore on a lab of their own: what they refuse, what they say, and how they come through.
In the order of the story.
"""

from __future__ import annotations

import json
import stat
import time

import pytest
from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import NewTopic

from kafka_dr_lab.landscape import TOPICS
from kafka_dr_lab.ports import free_ports
from tests.real.lab.playing import SOURCE, TARGET

pytestmark = pytest.mark.real
EXTRA_TOPIC = "flights.diverted"
CONSUMER_QUOTA = {"entity": {"user": "departures-consumer"}, "limits": {"consumer_byte_rate": 50_000_000}}
PRODUCER_QUOTA = {
    "entity": {"user": "departures-producer", "client-id": None},
    "limits": {"producer_byte_rate": 50_000_000, "request_percentage": 150.5},
}
UNUSUAL = {
    "flights.compacted": {"cleanup.policy": "compact"},
    "flights.large": {"max.message.bytes": "6000000"},
    # Records of 2013 and of the future; the first are long beyond this retention.
    "flights.odd-times": {"retention.ms": "86400000", "message.timestamp.after.max.ms": "9223372036854775807"},
}


def test_what_is_kept_is_encrypted_and_nobody_else_s(story):
    text = story.kept().read_text()
    assert text.startswith("$ANSIBLE_VAULT;") and stat.S_IMODE(story.kept().stat().st_mode) == 0o600
    assert stat.S_IMODE(story.kept().parent.stat().st_mode) == 0o700
    assert not [one for one in story.every_secret() if one in text]


def test_without_a_restore_nothing_is_resumed_and_no_backup_gone_on_with(story):
    story.refused("resume", "no restore of north_america from europe", "Run recreate_from_backup to its end")
    story.refused("new_backup", "no restore of north_america from europe")


def test_a_region_that_lives_is_not_made_again(story):
    story.refused(
        "recreate_from_backup",
        "north_america answers and holds records",
        "recreate_from_backup_accept_region_alive=true",
    )


def test_nor_is_one_that_does_not_accept_this_job(story):
    def change(inventory):
        inventory["hosts"][SOURCE]["kafka_dr_client_secrets"]["sasl.password"] = "not-the-password-77"

    story.refused(
        "recreate_from_backup",
        "north_america answers, but does not accept this job",
        "recreate_from_backup_accept_region_alive=true",
        change=change,
    )


def test_a_gate_of_one_s_own(story):
    story.refused(
        "recreate_from_backup",
        "Your own gate is closed: not on a Friday",
        "The manifest of north_america cannot be used: There is no manifest at",
        recreate_from_backup_accept_region_alive=True,
        recreate_from_backup_manifest="file:///nowhere/manifest",
        recreate_from_backup_require=[{"query": "ledger.active_region == 'nowhere'", "message": "not on a Friday"}],
    )


def test_the_status_names_what_is_missing_and_passes_when_nothing_is(story):
    file = story.lab.directory / "work" / "status.json"
    done = story.run("backup_status", backup_status_file=str(file))
    assert done.returncode != 0 and "The copy was never proven" in done.stdout
    assert [one["what"] for one in json.loads(file.read_text())["findings"]] == ["proof"]
    story.went("verify_restore")
    assert "Backup of north_america in europe: well" in story.went("backup_status", backup_status_file=str(file))
    assert json.loads(file.read_text())["healthy"]


def test_a_new_topic_and_a_quota_are_drift_until_they_are_kept(story):
    for future in (
        story.admin_client(SOURCE)
        .create_topics([NewTopic(EXTRA_TOPIC, 2, 1, config={"cleanup.policy": "compact"})])
        .values()
    ):
        future.result(30)
    assert story.module("client_quotas", region=SOURCE, quotas=[CONSUMER_QUOTA])["changed"]
    done = story.run("backup_status")
    text = " ".join(done.stdout.split())
    assert done.returncode != 0 and f"topic '{EXTRA_TOPIC}' is not kept" in text
    assert "quotas differ: 1 are not kept, 0 are kept and no longer there" in text

    def change(inventory):
        inventory["hosts"][SOURCE]["kafka_dr_quotas"] = [PRODUCER_QUOTA]

    assert f"Kept again, since topic '{EXTRA_TOPIC}' is not kept; quotas differ: 2 are not kept" in story.went(
        "initial_setup", change=change
    )
    before = story.kept().read_bytes()
    story.went("initial_setup")
    assert story.kept().read_bytes() == before, "kept again although nothing changed"


def test_unusual_records_are_kept_too(story):
    topics = [NewTopic(name, 2, 1, config=configs) for name, configs in UNUSUAL.items()]
    for future in story.admin_client(SOURCE).create_topics(topics).values():
        future.result(30)
    producer = Producer({**story.admin(SOURCE), "message.max.bytes": 6_000_000, "linger.ms": 5})
    for turn in range(40):
        value, headers = b"v%d" % turn if turn % 5 else None, [("h", None), ("h", b"\x00\xff"), ("", b"")]
        producer.produce("flights.compacted", value, b"k%d" % (turn % 7), turn % 2, headers=headers)
        producer.produce(
            "flights.odd-times",
            b"o%d" % turn,
            None,
            turn % 2,
            timestamp=1_357_000_000_000 + turn if turn % 2 else 4_102_444_800_000 + turn,
        )
    for turn in range(3):
        producer.produce("flights.large", bytes([turn]) * 5_000_000, b"large", 0)
    assert producer.flush(60) == 0
    # Retention looks every five minutes, in each region on its own, and takes the records of 2013: they are equal again
    # when both have looked.
    end = time.monotonic() + 330
    while story.went("initial_setup") and any(
        _count(story, TARGET, name) != _count(story, SOURCE, name) for name in UNUSUAL
    ):
        assert time.monotonic() < end, {
            name: (_count(story, SOURCE, name), _count(story, TARGET, name)) for name in UNUSUAL
        }


def _count(story, region, topic):
    there = story.module("cluster_info", region=region, topics=topic.replace(".", r"\."))["topics"]
    return sum(map(len, story.records(region, topic).values())) if topic in there else 0


def test_after_the_loss_what_would_be_done_is_said_first(story):
    story.lab.lose(SOURCE)
    before = story.state_of_target()
    told = story.went("recreate_from_backup", "--check")
    assert "Would make north_america again as it was kept" in told and "7 topics" in told and "2 quotas" in told
    assert story.state_of_target() == before


def test_a_backup_that_does_not_answer(story):
    address = f"127.0.0.1:{free_ports(1)[0]}"

    def change(inventory):
        inventory["hosts"][TARGET]["kafka_dr_client"]["bootstrap.servers"] = address

    done = story.run("recreate_from_backup", change=change)
    assert done.returncode != 0 and f"expected a broker at {address}" in " ".join(done.stdout.split())


def test_a_backup_without_one_of_the_topics(story):
    next(iter(story.admin_client(TARGET).delete_topics([EXTRA_TOPIC]).values())).result(30)
    done = story.run("recreate_from_backup")
    text = " ".join(done.stdout.split())
    assert done.returncode != 0 and f"Topic {EXTRA_TOPIC} was kept with north_america and is missing in europe" in text
    assert "recreate_from_backup_accept_missing_topics=true" in text


@pytest.mark.full
def test_the_region_comes_back_proven_and_waits(story):
    told = story.went("recreate_from_backup", recreate_from_backup_accept_missing_topics=True)
    assert "PROVEN" in told and "Its applications are paused" in told
    found = story.module("cluster_info", region=SOURCE, read=["topics", "configs", "quotas"], topics=r"flights\..*")
    held = found["topics"]
    assert sorted(found["quotas"], key=str) == sorted([CONSUMER_QUOTA, PRODUCER_QUOTA], key=str)
    assert set(held) == {*TOPICS, *UNUSUAL, EXTRA_TOPIC} and held[TOPICS[0]]["configs"]["retention.ms"] == "-1"
    assert held[EXTRA_TOPIC]["configs"]["min.compaction.lag.ms"] == "9223372036854775807"
    known = story.module("ledger_info")
    assert known["active_region"] == "none" and known["last"]["recreate_from_backup"]["found"]["verdict"] == "PROVEN"
    assert known["done"]["recreate_from_backup"]["paused"]["found"]["sizes"] == {
        "departures-producer": 1,
        "departures-consumer": 1,
    }
    programs = {one["name"]: one["statename"] for one in story.lab.supervisor.processes()}
    assert programs["departures-producer"] == programs["departures-consumer"] == "STOPPED"


@pytest.mark.full
def test_unusual_records_came_back_as_they_were(story):
    for name in UNUSUAL:
        restored = story.records(SOURCE, name)
        assert restored == story.records(TARGET, name) and any(restored.values()), name
    assert max(len(value) for dummy, value, headers, at in story.records(SOURCE, "flights.large")[0]) == 5_000_000


@pytest.mark.full
def test_a_mirror_of_the_old_offsets_is_not_started(story):
    story.refused("initial_setup", "none is the active region")


@pytest.mark.full
def test_a_record_that_is_gone_since_the_proof_closes_the_gate(story):
    def records(topic, region):
        found = story.module("cluster_info", region=region, read=["offsets"], topics=topic.replace(".", r"\."))[
            "topics"
        ][topic]["offsets"]
        return next((int(number), one["start"]) for number, one in sorted(found.items()) if one["end"] > one["start"])

    number, start = records(TOPICS[0], SOURCE)
    next(
        iter(story.admin_client(SOURCE).delete_records([TopicPartition(TOPICS[0], number, start + 1)]).values())
    ).result(30)
    story.refused(
        "resume",
        f"records of {TOPICS[0]}-{number} before offset {start + 1} were deleted",
        "resume_accept_unproven=true",
    )
    done = story.run(
        "recreate_from_backup",
        recreate_from_backup_accept_missing_topics=True,
        recreate_from_backup_accept_region_alive=True,
    )
    text = " ".join(done.stdout.split())
    assert done.returncode != 0 and "north_america does not hold what europe held (LOSS)" in text
    assert f"{TOPICS[0]}-{number}: missing_head source offset" in text, done.stdout
    story.refused("resume", "the last proof says LOSS")
    story.refused("new_backup", "the last proof says LOSS")


@pytest.mark.full
def test_lost_once_more_it_is_made_once_more(story):
    story.lab.lose(SOURCE)
    assert "PROVEN" in story.went("recreate_from_backup", recreate_from_backup_accept_missing_topics=True)


@pytest.mark.full
def test_a_new_backup_before_the_applications(story):
    told = story.went("new_backup")
    assert "holds a proven backup of north_america again" in told and "Applications are still paused" in told
    held = story.module("cluster_info", region=SOURCE, read=["topics", "configs"], topics=r"flights\..*")["topics"]
    assert (
        held[EXTRA_TOPIC]["configs"].get("min.compaction.lag.ms") is None
        and held[EXTRA_TOPIC]["configs"]["cleanup.policy"] == "compact"
    )


@pytest.mark.full
def test_resumed_it_is_as_before(story):
    # As after a restore that ended before it came to the quotas.
    assert story.module("client_quotas", region=SOURCE, quotas=[{"entity": CONSUMER_QUOTA["entity"]}], state="absent")[
        "changed"
    ]
    told = story.went("resume")
    assert "north_america is the active region; " in told and " work there." in told and "no running backup" not in told
    assert story.module("ledger_info")["active_region"] == SOURCE
    found = story.module("cluster_info", region=SOURCE, read=["groups", "quotas"])
    assert found["groups"]["flights-dashboard"]["members"]
    assert sorted(found["quotas"], key=str) == sorted([CONSUMER_QUOTA, PRODUCER_QUOTA], key=str)
    again = story.went("resume")
    assert "is the active region" in again
    story.went("initial_setup")
