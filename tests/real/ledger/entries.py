# SPDX-License-Identifier: GPL-3.0-or-later
"""Entries of a ledger, and how a run and somebody else write them."""

from __future__ import annotations

from confluent_kafka import Producer

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger import ledger
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.append import append
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.fold import fold

SECRETS = ("the secret of these tests",)


def entry(run, step="ends", state="done", stage="failover", **more):
    return {
        "run": run,
        "stage": stage,
        "step": step,
        "state": state,
        "region": "europe",
        "about": "a to b",
        "found": {},
        "fenced": True,
        "by": "stages",
        "collection": "0",
        **more,
    }


def head(client, topic, secrets=SECRETS):
    """What a preflight keeps."""
    return fold(ledger.read_ledger(client, topic, secrets).entries)["head"]["hash"]


def write(client, topic, one, after, secrets=SECRETS, **more):
    """Write an entry; the head that the run knows from then on."""
    return append(client, topic, one, False, secrets=secrets, after=after, **more)["known"]["head"]["hash"]


def begin(client, topic, run, **more):
    return write(client, topic, entry(run, "stage", "started", **more), head(client, topic))


def put(broker, topic, *values):
    """What somebody else writes."""
    producer = Producer(broker.client)
    for value in values:
        producer.produce(topic, value, partition=0)
    assert producer.flush(20) == 0
