# SPDX-License-Identifier: GPL-3.0-or-later
"""A drill that destroys nothing, while applications are at work: records of its own through the mirror, proven, with a
position translated.
"""

from __future__ import annotations

import json
import signal

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.commits import commit_positions
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.groups import delete_groups, every_group
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.topics import describe_topics
from kafka_dr_lab.drill import MIRROR
from tests.real.lab.playing import SOURCE, TARGET

pytestmark = pytest.mark.real
TOPIC, GROUP = "flights.kafka-dr-probe", "kafka-dr-probe"
WORDS = {"probe_source": SOURCE, "probe_target": TARGET, "probe_topic": TOPIC, "probe_writer": "departures-producer"}


def both(ground):
    return [KafkaClient(ground.client(one), ground.client_secrets(one)) for one in (SOURCE, TARGET)]


@pytest.fixture(scope="module")
def probed(ground, set_up, tmp_path_factory):
    """A check on an untouched mirror, then a probe; with what was there in between."""
    checked = ground.stage("probe", WORDS, "--check")
    there = [sorted(describe_topics(one, [TOPIC])) for one in both(ground)]
    file = tmp_path_factory.mktemp("probe") / "probe.json"
    done = ground.stage("probe", {**WORDS, "probe_file": str(file), "probe_max_latency": 30})
    return checked, there, done, json.loads(file.read_text()) if file.exists() else {}


@pytest.mark.full
def test_a_check_says_what_would_be_done_and_writes_nothing(probed):
    checked, there, dummy, dummy = probed
    assert checked.returncode == 0, checked.stdout[-2000:]
    assert (
        f"100 records would be sent from {SOURCE} to {TARGET}" in checked.stdout
        and "would be created first" in checked.stdout
    )
    assert there == [[], []]


@pytest.mark.full
def test_records_arrive_are_proven_and_a_position_is_where_its_record_is(probed):
    done, found = probed[2:]
    assert done.returncode == 0, done.stdout[-2000:]
    assert found["records"] == 100 and found["proof"] == {"verdict": "PROVEN", "records": 100}
    assert 0 < found["latency"]["least"] <= found["latency"]["median"] <= found["latency"]["most"] < 60
    assert len(found["positions"]) == 3
    assert all(
        one["answer"] == one["target_offset"] for one in found["positions"] if one["confidence"].startswith("exact")
    )
    assert all(one["answer"] <= one["target_offset"] for one in found["positions"])


@pytest.mark.full
def test_nothing_is_left_but_the_topic_with_its_retention(ground, probed):
    assert [[group for group in every_group(one) if group.startswith(GROUP)] for one in both(ground)] == [[], []]
    assert all(TOPIC in describe_topics(one, [TOPIC]) for one in both(ground))


@pytest.mark.full
def test_a_second_probe_creates_nothing_and_proves_both(ground, probed):
    done = ground.stage("probe", {**WORDS, "probe_records": 30})
    assert done.returncode == 0 and "The topic of 130 records is PROVEN" in done.stdout, done.stdout[-2000:]


def test_a_group_that_is_not_the_probes_own_is_refused(ground, set_up):
    """An idle group of an application would lose all its positions, in both regions."""
    for group in ("flights-dashboard", "x-kafka-dr-probe", "kafka-dr-probe*"):
        done = ground.stage("probe", {**WORDS, "probe_group": group})
        said = (
            f"The group {group} is not the probe's to set and to delete: "
            "expected a name that begins with kafka-dr-probe"
        )
        assert done.returncode == 2 and said in done.stdout


@pytest.mark.full
def test_a_group_that_was_there_before_keeps_its_positions(ground, probed):
    """Also one of the probe's own name."""
    clients = both(ground)
    for one in clients:
        assert commit_positions(one, {GROUP: {(TOPIC, 0): 1}}) == {}
    done = ground.stage("probe", {**WORDS, "probe_records": 10})
    assert done.returncode == 0, done.stdout[-2000:]
    for one in clients:
        assert [group for group in every_group(one) if group.startswith(GROUP)] == [GROUP]
        delete_groups(one, [GROUP])


def test_a_topic_that_is_not_the_probes_own_is_refused(ground, set_up):
    done = ground.stage("probe", {**WORDS, "probe_topic": "flights.departed"})
    assert done.returncode == 2 and "Records of probes do not belong into flights.departed" in done.stdout
    done = ground.stage("probe", {**WORDS, "probe_topic": "kafka-dr-probe"})
    assert (
        done.returncode == 2
        and "does not copy the topic kafka-dr-probe: expected a name that one of its topics matches" in done.stdout
    )


@pytest.mark.full
def test_a_mirror_that_stands_still_is_told(ground, probed):
    ground.lab.signal(signal.SIGSTOP, MIRROR)
    try:
        done = ground.stage("probe", {**WORDS, "probe_records": 10, "probe_timeout": 5})
    finally:
        ground.lab.signal(signal.SIGCONT, MIRROR)
    assert done.returncode == 2
    assert (
        "Not all records of the probe came through the mirror within 5 s: expected 10 records in flights.kafka-dr-probe"
        in done.stdout
    ), done.stdout[-2000:]
