# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Plan and commit translated positions; the work of ``offset_translate``.

The order is: read every position, read the evidence, translate, look for members and movement on the target, and only if nothing at all is
refused, commit and read back. So a failure before the commit has changed nothing, and one during it can be repeated.
"""

from __future__ import annotations

import time

from ._errors import KafkaDrError, RefusedError
from ._kafka.client import KafkaClient
from ._kafka.distinct import cluster_id, refuse_one_cluster
from ._kafka.groups import commit_positions, group_members, group_positions
from ._kafka.kinds import group_kinds
from ._kafka.mm2_topics import read_checkpoints, read_witness
from ._kafka.offset_evidence import Mirror
from ._mm2.names import MirrorNames, check_names
from ._mm2.proof_map import read_proof
from ._mm2.translation import CONFIDENCES, EXACT, translate
from ._offset_positions import group_filter, last_positions, living_positions, wanted_topic
from ._other_groups import other_groups, unlisted

NAMED = 5


def offset_translate(params, check_mode):
    """The result of ``offset_translate``; see the module's RETURN for the shape."""
    began = time.monotonic()
    names = check_names(MirrorNames(params["source_alias"], params["target_alias"], params["policy"], params["separator"]))
    target = KafkaClient(params["target_client"], params["target_client_secrets"], params["timeout"], names.target)
    source = None
    if params["source_client"]:
        source = KafkaClient(params["source_client"], params["source_client_secrets"], params["timeout"], names.source)
        source.metadata()
    target.metadata()
    contents = _contents(params, source, target)
    wanted, topic = group_filter(params), wanted_topic(params, names)
    known = read_witness(target, params["positions_topic"])
    checkpoints = read_checkpoints(target, names.checkpoints)
    if source is not None:
        positions, busy, excluded = living_positions(source, wanted, topic, (known or {"groups": {}})["groups"])
        kinds, unknown = _kinds(source)
    else:
        everything = last_positions(names, known, checkpoints, lambda name: True, topic)
        positions, busy = {name: one for name, one in everything.items() if wanted(name)}, {}
        kinds, unknown = None, []
        excluded = {name for name, one in everything.items() if one and not wanted(name)}
    before = group_positions(target, positions)
    looked = time.monotonic()
    mirror = Mirror(
        names, source, target, params["offsets_topic"], params["connector"], known, checkpoints or (),
        read_proof(params["proof_report"]) if params["proof_report"] else None, _ends(params["target_ends"]),
    )
    if contents is not None:
        contents.known_ids = (known or {}).get("topics") or {}
    rows = _plan(mirror, positions, before, contents and contents.scan, params["scan_limit"], "interpolated" in (params["accept"] or ()))
    refused, left = _refusals(params, target, rows, positions, busy)
    if not check_mode and params["still_seconds"] and before:
        time.sleep(max(0.0, params["still_seconds"] - (time.monotonic() - looked)))
    # `assign` makes no member, but such a consumer's positions move.
    refused += _moved(before, group_positions(target, before), left)
    if params["on_live_members"] == "skip":
        left.update({one["group"]: one["reason"] for one in refused if one["kind"] in ("members", "moving")})
        refused = [one for one in refused if one["group"] not in left]
    todo = _todo(rows, left)
    result = _result(params, positions, before, rows, refused, left, todo)
    placed = {row["group"] for row in rows if row["to"] is not None}
    seen = excluded | {name for name, one in positions.items() if one}
    result["others"] = other_groups(kinds, seen, placed, wanted, params["named_groups"] or (),
                                    (source or target).metadata().topics) + unknown
    result["summary"]["others"] = result["others"]
    result["summary"].update(exactly_once_seen=mirror.exactly_once, source="alive" if source is not None else "lost",
                             planned_seconds=round(time.monotonic() - began, 3))
    if refused and not check_mode:
        raise _refusal(names, refused, result)
    if not check_mode:
        result["committed"] = _commit(target, todo, result)
    result["summary"]["seconds"] = round(time.monotonic() - began, 3)
    return result


