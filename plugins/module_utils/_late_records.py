# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Records that a source took after its mirror had stopped; the work of ``late_records_info``."""

from __future__ import annotations

from ._kafka.client import KafkaClient
from ._kafka.cluster import describe_topics, matching
from ._kafka.mm2_topics import log_bounds
from ._kafka.reader import read

NAMED = 5
# Beyond so many offsets nobody waits for each to be read: that there are records is shown by the first ones.
LOOK_INTO = 20000


def work(params: dict, check_mode: bool) -> dict:
    """The result of ``late_records_info``; reads only. See the module's RETURN for the shape."""
    source = KafkaClient(params["client"], params["client_secrets"], params["timeout"])
    names = matching(list(source.metadata().topics), params["topics"], "topics")
    bounds = log_bounds(source, {name: one["partitions"] for name, one in describe_topics(source, names).items()})
    rows = [_row(topic, number, one, (params["through"].get(topic) or {}).get(number)) for topic, ends in bounds.items() for number, one in ends.items()]
    beyond = [one for one in rows if one["end"] > one["begin"]]
    for one, count in zip(beyond, _count(source, beyond), strict=True):
        one["records"] = count
    late = sorted((one for one in beyond if one["records"]), key=lambda one: (one["topic"], one["partition"]))
    undecided = sorted("%s-%d" % (one["topic"], one["partition"]) for one in rows if one["undecided"])
    told = ["%s-%d has %s%d from offset %d" % (one["topic"], one["partition"], "at least " if one["end"] - one["begin"] > LOOK_INTO else "", one["records"],
                                              one["begin"]) for one in late]
    told += ["an open transaction in %s" % one for one in undecided]
    return {
        "changed": False, "ready": not told, "total": sum(one["records"] for one in late),
        "late": [{key: one[key] for key in ("topic", "partition", "begin", "records")} for one in late], "undecided": undecided,
        "waiting_for": "; ".join(told[:NAMED]) + (" and %d more" % (len(told) - NAMED) if len(told) > NAMED else ""),
    }


def _row(topic, number, ends, through):
    """Where a partition's late records lie. One of which no end is known is late from its beginning."""
    return {"topic": topic, "partition": int(number), "begin": max(int(through or 0), ends["start"]), "end": ends["stable"],
            "undecided": ends["stable"] < ends["end"], "records": 0}


def _count(source, rows):
    """Data records of these ranges; the markers of transactions and aborted records are none."""
    found = [0] * len(rows)
    ranges = [(one["topic"], one["partition"], one["begin"], min(one["end"], one["begin"] + LOOK_INTO)) for one in rows]
    for index, messages in read(source, ranges, timeout=source.timeout):
        found[index] += len(messages)
    # Nothing among the first ones says nothing about the rest.
    for index, one in enumerate(rows):
        at = one["begin"] + LOOK_INTO
        while not found[index] and at < one["end"]:
            for dummy, messages in read(source, [(one["topic"], one["partition"], at, min(one["end"], at + LOOK_INTO))], timeout=source.timeout):
                found[index] += len(messages)
            at += LOOK_INTO
    return found
