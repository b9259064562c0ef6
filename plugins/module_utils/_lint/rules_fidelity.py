# SPDX-License-Identifier: GPL-3.0-or-later
"""Traps by which records are lost, doubled or altered on their way."""

from __future__ import annotations

from collections.abc import Iterator

from .finding import Finding, exactly_once, finding, number
from .flows import Flow

BYTES = "org.apache.kafka.connect.converters.ByteArrayConverter"


def isolation(flow: Flow) -> Iterator[Finding]:
    """KIP-618: only read_committed gives exactly-once an exact beginning; MM2's default is read_uncommitted."""
    value = flow.get("source", "source.consumer.isolation.level", "consumer.isolation.level")
    if value == "read_committed" or "source" not in flow.settings:
        return
    strict = exactly_once(flow)
    yield finding(
        "isolation",
        "error" if strict else "warning",
        flow.where("source", "consumer.isolation.level"),
        value or "not set, so read_uncommitted",
        "Records of transactions that the source aborted are copied as data"
        + (", though exactly-once is on" if strict else ""),
        "consumer.isolation.level: read_committed",
    )


def exactly_once_unheard(flow: Flow) -> Iterator[Finding]:
    """In dedicated mode the setting belongs to the target's worker; elsewhere it is ignored without a word (seen on
    4.3.1).
    """
    if flow.kind != "properties" or exactly_once(flow):
        return
    places = [
        key
        for key in flow.raw
        if key.endswith("exactly.once.source.support") and str(flow.raw[key]).lower() == "enabled"
    ]
    if places:
        yield finding(
            "exactly-once-unheard",
            "error",
            places[0],
            f"enabled, and not for cluster {flow.target}",
            "A dedicated MirrorMaker 2 takes it only with the target's prefix and ignores it elsewhere: no "
            "transactions are made",
            f"{flow.target}.exactly.once.source.support: enabled",
        )


def exactly_once_rest(flow: Flow) -> Iterator[Finding]:
    """KIP-710: nodes tell each other through the internal REST interface when exactly-once fences them."""
    if (
        flow.kind == "properties"
        and exactly_once(flow)
        and str(flow.raw.get("dedicated.mode.enable.internal.rest", "false")).lower() != "true"
    ):
        yield finding(
            "exactly-once-rest",
            "error",
            "dedicated.mode.enable.internal.rest",
            "not true",
            "Exactly-once in dedicated mode needs the internal REST interface (KIP-710)",
            "dedicated.mode.enable.internal.rest: true, and listeners: http://127.0.0.1:PORT",
        )


def exactly_once_stuck(flow: Flow) -> Iterator[Finding]:
    value = flow.worker.get("exactly.once.source.support", "").lower()
    if value == "preparing":
        yield finding(
            "exactly-once-preparing",
            "warning",
            "exactly.once.source.support",
            value,
            "This is the first of two steps of an upgrade; no transaction is made in it",
            "exactly.once.source.support: enabled",
        )


def duplicates(flow: Flow) -> Iterator[Finding]:
    """Connect turns the idempotence of its producers off; a batch sent again then lands twice, or out of order."""
    if exactly_once(flow) or "source" not in flow.settings or flow.kind == "connect":
        return
    idempotent = flow.get(
        "source", "producer.override.enable.idempotence", default=flow.worker.get("producer.enable.idempotence", "")
    )
    if idempotent != "true":
        yield finding(
            "duplicates",
            "warning",
            flow.where("source", "producer.override.enable.idempotence"),
            idempotent or "not set, so false",
            "Without exactly-once and without idempotence a batch that is sent again lands twice",
            "exactly.once.source.support: enabled, or producer.override.enable.idempotence: true",
        )


def order(flow: Flow) -> Iterator[Finding]:
    flying = number(
        flow.get(
            "source",
            "producer.override.max.in.flight.requests.per.connection",
            default=flow.worker.get("producer.max.in.flight.requests.per.connection", ""),
        )
    )
    if (
        flying
        and flying > 1
        and not exactly_once(flow)
        and flow.get("source", "producer.override.enable.idempotence") != "true"
    ):
        yield finding(
            "order",
            "error",
            flow.where("source", "producer.override.max.in.flight.requests.per.connection"),
            str(flying),
            "A batch that is sent again overtakes the one after it: records change their order",
            "producer.override.enable.idempotence: true",
        )


