# SPDX-License-Identifier: GPL-3.0-or-later
"""Are the copies complete in kind, and still the copies of these very topics?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .._values.listing import named
from .finding import finding
from .observe import Observation

UNLIMITED = (-1, None)


def _pairs(seen: Observation) -> Iterator[tuple[str, dict[str, Any], str, dict[str, Any] | None]]:
    if not seen.source or not seen.target:
        return
    for name, source in sorted(seen.source["topics"].items()):
        yield name, source, seen.names.copy_of(name), seen.target["topics"].get(seen.names.copy_of(name))


def missing(seen: Observation, params: dict[str, Any]) -> Iterator[dict[str, str]]:
    absent = [name for name, dummy, dummy2, target in _pairs(seen) if target is None]
    offsets = seen.source["offsets"][0] if seen.source else {}
    filled = [name for name in absent if any(bounds["end"] > bounds["start"] for bounds in offsets[name].values())]
    if filled:
        yield finding(
            "topic-not-mirrored",
            "error",
            named(filled),
            f"on {seen.names.source} and not on {seen.names.target}",
            "The mirror's patterns leave it out, it may not read or create it, or it has not noticed it yet "
            "(refresh.topics.interval.seconds)",
            "Compare topics and topics_exclude of the mirror; then look for refusals in its log",
        )
    empty = [name for name in absent if name not in filled]
    if empty:
        yield finding(
            "topic-not-mirrored",
            "info",
            named(empty),
            f"empty, and not yet on {seen.names.target}",
            "The mirror has not noticed it yet",
            "Wait for a refresh",
        )


def renamed(seen: Observation, params: dict[str, Any]) -> Iterator[dict[str, str]]:
    """The identity policy puts the source before names that end in heartbeats, and before no others."""
    found = [name for name, dummy, copy, dummy2 in _pairs(seen) if seen.names.policy == "identity" and copy != name]
    if found:
        yield finding(
            "renamed-by-policy",
            "warning",
            named(found),
            f"copied to {named(seen.names.copy_of(name) for name in found)}",
            "The identity policy renames every topic whose name ends in 'heartbeats': applications do not find it "
            "after a switch, and a restore "
            "cannot bring it back",
            "Give the topic a name that does not end in 'heartbeats', or leave it out with topics_exclude",
        )


def partitions(seen: Observation, params: dict[str, Any]) -> Iterator[dict[str, str]]:
    for dummy, source, copy, target in _pairs(seen):
        if target and target["partitions"] < source["partitions"]:
            yield finding(
                "fewer-partitions",
                "error",
                copy,
                f"{target['partitions']} partitions for {source['partitions']} of the source",
                "Records of the further partitions cannot be copied until the mirror, or somebody, adds them",
                "Wait for refresh.topics.interval.seconds; if it stays, allow the mirror ALTER on the topic",
            )
        elif target and target["partitions"] > source["partitions"]:
            yield finding(
                "more-partitions",
                "warning",
                copy,
                f"{target['partitions']} partitions for {source['partitions']} of the source",
                "After a switch producers spread keys over other partitions: the order per key breaks",
                "Make it again with as many as the source",
            )


def configs(seen: Observation, params: dict[str, Any]) -> Iterator[dict[str, str]]:
    for dummy, source, copy, target in _pairs(seen):
        if target is None:
            continue
        ours, theirs = target.get("configs", {}), source.get("configs", {})
        if (
            ours.get("message.timestamp.type") == "LogAppendTime"
            and theirs.get("message.timestamp.type") != "LogAppendTime"
        ):
            yield finding(
                "timestamps-overwritten",
                "error",
                copy,
                "message.timestamp.type LogAppendTime",
                "The target writes its own times over the records'",
                "Set message.timestamp.type=CreateTime on the target and mirror the topic anew",
            )
        if _number(ours, "max.message.bytes") < _number(theirs, "max.message.bytes"):
            yield finding(
                "smaller-records-only",
                "error",
                copy,
                f"max.message.bytes {ours['max.message.bytes']} for {theirs['max.message.bytes']} of the source",
                "The first record that is larger stops the task",
                "Raise it on the target",
            )
        yield from _deletion(copy, ours, theirs)
        yield from _durability(copy, source, target, seen.target["brokers"] if seen.target else 0)


def _deletion(copy: str, ours: dict[str, Any], theirs: dict[str, Any]) -> Iterator[dict[str, str]]:
    if ours.get("cleanup.policy") != theirs.get("cleanup.policy"):
        yield finding(
            "cleanup-differs",
            "error" if "compact" in (ours.get("cleanup.policy") or "") else "warning",
            copy,
            f"cleanup.policy {ours.get('cleanup.policy')} for {theirs.get('cleanup.policy')} of the source",
            "The copy keeps other records than its original",
            "Make them alike; MirrorMaker 2 syncs it unless it is left out",
        )
    elif "delete" in (ours.get("cleanup.policy") or ""):
        for key in ("retention.ms", "retention.bytes"):
            if _bounded(ours, key) < _bounded(theirs, key):
                yield finding(
                    "shorter-retention",
                    "error",
                    copy,
                    f"{key} {ours.get(key)} for {theirs.get(key)} of the source",
                    "The backup deletes what the source still has",
                    "Give it at least the source's",
                )


def _durability(copy: str, source: dict[str, Any], target: dict[str, Any], brokers: int) -> Iterator[dict[str, str]]:
    ours, theirs = target.get("configs", {}), source.get("configs", {})
    if _number(ours, "min.insync.replicas") < _number(theirs, "min.insync.replicas"):
        yield finding(
            "min-insync-differs",
            "info",
            copy,
            f"{ours.get('min.insync.replicas')} for {theirs.get('min.insync.replicas')} of the source",
            "MirrorMaker 2 never brings it over: after a switch writes are less safe",
            "Set it on the target before it becomes active",
        )
    wanted = min(source["replication_factor"], brokers)
    if target["replication_factor"] < wanted:
        yield finding(
            "fewer-replicas",
            "warning",
            copy,
            f"{target['replication_factor']} replicas, the source has {source['replication_factor']}",
            "The copy is lost with fewer brokers than the original",
            "Set tuning.replication_factor, and reassign what exists",
        )


def _number(settings: dict[str, Any], key: str) -> int:
    try:
        return int(settings[key])
    except (KeyError, TypeError, ValueError):
        return 0


def _bounded(settings: dict[str, Any], key: str) -> float:
    value = _number(settings, key) if settings.get(key) is not None else -1
    return float("inf") if value in UNLIMITED else value


def overtaken(seen: Observation, params: dict[str, Any]) -> Iterator[dict[str, str]]:
    """The source's log starts behind what was copied: the records between are gone."""
    lost, near = [], []
    for row in seen.mirror[-1]["partitions"] if seen.mirror else []:
        through, start, end = row["mirrored_through"], row["source_start"], row["source_end"]
        if through is None or start is None or row.get("stale"):
            continue
        if through < start:
            lost.append((row, start - through))
        elif row["lag"] and start > 0 and end > start and (through - start) * 10 < end - start:
            near.append(row)
    if lost:
        # One offset may have been a transaction marker, which is never copied.
        severity = "error" if any(gap > 1 for dummy, gap in lost) else "warning"
        yield finding(
            "overtaken-by-retention",
            severity,
            named(f"{row['topic']}-{row['partition']}" for row, dummy in lost),
            f"{sum(gap for dummy, gap in lost)} offsets were deleted before they were copied",
            "The mirror was down or slow for longer than the source keeps records: they are lost for the backup",
            "Raise retention.ms at the source, speed the mirror up, and let a proof name what is missing",
        )
    if near:
        yield finding(
            "retention-close",
            "warning",
            named(f"{row['topic']}-{row['partition']}" for row in near),
            "what comes next is nearly the oldest that the source has",
            "The source will delete records before they are copied",
            "Raise retention.ms at the source now, then speed the mirror up",
        )


