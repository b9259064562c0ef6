# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Are the copies complete in kind, and still the copies of these very topics?"""

from __future__ import annotations

from .finding import finding, named

UNLIMITED = (-1, None)


def _pairs(seen):
    if not seen.source or not seen.target:
        return
    for name, source in sorted(seen.source["topics"].items()):
        yield name, source, seen.names.copy_of(name), seen.target["topics"].get(seen.names.copy_of(name))


def missing(seen, params):
    absent = [name for name, dummy, dummy2, target in _pairs(seen) if target is None]
    filled = [name for name in absent if any(one["end"] > one["start"] for one in seen.source["offsets"][0][name].values())]
    if filled:
        yield finding("topic-not-mirrored", "error", named(filled), "on %s and not on %s" % (seen.names.source, seen.names.target),
                      "The mirror's patterns leave it out, it may not read or create it, or it has not noticed it yet (refresh.topics.interval.seconds)",
                      "Compare topics and topics_exclude of the mirror; then look for refusals in its log")
    empty = [name for name in absent if name not in filled]
    if empty:
        yield finding("topic-not-mirrored", "info", named(empty), "empty, and not yet on %s" % seen.names.target,
                      "The mirror has not noticed it yet", "Wait for a refresh")


def renamed(seen, params):
    """The identity policy puts the source before names that end in heartbeats, and before no others."""
    found = [name for name, dummy, copy, dummy2 in _pairs(seen) if seen.names.policy == "identity" and copy != name]
    if found:
        yield finding("renamed-by-policy", "warning", named(found), "copied to %s" % named(seen.names.copy_of(name) for name in found),
                      "The identity policy renames every topic whose name ends in 'heartbeats': applications do not find it after a switch, and a restore "
                      "cannot bring it back", "Give the topic a name that does not end in 'heartbeats', or leave it out with topics_exclude")


def partitions(seen, params):
    for dummy, source, copy, target in _pairs(seen):
        if target and target["partitions"] < source["partitions"]:
            yield finding("fewer-partitions", "error", copy, "%d partitions for %d of the source" % (target["partitions"], source["partitions"]),
                          "Records of the further partitions cannot be copied until the mirror, or somebody, adds them",
                          "Wait for refresh.topics.interval.seconds; if it stays, allow the mirror ALTER on the topic")
        elif target and target["partitions"] > source["partitions"]:
            yield finding("more-partitions", "warning", copy, "%d partitions for %d of the source" % (target["partitions"], source["partitions"]),
                          "After a switch producers spread keys over other partitions: the order per key breaks", "Make it again with as many as the source")


def configs(seen, params):
    for dummy, source, copy, target in _pairs(seen):
        if target is None:
            continue
        ours, theirs = target.get("configs", {}), source.get("configs", {})
        if ours.get("message.timestamp.type") == "LogAppendTime" and theirs.get("message.timestamp.type") != "LogAppendTime":
            yield finding("timestamps-overwritten", "error", copy, "message.timestamp.type LogAppendTime", "The target writes its own times over the records'",
                          "Set message.timestamp.type=CreateTime on the target and mirror the topic anew")
        if _number(ours, "max.message.bytes") < _number(theirs, "max.message.bytes"):
            yield finding("smaller-records-only", "error", copy,
                          "max.message.bytes %s for %s of the source" % (ours["max.message.bytes"], theirs["max.message.bytes"]),
                          "The first record that is larger stops the task", "Raise it on the target")
        if ours.get("cleanup.policy") != theirs.get("cleanup.policy"):
            yield finding("cleanup-differs", "error" if "compact" in (ours.get("cleanup.policy") or "") else "warning", copy,
                          "cleanup.policy %s for %s of the source" % (ours.get("cleanup.policy"), theirs.get("cleanup.policy")),
                          "The copy keeps other records than its original", "Make them alike; MirrorMaker 2 syncs it unless it is left out")
        elif "delete" in (ours.get("cleanup.policy") or ""):
            for key in ("retention.ms", "retention.bytes"):
                if _bounded(ours, key) < _bounded(theirs, key):
                    yield finding("shorter-retention", "error", copy, "%s %s for %s of the source" % (key, ours.get(key), theirs.get(key)),
                                  "The backup deletes what the source still has", "Give it at least the source's")
        if _number(ours, "min.insync.replicas") < _number(theirs, "min.insync.replicas"):
            yield finding("min-insync-differs", "info", copy, "%s for %s of the source" % (ours.get("min.insync.replicas"), theirs.get("min.insync.replicas")),
                          "MirrorMaker 2 never brings it over: after a switch writes are less safe", "Set it on the target before it becomes active")
        wanted = min(source["replication_factor"], seen.target["brokers"])
        if target["replication_factor"] < wanted:
            yield finding("fewer-replicas", "warning", copy, "%d replicas, the source has %d" % (target["replication_factor"], source["replication_factor"]),
                          "The copy is lost with fewer brokers than the original", "Set tuning.replication_factor, and reassign what exists")


