# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Send records of one's own through a mirror that is at work, and see when they arrive, and where."""

from __future__ import annotations

import json
import time
import uuid

try:
    from confluent_kafka import OFFSET_END, KafkaException, TopicPartition
except ImportError:
    pass

from ._errors import KafkaDrError, NotProvableError, TimedOutError, UsageError
from ._kafka.client import KafkaClient
from ._kafka.cluster import describe_topics
from ._kafka.groups import commit_positions

# Records a second: slow enough that each one's way can be told from the others'.
RATE = 50.0


def mirror_probe(params, check_mode):
    """The module's work.

    :returns: ``run``, ``records``, ``latency`` in seconds (``least``, ``median``, ``p95``, ``most``), ``places`` (partition, source_offset,
        target_offset of each record), ``group`` (the group of this run), ``position`` (by partition the place that it was committed at).
    :raises NotProvableError: a record arrived altered.
    :raises TimedOutError: records did not arrive.
    """
    source = KafkaClient(params["source_client"], params["source_client_secrets"], params["timeout"])
    target = KafkaClient(params["target_client"], params["target_client_secrets"], params["timeout"])
    count = _partitions(source, params["topic"])
    if _partitions(target, params["target_topic"]) < count:
        raise UsageError("Topic '%s' has fewer partitions than its original" % params["target_topic"], expected="%d partitions" % count,
                         remedy="Wait until the mirror has added them")
    run = uuid.uuid4().hex
    # By its name nobody had it: to commit for a group that is there would move an application.
    group = "%s-%s" % (params["group_prefix"], run) if params["group_prefix"] else ""
    result = {"changed": True, "run": run, "group": group, "records": params["records"], "latency": {}, "places": [], "position": {},
              "diff": {"before": "", "after": "%d records in topic %s\n" % (params["records"], params["topic"])}}
    if check_mode:
        return result
    writer = KafkaClient(params["writer_client"], params["writer_client_secrets"], params["timeout"]) if params["writer_client"] else source
    sent, seen = _through(writer, target, params, count, result["run"])
    result["places"] = [{"partition": sent[number]["partition"], "source_offset": sent[number]["offset"], "target_offset": seen[number]["offset"]}
                        for number in sorted(sent)]
    result["latency"] = latency([seen[number]["at"] - sent[number]["at"] for number in sent])
    if group:
        result["position"] = middle(result["places"])
        positions = {(params["topic"], int(number)): one["source_offset"] for number, one in result["position"].items()}
        for error in commit_positions(source, {group: positions}).values():
            raise error
    return result


def _partitions(client, topic):
    found = describe_topics(client, [topic])
    if topic not in found:
        raise UsageError("Topic '%s' is not on %s" % (topic, client.name), expected="it to be created, and mirrored",
                         remedy="Use the role probe, which sees to both")
    return found[topic]["partitions"]


def latency(seconds):
    """``{least, median, p95, most}``, rounded to milliseconds."""
    ordered = sorted(max(0.0, one) for one in seconds)
    return {name: round(ordered[min(len(ordered) - 1, int(part * len(ordered)))], 3)
            for name, part in (("least", 0.0), ("median", 0.5), ("p95", 0.95), ("most", 1.0))}


def middle(places):
    """Of each partition the record in the middle: ``{partition as str: {source_offset, target_offset}}``."""
    by_partition = {}
    for one in sorted(places, key=lambda place: place["source_offset"]):
        by_partition.setdefault(str(one["partition"]), []).append({"source_offset": one["source_offset"], "target_offset": one["target_offset"]})
    return {number: rows[len(rows) // 2] for number, rows in by_partition.items()}


def content(run, number):
    """Key, value and headers of one record of a run."""
    return run.encode(), json.dumps({"probe": run, "number": number}).encode(), [("kafka-dr-probe", run.encode()), ("number", b"%d" % number)]


def _through(writer, target, params, count, run):
    """Write the records while listening at the other end; returns what is known of each, by number, on either side."""
    sent, seen, failed = {}, {}, []
    consumer = target.consumer(auto_offset_reset="latest", enable_partition_eof=False)
    producer = writer.producer(linger_ms=0)
    try:
        places = [TopicPartition(params["target_topic"], number) for number in range(count)]
        ends = [target.ask("read the end of the copy", lambda one=one: consumer.get_watermark_offsets(one, timeout=params["timeout"])[1]) for one in places]
        consumer.assign([TopicPartition(one.topic, one.partition, end if end >= 0 else OFFSET_END) for one, end in zip(places, ends, strict=True)])
        began = time.monotonic()
        until = None
        while len(seen) < params["records"]:
            number = len(sent)
            if number < params["records"] and time.monotonic() - began >= number / RATE:
                sent[number] = {"partition": number % count, "offset": None, "at": time.time()}
                _write(producer, params["topic"], run, number, sent, failed)
            producer.poll(0)
            if failed:
                raise writer.translate(KafkaException(failed[0]), "write to topic '%s'" % params["topic"])
            _listen(consumer, run, seen)
            if len(sent) == params["records"]:
                until = until or time.monotonic() + params["wait_seconds"]
                if time.monotonic() > until:
                    raise TimedOutError("Not all records of the probe came through the mirror within %d s" % params["wait_seconds"],
                                        expected="%d records in %s on %s" % (params["records"], params["target_topic"], target.name), found="%d" % len(seen),
                                        remedy="Run the doctor; a mirror that is far behind needs a larger wait_seconds", run=run)
        producer.flush(params["timeout"])
        if failed:
            raise writer.translate(KafkaException(failed[0]), "write to topic '%s'" % params["topic"])
        if any(one["offset"] is None for one in sent.values()):
            raise KafkaDrError("Records of the probe arrived that the source has not acknowledged", remedy="Look at the source's brokers, and probe again")
        return sent, seen
    finally:
        consumer.close()


def _write(producer, topic, run, number, sent, failed):
    key, value, headers = content(run, number)

    def delivered(error, message):
        if error is not None:
            failed.append(error)
        else:
            sent[number]["offset"] = message.offset()

    producer.produce(topic, value, key, partition=sent[number]["partition"], headers=headers, on_delivery=delivered)


def _listen(consumer, run, seen):
    """Take what has arrived; records of other runs are passed by.

    :raises NotProvableError: a record of this run is not what was written, or came twice.
    """
    for message in consumer.consume(500, 0.02):
        if message.error() is not None or message.key() != run.encode():
            continue
        where = "offset %d of partition %d" % (message.offset(), message.partition())
        number = next((int(value) for name, value in message.headers() or [] if name == "number"), -1)
        if (message.key(), message.value(), message.headers()) != content(run, number):
            raise NotProvableError("A record of the probe arrived altered, at %s" % where,
                                   remedy="Look for transforms and converters in the mirror's configuration")
        if number in seen:
            raise NotProvableError("Record %d of the probe arrived twice, at %s" % (number, where), remedy="Run the mirror exactly-once; see the doctor")
        seen[number] = {"offset": message.offset(), "at": time.time()}
