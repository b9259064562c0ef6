# SPDX-License-Identifier: GPL-3.0-or-later
"""How far a mirror has come, and what it is still waited for; the work of ``mirror_offsets_info``."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from .._doctor.task_states import task_name
from .._errors import KafkaDrError, RefusedError
from .._kafka.client import KafkaClient
from .._kafka.mm2_topics import read_task_states
from .._mm2.names import MirrorNames, status_topic
from .._positions.mirror_progress import mirror_names, mirror_progress
from .._values.java_trace import why
from .._values.listing import named
from .._values.moment import AHEAD_SECONDS
from .._watch.health import standing_proof

NAMED = 5
# Characters of what a task failed with.
REASON = 200


def mirror_offsets_info(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """The result of ``mirror_offsets_info``; reads only. See the module's RETURN for the shape."""
    names = mirror_names(params)
    if params["until_caught_up"] and not params["source_client"]:
        raise RefusedError(
            f"Whether mirror {names.source} -> {names.target} has caught up is seen on its source",
            expected="source_client",
            remedy="Give source_client, or do not wait where the source is lost",
        )
    target = KafkaClient(params["target_client"], params["target_client_secrets"], params["timeout"], names.target)
    progress = mirror_progress(params, target)
    progress["watch"], progress["watch_unreadable"] = _watch(params, progress, target)
    progress["failed_tasks"] = _failed_tasks(target, names)
    waiting = list(_waiting(params, progress, names))
    return {"changed": False, **progress, "ready": not waiting, "waiting_for": "; ".join(waiting)}


def _watch(
    params: dict[str, Any], progress: dict[str, Any], target: KafkaClient
) -> tuple[dict[str, Any] | None, str | None]:
    """What the watch of the mirror says, where it is asked for, and why it cannot be read."""
    if not params.get("watch"):
        return None, None
    ends = {
        (row["topic"], row["partition"]): row["source_end"]
        for row in progress["partitions"]
        if row["source_end"] is not None
    }
    return standing_proof(target, params["watch"], ends)


def _failed_tasks(target: KafkaClient, names: MirrorNames) -> list[dict[str, Any]] | None:
    """Connectors and tasks that Connect does not start again by itself; None where their states cannot be read, as of a
    mirror on a Connect cluster with topics of its own.
    """
    try:
        states = read_task_states(target, status_topic(names.source))
    except KafkaDrError:
        return None
    if states is None:
        return None
    return [
        {"connector": state["connector"], "task": state["task"], "reason": why(state["trace"], REASON)}
        for state in states
        if state["state"] == "FAILED"
    ]


def _pace(since: float | None, result: dict[str, Any]) -> str:
    """Rate and time left of a copy that began from nothing at ``since``."""
    copied = sum(
        (row["mirrored_through"] or 0) - (row["source_start"] or 0)
        for row in result["partitions"]
        if row["mirrored_through"]
    )
    if not since or copied <= 0 or time.time() <= since:
        return ""
    rate = copied / (time.time() - since)
    return f" ({int(rate)}/s, about {int(result['lag'] / rate)} s left)"


def _waiting(params: dict[str, Any], result: dict[str, Any], names: MirrorNames) -> Iterator[str]:
    mirror = f"mirror {names.source} -> {names.target}"
    if params["until_caught_up"]:
        # Kafka shows no topic to whom it does not let describe it: nothing seen is not nothing left.
        if not params.get("allow_none") and all(row["source_end"] is None for row in result["partitions"]):
            yield f"a topic of {names.source} that the patterns match and that this principal may DESCRIBE"
        if result["hidden"]:
            yield (
                f"{names.source} to show this principal {named(result['hidden'], NAMED)}, which {mirror} has copied: "
                "give it DESCRIBE on every topic that the patterns match"
            )
        stale = [
            f"{row['topic']}-{row['partition']}, copied up to {row['mirrored_through']} of {row['source_end']}"
            for row in result["partitions"]
            if row.get("stale")
        ]
        if stale:
            yield (
                f"{mirror} to know of topics that were made again, or lost records (see mirror_doctor_info): "
                f"{', '.join(stale[:NAMED])}"
            )
        behind = [row for row in result["partitions"] if not row["caught_up"] and row["source_end"] is not None]
        if behind:
            yield from _failed(result["failed_tasks"] or [], mirror)
        if behind and (
            result["lag"] > params.get("max_lag", 0) or any(row["mirrored_through"] is None for row in behind)
        ):
            partitions = named(
                (
                    f"{row['topic']}-{row['partition']} at {row['mirrored_through'] or 0} of {row['source_end']}"
                    for row in behind
                ),
                NAMED,
            )
            pace = _pace(params.get("copying_since"), result)
            yield f"{mirror} to copy {result['lag']} more offsets{pace} of {len(behind)} partitions: {partitions}"
    yield from _silent(params, result, mirror)


def _failed(tasks: list[dict[str, Any]], mirror: str) -> Iterator[str]:
    for task in tasks:
        name, reason = task_name(task), task["reason"]
        yield f"{name} of {mirror}, which failed and does not start again ({reason}): restart the mirror"


def _silent(params: dict[str, Any], result: dict[str, Any], mirror: str) -> Iterator[str]:
    """What has not been heard of for too long."""
    if params["until_heartbeat"]:
        yield from _too_old(f"heartbeat of {mirror}", result["heartbeat"], params["max_heartbeat_age"])
    if params["until_witness"]:
        subject, other = f"round of the position witness of {mirror}", result["witness"].get("other_mirror")
        if other:
            subject += f", not of mirror {other}, which wrote to its topic: set positions_topic of one of the two"
        yield from _too_old(subject, result["witness"], params["max_witness_age"])
    if params.get("until_watch") and result["watch_unreadable"]:
        yield f"a watch of {mirror} that can be read; now it cannot be read: {result['watch_unreadable']}"
    elif params.get("until_watch"):
        subject = f"round of the watch of {mirror}"
        watch = result["watch"] or {"age_seconds": None, "ahead_seconds": 0}
        yield from _too_old(subject, {"age": -watch["ahead_seconds"] or watch["age_seconds"]}, params["max_watch_age"])


def _too_old(subject: str, seen: dict[str, Any], limit: float) -> Iterator[str]:
    age = seen["age"]
    if age is None:
        yield f"the first {subject}"
    elif age < -AHEAD_SECONDS:
        yield f"a {subject} that is not {-age:.0f} s ahead of this machine's clock: set the clocks"
    elif age > limit:
        yield f"a {subject} no older than {limit} s; the last one is {age:.0f} s old"