def _contents(params, source, target):
    """The manifest that speaks for a lost source, opened before anything else is read; None where there is none. Both sides have to be two clusters."""
    here = cluster_id(target)
    if source is not None:
        refuse_one_cluster((source.name, cluster_id(source)), (target.name, here))
        return None
    if not params["manifest"]:
        return None
    # Its library takes a quarter of a second to load, which nobody else is to wait for.
    from ._manifest.scan import ManifestRecords

    records = ManifestRecords(params["manifest"])
    refuse_one_cluster(("The manifest's region", records.side.cluster_id), (target.name, here))
    return records


def _kinds(source):
    """``(kinds of the source's groups, what is said where the client cannot ask for them)``."""
    try:
        return group_kinds(source), []
    except KafkaDrError as error:  # a way to log in that kafka-python does not have, for one, is no reason to stop a move; it is named instead
        return None, [unlisted(error)]


def _ends(ends):
    return {topic: {int(number): int(end) for number, end in one.items()} for topic, one in (ends or {}).items()}


def _plan(mirror, positions, before, contents, limit, interpolate):
    wanted = {}
    for places in positions.values():
        for key, position in places.items():
            wanted.setdefault(key, set()).add(position.offset)
    evidence = mirror.evidence(wanted, limit, contents)
    copies = {mirror.names.copy_of(topic) for topic, dummy in wanted}
    existing = {name for name in mirror.target.metadata().topics if name in copies}
    answers = {}
    rows = []
    for group in sorted(positions):
        for key, position in sorted(positions[group].items()):
            copy = mirror.names.copy_of(key[0])
            if copy not in existing:
                continue
            answer = None
            if key in evidence:
                asked = (key, position.offset, position.at)
                answer = answers[asked] = answers.get(asked) or translate(evidence[key], position.offset, interpolate, position.at)
            rows.append({
                "group": group, "topic": key[0], "target_topic": copy, "partition": key[1], "source_offset": position.offset,
                "from": before.get(group, {}).get((copy, key[1])), "to": answer.offset if answer else None,
                "confidence": answer.confidence if answer else "unknown", "reprocess_at_most": answer.reprocess_at_most if answer else None,
                "unseen_at_most": _unseen(evidence[key], position, answer) if answer else None,
                "evidence": answer.evidence if answer else "the partition does not exist on both sides",
                "position_from": position.said_by, "position_at": position.at,
            })
    return rows


def _unseen(evidence, position, answer):
    """How many records a consumer may have processed after its position was seen last, and finds again: no more than were copied behind the answer.

    Nothing is unseen where the source itself says the position. Offsets count as records, so that markers among them make it an upper bound.
    """
    return 0 if position.said_by == "source" else max(0, evidence.target_end - answer.offset)


def _refusals(params, target, rows, positions, busy):
    """What may not be committed, and the groups that are done already: ``([{group, kind, reason}], {group: why it is left alone})``."""
    switched = set(params["switched_groups"] or ())
    left = {group: "switched before, as the ledger says" for group in positions if group in switched}
    refused = []
    for group, one in sorted(group_members(target, positions).items()):
        if one["members"] and group not in left:
            refused.append({"group": group, "kind": "members", "reason": "%d live members on %s (%s)" % (one["members"], target.name, one["state"])})
    for group, count in sorted(busy.items()):
        if group not in left:
            refused.append({"group": group, "kind": "members", "reason": "%d live members on the source: its position still moves" % count})
    accepted = set(EXACT) | set(params["accept"] or ())
    for row in rows:
        if row["confidence"] not in accepted and row["group"] not in left:
            refused.append({"group": row["group"], "kind": "confidence", "reason": "%s-%d is %s (%s), which is not accepted" % (
                row["topic"], row["partition"], row["confidence"], row["evidence"])})
    return refused, left


def _moved(before, now, left):
    for group in sorted(now):
        moved = sorted(key for key, offset in now[group].items() if before.get(group, {}).get(key) not in (None, offset))
        if moved and group not in left:
            reason = "its position on %s-%d of the target moves: a consumer without membership, or a mirror that still syncs groups"
            yield {"group": group, "kind": "moving", "reason": reason % moved[0]}


