# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's producer is killed at full speed: its journal knows every record that may have been sent twice."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.offsets import topic_offsets
from kafka_dr_lab.journals import Journals, topic_ids
from kafka_dr_lab.landscape import TOPICS
from tests.support.kafka import clusters
from tests.support.offsets_lab import create

PRODUCER = Path(__file__).resolve().parents[3] / "lab" / "apps" / "departures_producer.py"
# More than can be sent before the first kill.
RECORDS = 250000


@pytest.fixture
def kafka(tmp_path):
    made = clusters(["a"], tmp_path)["a"]
    yield made
    made.stop()


def start(kafka, journal):
    return subprocess.Popen(
        [sys.executable, str(PRODUCER), str(RECORDS), "--history", str(RECORDS), "--journal", str(journal)],
        env={**os.environ, "KAFKA_BROKERS": kafka.client["bootstrap.servers"], "PYTHONWARNINGS": "ignore"},
        stdout=subprocess.DEVNULL,
    )


def stored(client):
    """How many offsets the topics have."""
    bounds = topic_offsets(client, dict.fromkeys(TOPICS, 1))
    return sum(part["end"] for topic in bounds.values() for part in topic.values())


@pytest.mark.real
def test_what_a_killed_producer_sends_again_is_in_its_journal(kafka, tmp_path):
    journal = tmp_path / "producer.sqlite"
    journals, client = Journals(tmp_path), KafkaClient(kafka.client)
    # Departures are of 2013: the broker's own retention deletes them half a minute after it started.
    create(kafka, *((topic, 1, {"retention.ms": "-1"}) for topic in TOPICS))
    for dummy in range(2):
        before = stored(client)
        process = start(kafka, journal)
        end = time.monotonic() + 60
        while stored(client) == before:
            assert process.poll() is None and time.monotonic() < end
        process.send_signal(signal.SIGKILL)
        assert process.wait(10) == -signal.SIGKILL
    assert start(kafka, journal).wait(300) == 0
    records = topic_ids(kafka.client, list(TOPICS))
    twice = {identity for counter in records.values() for identity, count in counter.items() if count > 1}
    assert twice, "no kill came between a record and its answer"
    assert twice <= journals.sent_again()
    assert set(journals.acknowledged()) == {identity for counter in records.values() for identity in counter}
    assert len(journals.acknowledged()) == RECORDS
