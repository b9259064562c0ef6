# SPDX-License-Identifier: GPL-3.0-or-later
"""Send records of one's own through a mirror that is at work, and see when they arrive, and where."""

from __future__ import annotations

import json
import time
import uuid
from typing import Any

from .._errors import KafkaDrError, NotProvableError, TimedOutError, UsageError
from .._kafka.client import KafkaClient
from .._kafka.consumers import consumer_at_end
from .._kafka.distinct import refuse_same
from .._kafka.groups import commit_positions
from .._kafka.producing import TranslatingProducer
from .._kafka.topics import describe_topics

# Records a second: slow enough that each one's way can be told from the others'.
RATE = 50.0


def mirror_probe(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """The module's work.

    :returns: ``run``, ``records``, ``latency`` in seconds (``least``, ``median``, ``p95``, ``most``), ``places``
        (partition, source_offset,
        target_offset of each record), ``group`` (the group of this run), ``position`` (by partition the place that it
        was committed at).
    :raises NotProvableError: a record arrived altered.
    :raises TimedOutError: records did not arrive.
    """
    source = KafkaClient(params["source_client"], params["source_client_secrets"], params["timeout"])
    target = KafkaClient(params["target_client"], params["target_client_secrets"], params["timeout"])
    refuse_same(source, target)
    count = _partitions(source, params["topic"])
    if _partitions(target, params["target_topic"]) < count:
        raise UsageError(
            f"Topic '{params['target_topic']}' has fewer partitions than its original",
            expected=f"{count} partitions",
            remedy="Wait until the mirror has added them",
        )
    run = uuid.uuid4().hex
    # By its name nobody had it: to commit for a group that is there would move an application.
    group = f"{params['group_prefix']}-{run}" if params["group_prefix"] else ""
    result = {
        "changed": True,
        "run": run,
        "group": group,
        "records": params["records"],
        "latency": {},
        "places": [],
        "position": {},
        "diff": {"before": "", "after": f"{params['records']} records in topic {params['topic']}\n"},
    }
    if check_mode:
        return result
    writer = (
        KafkaClient(params["writer_client"], params["writer_client_secrets"], params["timeout"])
        if params["writer_client"]
        else source
    )
    sent, seen = _through(writer, target, params, count, result["run"])
    result["places"] = [
        {
            "partition": sent[number]["partition"],
            "source_offset": sent[number]["offset"],
            "target_offset": seen[number]["offset"],
        }
        for number in sorted(sent)
    ]
    result["latency"] = latency([seen[number]["at"] - sent[number]["at"] for number in sent])
    if group:
        result["position"] = middle(result["places"])
        positions = {(params["topic"], int(number)): one["source_offset"] for number, one in result["position"].items()}
        for error in commit_positions(source, {group: positions}).values():
            raise error
    return result


def _partitions(client: KafkaClient, topic: str) -> int:
    found = describe_topics(client, [topic])
    if topic not in found:
        raise UsageError(
            f"Topic '{topic}' is not on {client.name}",
            expected="it to be created, and mirrored",
            remedy="Use the role probe, which sees to both",
        )
    return found[topic]["partitions"]


def latency(seconds: list[float]) -> dict[str, float]:
    """``{least, median, p95, most}``, rounded to milliseconds."""
    ordered = sorted(max(0.0, one) for one in seconds)
    return {
        name: round(ordered[min(len(ordered) - 1, int(part * len(ordered)))], 3)
        for name, part in (("least", 0.0), ("median", 0.5), ("p95", 0.95), ("most", 1.0))
    }


def middle(places: list[dict[str, int]]) -> dict[str, dict[str, int]]:
    """Of each partition the record in the middle: ``{partition as str: {source_offset, target_offset}}``."""
    by_partition: dict[str, list[dict[str, int]]] = {}
    for one in sorted(places, key=lambda place: place["source_offset"]):
        by_partition.setdefault(str(one["partition"]), []).append(
            {"source_offset": one["source_offset"], "target_offset": one["target_offset"]}
        )
    return {number: rows[len(rows) // 2] for number, rows in by_partition.items()}


def content(run: str, number: int) -> tuple[bytes, bytes, list[tuple[Any, ...]]]:
    """Key, value and headers of one record of a run."""
    return (
        run.encode(),
        json.dumps({"probe": run, "number": number}).encode(),
        [("kafka-dr-probe", run.encode()), ("number", b"%d" % number)],
    )


def _through(
    writer: KafkaClient, target: KafkaClient, params: dict[str, Any], count: int, run: str
) -> tuple[dict[int, dict[str, Any]], dict[int, dict[str, Any]]]:
    """Write the records while listening at the other end; returns what is known of each, by number, on either side."""
    sent: dict[int, dict[str, Any]] = {}
    seen: dict[int, dict[str, Any]] = {}
    failed: list[Any] = []
    producer = writer.producer(linger_ms=0)
    consumer = consumer_at_end(target, params["target_topic"], count)
    try:
        began = time.monotonic()
        until = None
        while len(seen) < params["records"]:
            number = len(sent)
            if number < params["records"] and time.monotonic() - began >= number / RATE:
                sent[number] = {"partition": number % count, "offset": None, "at": time.time()}
                _write(producer, params["topic"], run, number, sent, failed)
            producer.poll(0)
            if failed:
                raise producer.error(failed[0], f"write to topic '{params['topic']}'")
            _listen(consumer, run, seen)
            if len(sent) == params["records"]:
                until = until or time.monotonic() + params["wait_seconds"]
                if time.monotonic() > until:
                    raise TimedOutError(
                        f"Not all records of the probe came through the mirror within {params['wait_seconds']} s",
                        expected=f"{params['records']} records in {params['target_topic']} on {target.name}",
                        found=f"{len(seen)}",
                        remedy="Run the doctor; a mirror that is far behind needs a larger wait_seconds",
                        run=run,
                    )
        producer.flush(params["timeout"])
        if failed:
            raise producer.error(failed[0], f"write to topic '{params['topic']}'")
        if any(one["offset"] is None for one in sent.values()):
            raise KafkaDrError(
                "Records of the probe arrived that the source has not acknowledged",
                remedy="Look at the source's brokers, and probe again",
            )
        return sent, seen
    finally:
        consumer.close()


def _write(
    producer: TranslatingProducer, topic: str, run: str, number: int, sent: dict[int, dict[str, Any]], failed: list[Any]
) -> None:
    key, value, headers = content(run, number)

    def delivered(error: Any, message: Any) -> None:
        if error is not None:
            failed.append(error)
        else:
            sent[number]["offset"] = message.offset()

    producer.produce(topic, value, key, partition=sent[number]["partition"], headers=headers, on_delivery=delivered)


def _listen(consumer: Any, run: str, seen: dict[int, dict[str, Any]]) -> None:
    """Take what has arrived; records of other runs are passed by.

    :raises NotProvableError: a record of this run is not what was written, or came twice.
    """
    for message in consumer.consume(500, 0.02):
        if message.error() is not None or message.key() != run.encode():
            continue
        where = f"offset {message.offset()} of partition {message.partition()}"
        headers: Any = message.headers() or []
        number = next((int(value) for name, value in headers if name == "number"), -1)
        if (message.key(), message.value(), message.headers()) != content(run, number):
            raise NotProvableError(
                f"A record of the probe arrived altered, at {where}",
                remedy="Look for transforms and converters in the mirror's configuration",
            )
        if number in seen:
            raise NotProvableError(
                f"Record {number} of the probe arrived twice, at {where}",
                remedy="Run the mirror exactly-once; see the doctor",
            )
        seen[number] = {"offset": message.offset(), "at": time.time()}
