# SPDX-License-Identifier: GPL-3.0-or-later
"""A client that is dropped while librdkafka still answers it ends no process."""

from __future__ import annotations

import subprocess
import sys

import pytest

from kafka_dr_lab.playbook import collections_path

pytestmark = pytest.mark.real

# The collector runs wherever anything is allocated, also in the thread from which librdkafka answers.
PROGRAM = """
import gc, sys, time
from confluent_kafka import TopicCollection
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient

gc.set_threshold(1, 1, 1)
for number in range(200):
    client = KafkaClient({"bootstrap.servers": sys.argv[1]})
    client.metadata()
    asked = [client.admin.describe_cluster(request_timeout=10) for dummy in range(12)]
    asked.append(client.admin.describe_topics(TopicCollection(["a", "b"]))["a"])
    del client
    if number % 2:
        del asked
    time.sleep(0.02)
print("all were dropped")
"""


def test_a_client_that_is_dropped_while_it_is_answered_ends_no_process(broker):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, broker.client["bootstrap.servers"]],
        env={"PYTHONPATH": str(collections_path())},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stdout.strip()) == (0, "all were dropped"), done.stderr[-3000:]
