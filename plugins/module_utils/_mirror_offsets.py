# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""How far a mirror has come, and what it is still waited for; the work of ``mirror_offsets_info``."""

from __future__ import annotations

import time

from ._errors import RefusedError
from ._kafka.client import KafkaClient
from ._kafka.cluster import describe_topics
from ._kafka.distinct import refuse_same
from ._kafka.mm2_topics import log_bounds, read_checkpoints, read_last_heartbeat, read_offset_syncs, read_source_offsets, read_witness
from ._kafka.reader import read
from ._mm2.names import MirrorNames, check_names, compile_filter

# A source partition whose last copied record lies further than this before its end is not looked into for control records: it lags.
LOOK_INTO = 2000
NAMED = 5


def mirror_offsets(params, check_mode):
    """The result of ``mirror_offsets_info``; reads only. See the module's RETURN for the shape."""
    names = check_names(MirrorNames(params["source_alias"], params["target_alias"], params["policy"], params["separator"]))
    target = KafkaClient(params["target_client"], params["target_client_secrets"], params["timeout"], names.target)
    source = None
    if params["source_client"]:
        source = KafkaClient(params["source_client"], params["source_client_secrets"], params["timeout"], names.source)
    if params["until_caught_up"] and source is None:
        raise RefusedError("Whether mirror %s -> %s has caught up is seen on its source" % (names.source, names.target),
                           expected="source_client", remedy="Give source_client, or do not wait where the source is lost")
    target.metadata()
    if source is not None:
        refuse_same(source, target)
    matches = compile_filter(params["topics"], params["topics_exclude"])

    def wanted(topic):
        return matches(topic) and names.is_data(topic)

    # The source's ends first: what the mirror copied since then counts, so that "caught up" can become true under live traffic.
    bounds = _source_bounds(source, wanted)
    copied = read_source_offsets(target, params["offsets_topic"] or names.source_offsets, names.source, params["connector"])
    result = {
        "changed": False,
        "exists": {"source_offsets": copied is not None},
        "exactly_once_seen": bool(copied and copied["transactional"]),
        "conflicts": [{"topic": topic, "partition": number} for topic, number in (copied or {}).get("conflicts", [])],
        "partitions": _partitions(names, source, bounds, (copied or {}).get("offsets", {}), wanted),
        "heartbeat": _heartbeat(names, target),
        "witness": _witness(target, params["positions_topic"], wanted),
    }
    if params["details"]:
        result.update(_details(names, target))
    result["exists"]["witness"] = result["witness"]["exists"]
    result["lag"] = sum(one["lag"] or 0 for one in result["partitions"])
    waiting = list(_waiting(params, result, names))
    result["ready"] = not waiting
    result["waiting_for"] = "; ".join(waiting)
    return result


def _source_bounds(source, wanted):
    if source is None:
        return {}
    topics = [name for name in source.metadata().topics if wanted(name)]
    return log_bounds(source, {name: one["partitions"] for name, one in describe_topics(source, topics).items()})


def _partitions(names, source, bounds, offsets, wanted):
    through = {key: offset + 1 for key, offset in offsets.items() if wanted(key[0])}
    rows = {key: {"topic": key[0], "partition": key[1], "target_topic": names.copy_of(key[0]), "mirrored_through": reached,
                  "source_start": None, "source_end": None, "lag": None, "caught_up": None} for key, reached in through.items()}
    if source is None:
        return [rows[key] for key in sorted(rows)]
    for topic, ends in bounds.items():
        for number, one in ends.items():
            key = (topic, int(number))
            row = rows.setdefault(key, {"topic": topic, "partition": key[1], "target_topic": names.copy_of(topic), "mirrored_through": None})
            reached = max(row["mirrored_through"] or 0, one["start"])
            row.update(source_start=one["start"], source_end=one["stable"], lag=max(one["stable"] - reached, 0), stale=reached > one["end"])
    _confirm_stale(source, rows)
    _look_for_data(source, rows)
    return [rows[key] for key in sorted(rows)]


def _confirm_stale(source, rows):
    """An offset beyond the end read before may be one copied since; it is stale only where it lies beyond the end even now."""
    seeming = [key for key, row in rows.items() if row.get("stale")]
    if seeming:
        now = log_bounds(source, {topic: 1 + max(number for name, number in seeming if name == topic) for topic, dummy in seeming})
        for key in seeming:
            rows[key]["stale"] = (rows[key]["mirrored_through"] or 0) > now[key[0]][str(key[1])]["end"]


