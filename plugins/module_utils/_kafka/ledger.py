# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""The ledger: what stages did and showed, one JSON record a step, in a topic of the surviving region.

A run owns the ledger from the moment it writes a stage's ``started``. Every append first fences other writers (one
fixed ``transactional.id``, KIP-98), then reads the ledger to its end, and is refused when a later run has begun: so two
runs at a time cannot both go on, and a run that was killed is simply run again.
"""

from __future__ import annotations

import json
import time

try:
    from confluent_kafka import KafkaError, KafkaException
except ImportError:
    pass

from .._errors import FormatError, KafkaDrError, RefusedError, TimedOutError
from .._moment import said
from .client import partition
from .cluster import topic_offsets
from .topics import ensure_topics

TRANSACTIONAL_ID = "kafka-dr-ledger"
CONFIGS = {"cleanup.policy": "delete", "retention.ms": "-1", "retention.bytes": "-1", "min.insync.replicas": "1", "message.timestamp.type": "CreateTime"}


def ledger_topic(name, replication_factor=None):
    """How the ledger's topic has to be: one partition, kept for ever."""
    return {"name": name, "partitions": 1, "replication_factor": replication_factor, "configs": dict(CONFIGS)}


def read_ledger(client, topic):
    """All entries in order.

    :returns: list of dictionaries, each with its ``offset``; empty where the topic does not exist.
    :raises FormatError: a record is not an entry.
    :raises TimedOutError: the end was not reached; a ledger read in part is never used.
    """
    if topic not in client.metadata(topic).topics or client.metadata(topic).topics[topic].error is not None:
        return []
    bounds = topic_offsets(client, {topic: 1})[topic]["0"]
    if bounds["start"] >= bounds["stable"]:
        return []
    entries = []
    consumer = client.consumer(fetch_wait_max_ms=50)
    try:
        consumer.assign([partition(topic, 0, bounds["start"])])
        end = time.monotonic() + client.timeout
        while True:
            message = consumer.poll(0.5)
            if message is not None and message.error() is None:
                entries.append(_entry(message))
            elif message is not None and message.error().code() != KafkaError._PARTITION_EOF:
                raise client.translate(KafkaException(message.error()), "read the ledger '%s'" % topic)
            position = consumer.position([partition(topic, 0)])[0].offset
            if position >= bounds["stable"]:
                return entries
            if time.monotonic() > end:
                raise TimedOutError("The ledger '%s' on %s could not be read to its end" % (topic, client.name),
                                    expected="offset %d" % bounds["stable"], found="offset %d" % position, remedy="Look at the brokers and run this again")
    finally:
        consumer.close()


def _entry(message):
    try:
        entry = json.loads(message.value())
        entry["offset"] = message.offset()
    except (TypeError, ValueError) as error:
        raise FormatError("The ledger holds a record that is no entry", found="offset %d: %s" % (message.offset(), error),
                          remedy="Find out who wrote to it; only the stages' principal may") from error
    return entry


def fold(entries):
    """What the entries say together.

    :returns: ``active_region`` (or empty), ``run``, ``stage`` and ``about`` that own the ledger, ``open`` (whether that stage has not ended),
        ``taken{region: [ACL]}`` that a fence took away there and nobody gave back,
        ``done{stage: {step: entry}}`` of each stage's latest run and its predecessors that did not end, ``proofs[]``,
        ``last{stage: the entry that ended it}``, ``begun{stage: the entry that began it last}``. The step ``paused`` stays done as long as
        no region is active: what ran before is known by the run that stopped it alone.
    """
    state = {"active_region": "", "run": "", "stage": "", "open": False, "about": "", "done": {}, "proofs": [], "last": {}, "begun": {}, "taken": {}}
    for entry in entries:
        stage, step = entry.get("stage", ""), entry.get("step", "")
        if entry.get("fenced", True) and step == "stage" and entry["state"] == "started":
            if not (state["open"] and state["stage"] == stage and state["about"] == entry.get("about")):
                before = state["done"].get(stage, {}) if state["active_region"] == "none" else {}
                state["done"][stage] = {step: one for step, one in before.items() if step == "paused"}
            state["begun"][stage] = entry
            state.update(run=entry["run"], stage=stage, open=True, about=entry.get("about"))
        elif step == "stage" and entry["state"] in ("done", "refused"):
            state["open"] = False
            state["last"][stage] = entry
        elif entry["state"] == "done":
            state["done"].setdefault(stage, {})[step] = entry
        if entry["state"] == "done" and step in ("fencing", "fenced", "given_back"):
            _remember_taken(state["taken"], step, entry)
        if entry["state"] == "active":
            state["active_region"] = entry["region"]
        if entry["state"] in ("proven", "different", "not_provable"):
            state["proofs"].append(entry)
    return state


def _remember_taken(taken, step, entry):
    """Rights are remembered before they are taken away, and again as what was taken: a run may be cut off between."""
    found = entry.get("found") or {}
    region = found.get("region") or entry.get("about") or ""
    if step == "given_back":
        taken.pop(region, None)
        return
    known = taken.setdefault(region, [])
    known += [one for one in found.get("removed") or [] if isinstance(one, dict) and one not in known]


def append(client, topic, entry, check_mode, replication_factor=None):
    """Write one entry, in a transaction of the fixed id.

    :returns: ``changed``, ``entry``, ``known`` (what the ledger says with it, as :func:`fold` does), ``diff``.
    :param entry: ``run``, ``stage``, ``step``, ``state``, ``region``, ``about``, ``found``, ``by``, ``collection``, ``fenced``.
    :raises RefusedError: a later run owns the ledger.
    """
    if check_mode:
        return _written(entry, fold([*read_ledger(client, topic), entry]))
    ensure_topics(client, [ledger_topic(topic, replication_factor)], "present", False)
    producer = client.producer(**{"transactional_id": TRANSACTIONAL_ID, "transaction_timeout_ms": 30000})
    client.ask("become the ledger's writer", lambda: producer.init_transactions(client.timeout))
    entries = read_ledger(client, topic)
    state = fold(entries)
    begins = entry["step"] == "stage" and entry["state"] == "started"
    if entry.get("fenced", True) and not begins and state["run"] != entry["run"]:
        raise RefusedError(
            "Run %s no longer owns the ledger '%s'" % (entry["run"], topic), expected="to be the latest run",
            found="run %s of stage %s, begun later" % (state["run"] or "(none)", state["stage"] or "(none)"),
            remedy="Let that one finish, or run this stage again from its beginning",
        )
    entry = dict(entry, at=said(time.time()))
    failed = []
    client.ask("begin a transaction", producer.begin_transaction)
    producer.produce(topic, key=entry["stage"].encode(), value=json.dumps(entry, sort_keys=True).encode(), partition=0,
                     on_delivery=lambda error, message: failed.append(error) if error else None)
    client.ask("write to the ledger", lambda: producer.commit_transaction(client.timeout))
    if failed:
        raise KafkaDrError("The ledger '%s' on %s did not take the entry" % (topic, client.name), found=failed[0].str())
    return _written(entry, fold([*entries, entry]))


def _written(entry, known):
    return {"changed": True, "entry": entry, "known": known, "diff": {"before": "", "after": json.dumps(entry, indent=1, sort_keys=True) + "\n"}}