def acknowledgements(flow: Flow) -> Iterator[Finding]:
    for key in ("producer.override.acks", "producer.acks"):
        value = flow.get("source", key, default=flow.worker.get("producer.acks") if key == "producer.acks" else None)
        if value is not None and value not in ("all", "-1"):
            yield finding(
                "acks",
                "error",
                flow.where("source", key),
                value,
                "A record counts as copied before its replicas have it: it can be lost later",
                "producer.override.acks: all",
            )


def converters(flow: Flow) -> Iterator[Finding]:
    """KAFKA-9216's lesson: Connect's default header converter guesses types and writes something else."""
    if "source" not in flow.settings:
        return
    for key in ("header.converter", "key.converter", "value.converter"):
        value = flow.get("source", key, default=flow.worker.get(key))
        needed = flow.kind == "connect" and value is None
        if needed or (value is not None and value != BYTES):
            yield finding(
                key.replace(".", "-"),
                "error",
                flow.where("source", key),
                value or "not set, so the worker's own",
                f"The bytes of {'headers' if key.startswith('header') else key.split('.', maxsplit=1)[0] + 's'} "
                "are guessed at and written anew: the copy differs from its original",
                f"{key}: {BYTES}",
            )


def skipping(flow: Flow) -> Iterator[Finding]:
    value = flow.get("source", "source.consumer.auto.offset.reset", "consumer.auto.offset.reset")
    if value == "latest":
        yield finding(
            "auto-offset-reset",
            "error",
            flow.where("source", "consumer.auto.offset.reset"),
            value,
            "At the start, and whenever retention overtakes the mirror, everything up to the end is skipped "
            "without a word",
            "consumer.auto.offset.reset: earliest",
        )


def tolerance(flow: Flow) -> Iterator[Finding]:
    value = flow.get("source", "errors.tolerance")
    if value == "all":
        yield finding(
            "errors-tolerance",
            "error",
            flow.where("source", "errors.tolerance"),
            value,
            "A record that cannot be copied is dropped and the mirror goes on",
            "errors.tolerance: none",
        )


def transforms(flow: Flow) -> Iterator[Finding]:
    value = flow.get("source", "transforms")
    if value:
        yield finding(
            "transforms",
            "warning",
            flow.where("source", "transforms"),
            value,
            "Records are altered on their way: no proof of equality is possible, and a filter looks like a loss",
            "Remove transforms from a mirror that is a backup",
        )


def not_for_data(flow: Flow) -> Iterator[Finding]:
    """``producer.`` of a connector configures its writer of offset syncs; the records' producer listens to
    ``producer.override.``.
    """
    for key in sorted(flow.settings.get("source", {})):
        if key.startswith("producer.") and not key.startswith("producer.override."):
            yield finding(
                "producer-without-override",
                "warning",
                flow.where("source", key),
                flow.get("source", key),
                "This reaches the producer of offset syncs, not the one that writes the records",
                key.replace("producer.", "producer.override.", 1),
            )


def big_records(flow: Flow) -> Iterator[Finding]:
    fetched = number(
        flow.get(
            "source", "source.consumer.max.partition.fetch.bytes", "consumer.max.partition.fetch.bytes", default=""
        )
    )
    sent = number(
        flow.get(
            "source", "producer.override.max.request.size", default=flow.worker.get("producer.max.request.size", "")
        )
    )
    if sent and sent > 1048576 and fetched is not None and fetched < sent:
        yield finding(
            "big-records",
            "info",
            flow.where("source", "consumer.max.partition.fetch.bytes"),
            str(fetched),
            f"Records up to {sent} bytes are sent, but fetched one at a time above {fetched}",
            f"consumer.max.partition.fetch.bytes: {sent}",
        )


def one_task(flow: Flow) -> Iterator[Finding]:
    if "source" in flow.settings and number(flow.get("source", "tasks.max", "tasksMax", default="1")) == 1:
        yield finding(
            "one-task",
            "info",
            flow.where("source", "tasks.max"),
            "1",
            "One task copies all partitions one after the other",
            "tasks.max: 2 or more, up to the number of partitions",
        )


RULES = [
    isolation,
    exactly_once_unheard,
    exactly_once_rest,
    exactly_once_stuck,
    duplicates,
    order,
    acknowledgements,
    converters,
    skipping,
    tolerance,
    transforms,
    not_for_data,
    big_records,
    one_task,
]
