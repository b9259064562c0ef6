# SPDX-License-Identifier: GPL-3.0-or-later
"""Plan and commit translated positions; the work of ``offset_translate``.

The order is: read every position, read the evidence, translate, look for members and movement on the target, and only
if nothing at all is
refused, commit and read back. So a failure before the commit has changed nothing, and one during it can be repeated.
"""

from __future__ import annotations

import time
from typing import Any

from .._errors import KafkaDrError, RefusedError
from .._kafka.client import KafkaClient
from .._kafka.distinct import cluster_id, refuse_one_cluster
from .._kafka.groups import commit_positions, group_positions
from .._kafka.kinds import kinds_or_others
from .._kafka.mm2_topics import read_checkpoints, read_witness
from .._mm2.names import MirrorNames, check_names
from .._positions.collector import EvidenceCollector
from .._positions.groups import group_filter, last_positions, living_positions, wanted_topic
from .._positions.other_groups import Kinds, other_groups
from .._positions.plan import Committed, moved_groups, plan, plan_result, refusals, to_commit, uncopied
from .._positions.proof_map import read_proof
from .._values.listing import named

NAMED = 5


def offset_translate(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """The result of ``offset_translate``; see the module's RETURN for the shape."""
    began = time.monotonic()
    names = check_names(
        MirrorNames(params["source_alias"], params["target_alias"], params["policy"], params["separator"])
    )
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
        kinds = _kinds(source)
    else:
        everything = last_positions(names, known, checkpoints, lambda name: True, topic)
        positions, busy = {name: one for name, one in everything.items() if wanted(name)}, {}
        kinds = _witnessed_kinds(known)
        excluded = {name for name, one in everything.items() if one and not wanted(name)}
    before = group_positions(target, positions)
    looked = time.monotonic()
    mirror = EvidenceCollector(
        names,
        source,
        target,
        params["offsets_topic"],
        params["connector"],
        known,
        checkpoints or (),
        read_proof(params["proof_report"]) if params["proof_report"] else None,
        _ends(params["target_ends"]),
    )
    if contents is not None:
        contents.known_ids = (known or {}).get("topics") or {}
    rows = plan(
        mirror,
        positions,
        before,
        contents and contents.scan,
        params["scan_limit"],
        "interpolated" in (params["accept"] or ()),
    )
    refused, left = refusals(params, target, rows, positions, busy)
    if not check_mode and params["still_seconds"] and before:
        time.sleep(max(0.0, params["still_seconds"] - (time.monotonic() - looked)))
    # `assign` makes no member, but such a consumer's positions move.
    refused += moved_groups(before, group_positions(target, before), left)
    if params["on_live_members"] == "skip":
        left.update({one["group"]: one["reason"] for one in refused if one["kind"] in ("members", "moving")})
        refused = [one for one in refused if one["group"] not in left]
    todo = to_commit(rows, left)
    result = plan_result(params, positions, before, rows, refused, left, todo)
    placed = {row["group"] for row in rows if row["to"] is not None}
    seen = excluded | {name for name, one in positions.items() if one}
    result["others"] = other_groups(
        kinds,
        seen,
        placed,
        wanted,
        params["named_groups"] or (),
        (source or target).metadata().topics,
        uncopied(names, target, positions),
    )
    result["summary"]["others"] = result["others"]
    result["summary"].update(
        exactly_once_seen=mirror.exactly_once,
        source="alive" if source is not None else "lost",
        planned_seconds=round(time.monotonic() - began, 3),
    )
    if refused and not check_mode:
        raise _refusal(names, refused, result)
    if not check_mode:
        result["committed"] = _commit(target, todo, result)
    result["summary"]["seconds"] = round(time.monotonic() - began, 3)
    return result


def _contents(params: dict[str, Any], source: KafkaClient | None, target: KafkaClient) -> Any:
    """The manifest that speaks for a lost source, opened before anything else is read; None where there is none. Both
    sides have to be two clusters.
    """
    here = cluster_id(target)
    if source is not None:
        refuse_one_cluster((source.name, cluster_id(source)), (target.name, here))
        return None
    if not params["manifest"]:
        return None
    # Its library takes a quarter of a second to load, which nobody else is to wait for.
    from .._manifest.scan import ManifestRecords

    records = ManifestRecords(params["manifest"], digest=params.get("manifest_digest") or "")
    refuse_one_cluster(("The manifest's region", records.side.cluster_id), (target.name, here))
    return records


def _kinds(source: KafkaClient) -> Kinds:
    """The source's groups by kind. That they cannot be listed stops nothing; it is named instead."""
    try:
        return Kinds(kinds_or_others(source), True)
    except KafkaDrError as error:
        return Kinds({}, True, str(error))


def _witnessed_kinds(known: dict[str, Any] | None) -> Kinds:
    """What the witness listed beside consumer groups before the source was lost."""
    if known is None or known["others"] is None:
        return Kinds({}, False, "the source is lost, and no position witness has listed them before")
    return Kinds({name: {"type": "other", "protocol": ""} for name in known["others"]}, False)


def _ends(ends: dict[str, dict[str, int]] | None) -> dict[str, dict[int, int]]:
    return {topic: {int(number): int(end) for number, end in one.items()} for topic, one in (ends or {}).items()}


def _refusal(names: MirrorNames, refused: list[dict[str, Any]], result: dict[str, Any]) -> RefusedError:
    groups = sorted({one["group"] for one in refused})
    return RefusedError(
        f"{len(groups)} groups of mirror {names.source} -> {names.target} are refused, so nothing was committed",
        expected="no members, positions at rest and an accepted confidence",
        found=named((f"{row['group']}: {row['reason']}" for row in refused), NAMED, "; ", "; and "),
        remedy="Stop these consumers and the mirror first; or set on_live_members: skip, or accept, knowing what it "
        "means",
        refused=refused,
        plan=result["plan"],
        groups=result["groups"],
        summary=result["summary"],
        committed=0,
    )


def _commit(target: KafkaClient, todo: Committed, result: dict[str, Any]) -> int:
    """Commit and read back; the number of groups committed."""
    failed = commit_positions(target, todo)
    now = group_positions(target, todo)
    wrong = []
    for group, places in sorted(todo.items()):
        differing = [key for key, offset in sorted(places.items()) if now.get(group, {}).get(key) != offset]
        if group in failed or differing:
            found = (
                str(failed[group])
                if group in failed
                else "{}-{} at {}, not at {}".format(
                    *differing[0], now.get(group, {}).get(differing[0]), places[differing[0]]
                )
            )
            wrong.append({"group": group, "kind": "commit", "reason": found})
    if wrong:
        raise KafkaDrError(
            f"{len(wrong)} of {len(todo)} groups are not committed on {target.name}",
            expected="the planned positions to be read back",
            found="; ".join(f"{one['group']}: {one['reason']}" for one in wrong[:NAMED]),
            remedy="See that the mirror is stopped and no consumer runs, then run this again: what is committed "
            "already stays as planned",
            refused=wrong,
            plan=result["plan"],
            committed=len(todo) - len(wrong),
        )
    for one in result["groups"]:
        if one["state"] == "planned":
            one["state"] = "committed"
    return len(todo)