def _todo(rows, left):
    todo = {}
    for row in rows:
        if row["group"] not in left and row["to"] is not None and row["to"] != row["from"]:
            todo.setdefault(row["group"], {})[(row["target_topic"], row["partition"])] = row["to"]
    return todo


def _result(params, positions, before, rows, refused, left, todo):
    by_group = {}
    for row in rows:
        by_group.setdefault(row["group"], []).append(row)
    groups = [{
        "group": group, "state": "left" if group in left else "refused" if any(one["group"] == group for one in refused) else "planned",
        "reason": left.get(group, ""), "partitions": len(some), "to_commit": len(todo.get(group, {})),
        "confidence": max((row["confidence"] for row in some), key=CONFIDENCES.index),
        "reprocess_at_most": sum(row["reprocess_at_most"] or 0 for row in some), "unseen_at_most": sum(row["unseen_at_most"] or 0 for row in some),
    } for group, some in sorted(by_group.items())]
    counts = dict.fromkeys(CONFIDENCES, 0)
    for row in rows:
        counts[row["confidence"]] += 1
    seen = [row["position_at"] for row in rows if row["position_at"] is not None]
    return {
        "changed": bool(todo) and not refused,
        "plan": rows, "groups": groups, "refused": refused, "committed": 0,
        "absent": sorted(set(params["groups"] or ()) - set(positions)),
        "summary": {
            "groups": len(groups), "partitions": len(rows), "to_commit": sum(len(one) for one in todo.values()), "confidence": counts,
            "reprocess_at_most": sum(row["reprocess_at_most"] or 0 for row in rows), "unseen_at_most": sum(row["unseen_at_most"] or 0 for row in rows),
            "positions_at": max(seen, default=None), "oldest_position_at": min(seen, default=None),
        },
        "diff": {"before": _shown(todo, lambda group, key, dummy: before.get(group, {}).get(key)), "after": _shown(todo, lambda *one: one[2])},
    }


def _shown(todo, value):
    return {group: {"%s-%d" % key: value(group, key, to) for key, to in sorted(places.items())} for group, places in sorted(todo.items())}


def _refusal(names, refused, result):
    groups = sorted({one["group"] for one in refused})
    reasons = ["%s: %s" % (one["group"], one["reason"]) for one in refused[:NAMED]]
    if len(refused) > NAMED:
        reasons.append("and %d more" % (len(refused) - NAMED))
    return RefusedError(
        "%d groups of mirror %s -> %s are refused, so nothing was committed" % (len(groups), names.source, names.target),
        expected="no members, positions at rest and an accepted confidence", found="; ".join(reasons),
        remedy="Stop these consumers and the mirror first; or set on_live_members: skip, or accept, knowing what it means",
        refused=refused, plan=result["plan"], groups=result["groups"], summary=result["summary"], committed=0,
    )


def _commit(target, todo, result):
    """Commit and read back; the number of groups committed."""
    failed = commit_positions(target, todo)
    now = group_positions(target, todo)
    wrong = []
    for group, places in sorted(todo.items()):
        differing = [key for key, offset in sorted(places.items()) if now.get(group, {}).get(key) != offset]
        if group in failed or differing:
            found = str(failed[group]) if group in failed else "%s-%d at %s, not at %d" % (
                *differing[0], now.get(group, {}).get(differing[0]), places[differing[0]])
            wrong.append({"group": group, "kind": "commit", "reason": found})
    if wrong:
        raise KafkaDrError(
            "%d of %d groups are not committed on %s" % (len(wrong), len(todo), target.name), expected="the planned positions to be read back",
            found="; ".join("%s: %s" % (one["group"], one["reason"]) for one in wrong[:NAMED]),
            remedy="See that the mirror is stopped and no consumer runs, then run this again: what is committed already stays as planned",
            refused=wrong, plan=result["plan"], committed=len(todo) - len(wrong),
        )
    for one in result["groups"]:
        if one["state"] == "planned":
            one["state"] = "committed"
    return len(todo)