def recreated(seen: Observation, params: dict[str, Any]) -> Iterator[dict[str, str]]:
    """A stored position beyond the end, or another topic id than known: not the topic that it was."""
    stale = [row for row in (seen.mirror[-1]["partitions"] if seen.mirror else []) if row.get("stale")]
    if stale:
        yield finding(
            "recreated-at-source",
            "error",
            named(f"{row['topic']}-{row['partition']}" for row in stale),
            f"copied up to offset {stale[0]['mirrored_through']}, the source ends at {stale[0]['source_end']}",
            "The topic was deleted and made again: nothing of it is copied until it has grown past the old "
            "position, and what comes before is lost",
            "Stop the mirror, remove the topic's stored positions and its copy, and mirror it anew",
        )
    known = params["known_topics"] or {}
    for side, view in (("source", seen.source), ("target", seen.target)):
        for name, topic in sorted((view or {}).get("topics", {}).items()):
            before = known.get(f"{getattr(seen.names, side)}/{name}")
            if before and before != topic["id"]:
                yield finding(
                    "topic-id-changed",
                    "error",
                    name,
                    f"id {topic['id']} on {getattr(seen.names, side)}, known as {before}",
                    "The topic was deleted and made again since: positions and proofs of before say nothing about it",
                    "Mirror it anew, and prove it again",
                )


def copy_gone(seen: Observation, params: dict[str, Any]) -> Iterator[dict[str, str]]:
    """The newest sync of a partition names an offset that the copy does not have: the copy was cut or made again."""
    if not seen.target or seen.syncs is None:
        return
    last = {(row.value.topic, row.value.partition): row.value.downstream for row in seen.syncs}
    gone = []
    for (topic, number), downstream in sorted(last.items()):
        bounds = seen.target["offsets"][-1].get(seen.names.copy_of(topic), {}).get(str(number))
        if bounds and bounds["end"] <= downstream:
            gone.append((seen.names.copy_of(topic), number, downstream, bounds["end"]))
    if gone:
        yield finding(
            "copy-recreated",
            "error",
            named(f"{topic}-{number}" for topic, number, *dummy in gone),
            f"a record was copied to offset {gone[0][2]}, the copy ends at {gone[0][3]}",
            "The copy was deleted and made again, or cut: the mirror does not copy again what it copied once",
            "Stop the mirror, remove the topic's stored positions, and mirror it anew",
        )


CHECKS = [missing, renamed, partitions, configs, overtaken, recreated, copy_gone]