def _look_for_data(source, rows):
    """Offsets are no records: control records at the end of the source are never copied, so what is left is read."""
    near = [key for key, row in rows.items() if row["lag"] and row["lag"] <= LOOK_INTO]
    found = dict.fromkeys(near, 0)
    ranges = [(*key, rows[key]["source_end"] - rows[key]["lag"], rows[key]["source_end"]) for key in near]
    for index, messages in read(source, ranges, timeout=source.timeout):
        found[near[index]] += len(messages)
    for key, row in rows.items():
        if key in found:
            row["lag"] = found[key]
        if row["lag"] is not None:
            row["caught_up"] = row["lag"] == 0 and not row["stale"]


def _heartbeat(names, target):
    now = time.time()
    came = read_last_heartbeat(target, names.heartbeats_copied, names.target, names.source)
    if came is None:
        came = read_last_heartbeat(target, names.heartbeats_copied, names.source, names.target)
    emitted = read_last_heartbeat(target, names.heartbeats_emitted, names.source, names.target)
    last = came if came is not None else emitted
    return {"copied_at": _seconds(came), "emitted_at": _seconds(emitted), "age": None if last is None else round(now - last / 1000, 3)}


def _witness(target, topic, wanted):
    known = read_witness(target, topic)
    if known is None:
        return {"exists": False, "at": None, "age": None, "groups": 0, "ends": None, "ends_at": None}
    at = known["at"]
    ends = None if known["ends"] is None else {name: one for name, one in known["ends"].items() if wanted(name)}
    return {"exists": True, "at": _seconds(at), "age": None if at is None else round(time.time() - at / 1000, 3), "groups": len(known["groups"]),
            "ends": ends, "ends_at": _seconds(known["ends_at"])}


def _details(names, target):
    syncs = read_offset_syncs(target, names.offset_syncs)
    checkpoints = read_checkpoints(target, names.checkpoints)
    last = {}
    for row in checkpoints or []:
        last[row.value[:3]] = row
    return {
        "offset_syncs": None if syncs is None else [{**row.value._asdict(), "at": _seconds(row.timestamp)} for row in syncs],
        "checkpoints": None if checkpoints is None else [{**row.value._asdict(), "at": _seconds(row.timestamp)} for row in last.values()],
    }


def _seconds(milliseconds):
    return None if milliseconds is None else milliseconds / 1000


def _pace(since, result):
    """Rate and time left of a copy that began from nothing at ``since``."""
    copied = sum((one["mirrored_through"] or 0) - (one["source_start"] or 0) for one in result["partitions"] if one["mirrored_through"])
    if not since or copied <= 0 or time.time() <= since:
        return ""
    rate = copied / (time.time() - since)
    return " (%d/s, about %d s left)" % (rate, result["lag"] / rate)


def _waiting(params, result, names):
    mirror = "mirror %s -> %s" % (names.source, names.target)
    if params["until_caught_up"]:
        behind = [one for one in result["partitions"] if not one["caught_up"] and one["source_end"] is not None]
        if behind and (result["lag"] > params.get("max_lag", 0) or any(one["mirrored_through"] is None for one in behind)):
            named = ", ".join("%s-%d at %s of %d" % (one["topic"], one["partition"], one["mirrored_through"] or 0, one["source_end"]) for one in behind[:NAMED])
            more = " and %d more" % (len(behind) - NAMED) if len(behind) > NAMED else ""
            pace = _pace(params.get("copying_since"), result)
            yield "%s to copy %d more offsets%s of %d partitions: %s%s" % (mirror, result["lag"], pace, len(behind), named, more)
    if params["until_heartbeat"]:
        age = result["heartbeat"]["age"]
        if age is None:
            yield "the first heartbeat of %s" % mirror
        elif age > params["max_heartbeat_age"]:
            yield "a heartbeat of %s no older than %d s; the last one is %.0f s old" % (mirror, params["max_heartbeat_age"], age)
    if params["until_witness"]:
        age = result["witness"]["age"]
        if age is None:
            yield "the first round of the position witness of %s" % mirror
        elif age > params["max_witness_age"]:
            yield "a round of the position witness of %s no older than %d s; the last one is %.0f s old" % (mirror, params["max_witness_age"], age)
