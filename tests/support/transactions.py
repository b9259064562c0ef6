# SPDX-License-Identifier: GPL-3.0-or-later
"""Transactions that have ended where their records are, and not only where they were decided."""

from __future__ import annotations

from confluent_kafka import Producer

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.offsets import list_offsets
from tests.support.offsets_lab import until


def end_transaction(producer: Producer, client: dict, topic: str, partition: int = 0, commit: bool = True) -> None:
    """Commit or abort, and wait until the partition shows it.

    A producer is told as soon as the coordinator has decided; the coordinator writes the markers after that (KIP-98),
    and until then the last stable offset stands before the transaction.
    """
    producer.flush(30)
    asked, place = KafkaClient(client), (topic, partition)
    written = list_offsets(asked, [place], "end", "read_uncommitted", "error")[place]
    (producer.commit_transaction if commit else producer.abort_transaction)(30)
    until(lambda: list_offsets(asked, [place], "end", "read_committed", "error")[place] >= written, 30)
