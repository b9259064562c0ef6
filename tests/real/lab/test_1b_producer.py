# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's producer is killed at full speed, or its broker is slow: its journal knows every record that may have been
sent twice.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
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
# As long as a broker on a busy machine may leave a request without an answer, and longer.
SLOW_SECONDS = 13
# Seconds in which a producer does not send all of its records.
MOMENT = 0.1


@pytest.fixture
def kafka(tmp_path):
    made = clusters(["a"], tmp_path)["a"]
    # Departures are of 2013: the broker's own retention deletes them half a minute after it started.
    create(made, *((topic, 1, {"retention.ms": "-1"}) for topic in TOPICS))
    yield made
    made.stop()


def start(kafka, journal, records=RECORDS):
    return subprocess.Popen(
        [sys.executable, str(PRODUCER), str(records), "--history", str(records), "--journal", str(journal)],
        env={**os.environ, "KAFKA_BROKERS": kafka.client["bootstrap.servers"], "PYTHONWARNINGS": "ignore"},
        stdout=subprocess.DEVNULL,
    )


def stored(client):
    """How many offsets the topics have."""
    bounds = topic_offsets(client, dict.fromkeys(TOPICS, 1))
    return sum(part["end"] for topic in bounds.values() for part in topic.values())


def ids(kafka):
    """How often each id is on the topics."""
    return sum(topic_ids(kafka.client, list(TOPICS)).values(), Counter())


def begun(kafka, journal, **options):
    """A producer some of whose records are stored, and others are on their way. It is stopped: it works for a moment at
    a time, so that none of a test's looks, however slow, lets it come to its end.
    """
    before = stored(KafkaClient(kafka.client))
    process = start(kafka, journal, **options)
    end = time.monotonic() + 60
    while True:
        time.sleep(MOMENT)
        process.send_signal(signal.SIGSTOP)
        if stored(KafkaClient(kafka.client)) > before:
            return process
        assert process.poll() is None and time.monotonic() < end
        process.send_signal(signal.SIGCONT)


@pytest.mark.real
def test_what_a_killed_producer_sends_again_is_in_its_journal(kafka, tmp_path):
    journal = tmp_path / "producer.sqlite"
    journals = Journals(tmp_path)
    for dummy in range(2):
        process = begun(kafka, journal)
        process.send_signal(signal.SIGKILL)
        assert process.wait(10) == -signal.SIGKILL
    assert start(kafka, journal).wait(300) == 0
    records = ids(kafka)
    twice = {identity for identity, count in records.items() if count > 1}
    assert twice, "no kill came between a record and its answer"
    assert twice <= journals.sent_again()
    assert set(journals.acknowledged()) == set(records)
    assert len(journals.acknowledged()) == RECORDS


@pytest.mark.real
def test_what_a_slow_broker_answers_late_is_stored_once(kafka, tmp_path):
    journals, records = Journals(tmp_path), RECORDS // 2
    process = begun(kafka, tmp_path / "producer.sqlite", records=records)
    os.killpg(kafka.process.pid, signal.SIGSTOP)
    process.send_signal(signal.SIGCONT)
    time.sleep(SLOW_SECONDS)
    os.killpg(kafka.process.pid, signal.SIGCONT)
    assert process.wait(120) == 0
    assert journals.counts() == {"acknowledged": records} and not journals.sent_again()
    twice = [identity for identity, count in ids(kafka).items() if count > 1]
    assert not twice, f"{len(twice)} records that were sent once are twice on the topics, such as {twice[:3]}"