def _number(settings, key):
    try:
        return int(settings.get(key))
    except (TypeError, ValueError):
        return 0


def _bounded(settings, key):
    value = _number(settings, key) if settings.get(key) is not None else -1
    return float("inf") if value in UNLIMITED else value


def overtaken(seen, params):
    """The source's log starts behind what was copied: the records between are gone."""
    lost, near = [], []
    for one in seen.mirror[-1]["partitions"] if seen.mirror else []:
        through, start, end = one["mirrored_through"], one["source_start"], one["source_end"]
        if through is None or start is None or one.get("stale"):
            continue
        if through < start:
            lost.append((one, start - through))
        elif one["lag"] and start > 0 and end > start and (through - start) * 10 < end - start:
            near.append(one)
    if lost:
        # One offset may have been a transaction marker, which is never copied.
        severity = "error" if any(gap > 1 for dummy, gap in lost) else "warning"
        yield finding("overtaken-by-retention", severity, named("%s-%d" % (one["topic"], one["partition"]) for one, dummy in lost),
                      "%d offsets were deleted before they were copied" % sum(gap for dummy, gap in lost),
                      "The mirror was down or slow for longer than the source keeps records: they are lost for the backup",
                      "Raise retention.ms at the source, speed the mirror up, and let a proof name what is missing")
    if near:
        yield finding("retention-close", "warning", named("%s-%d" % (one["topic"], one["partition"]) for one in near),
                      "what comes next is nearly the oldest that the source has", "The source will delete records before they are copied",
                      "Raise retention.ms at the source now, then speed the mirror up")


def recreated(seen, params):
    """A stored position beyond the end, or another topic id than known: not the topic that it was."""
    stale = [one for one in (seen.mirror[-1]["partitions"] if seen.mirror else []) if one.get("stale")]
    if stale:
        yield finding("recreated-at-source", "error", named("%s-%d" % (one["topic"], one["partition"]) for one in stale),
                      "copied up to offset %d, the source ends at %d" % (stale[0]["mirrored_through"], stale[0]["source_end"]),
                      "The topic was deleted and made again: nothing of it is copied until it has grown past the old position, and what comes before is lost",
                      "Stop the mirror, remove the topic's stored positions and its copy, and mirror it anew")
    known = params["known_topics"] or {}
    for side, view in (("source", seen.source), ("target", seen.target)):
        for name, one in sorted((view or {}).get("topics", {}).items()):
            before = known.get("%s/%s" % (getattr(seen.names, side), name))
            if before and before != one["id"]:
                yield finding("topic-id-changed", "error", name, "id %s on %s, known as %s" % (one["id"], getattr(seen.names, side), before),
                              "The topic was deleted and made again since: positions and proofs of before say nothing about it",
                              "Mirror it anew, and prove it again")


def copy_gone(seen, params):
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
        yield finding("copy-recreated", "error", named("%s-%d" % one[:2] for one in gone),
                      "a record was copied to offset %d, the copy ends at %d" % gone[0][2:],
                      "The copy was deleted and made again, or cut: the mirror does not copy again what it copied once",
                      "Stop the mirror, remove the topic's stored positions, and mirror it anew")


CHECKS = [missing, renamed, partitions, configs, overtaken, recreated, copy_gone]
