# SPDX-License-Identifier: GPL-3.0-or-later
"""Plan and commit translated positions; the work of ``offset_translate``.

The order is: read every position, read the evidence, translate, look for members and movement on the target, and only
if nothing at all is refused, commit and read back. So a failure before the commit has changed nothing, and one during
it can be repeated.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .._errors import KafkaDrError, RefusedError
from .._kafka.client import KafkaClient
from .._kafka.distinct import cluster_id, refuse_one_cluster
from .._kafka.groups import commit_positions, group_positions
from .._kafka.kinds import kinds_or_others
from .._kafka.mm2_topics import Row, read_checkpoints, read_witness
from .._mm2.names import MirrorNames, check_names
from .._positions.collector import EvidenceCollector
from .._positions.copies import source_topics, uncopied
from .._positions.groups import Positions, Predicate, group_filter, last_positions, living_positions, wanted_topic
from .._positions.offset_map import ProofMap
from .._positions.other_groups import Kinds, other_groups
from .._positions.plan import Committed, moved, moved_groups, plan, plan_result, refusals, to_commit
from .._positions.proof_map import read_proof
from .._values.listing import named
from .._watch.offset_maps import maps_or_reason

NAMED = 5
Partition = tuple[str, int]


def offset_translate(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """The result of ``offset_translate``; see the module's RETURN for the shape."""
    began = time.monotonic()
    mirror = _mirror(params, None if check_mode else params["leave_seconds"])
    groups = mirror.groups
    before = group_positions(mirror.target, moved(groups.positions))
    looked = time.monotonic()
    watch = params.get("watch") or "", params.get("watch_source") or ""
    maps, unwatched = maps_or_reason(mirror.target, mirror.source, groups.positions, *watch)
    collector = mirror.collector(params, maps)
    rows = plan(
        collector,
        groups.positions,
        before,
        mirror.contents and mirror.contents.scan,
        params["scan_limit"],
        "interpolated" in (params["accept"] or ()),
    )
    refused, left = refusals(params, mirror.target, rows, groups.positions, groups.members)
    if not check_mode and params["still_seconds"] and before:
        time.sleep(max(0.0, params["still_seconds"] - (time.monotonic() - looked)))
    # `assign` makes no member, but such a consumer's positions move.
    refused += moved_groups(before, group_positions(mirror.target, before), left)
    if params["on_live_members"] == "skip":
        refused = _skip_moving(refused, left)
    todo = to_commit(rows, left)
    result = plan_result(params, groups.positions, before, rows, refused, left, todo)
    _add_others(result, params, mirror)
    result["summary"].update(
        exactly_once_seen=collector.exactly_once,
        source="alive" if mirror.source is not None else "lost",
        watch={"partitions": len(maps), "reason": unwatched},
        planned_seconds=round(time.monotonic() - began, 3),
    )
    if refused and not check_mode:
        raise _refusal(mirror.names, refused, result)
    if not check_mode:
        result["committed"] = _commit(mirror.target, todo, result)
    result["summary"]["seconds"] = round(time.monotonic() - began, 3)
    return result


@dataclass(frozen=True)
class _Groups:
    """The source's consumer groups, as they are or as they were last seen.

    :ivar wanted: whether a group is to be translated, by its name.
    :ivar positions: of the groups that are to be translated.
    :ivar members: how many live members such a group has on the source, where it has any.
    :ivar excluded: groups with positions that are not to be translated.
    """

    wanted: Predicate
    positions: Positions
    members: dict[str, int]
    excluded: set[str]
    kinds: Kinds


@dataclass(frozen=True)
class _Mirror:
    """The clusters of one mirror, and what they know of its groups.

    :ivar source: None where it is lost; then ``contents`` is its manifest, where there is one.
    :ivar witness: what the position witness has seen.
    """

    names: MirrorNames
    source: KafkaClient | None
    target: KafkaClient
    contents: Any
    witness: dict[str, Any] | None
    checkpoints: list[Row] | None
    groups: _Groups

    def collector(self, params: dict[str, Any], maps: Mapping[Partition, ProofMap]) -> EvidenceCollector:
        return EvidenceCollector(
            self.names,
            self.source,
            self.target,
            params["offsets_topic"],
            params["connector"],
            self.witness,
            self.checkpoints or (),
            {**maps, **(read_proof(params["proof_report"]) if params["proof_report"] else {})},
            _ends(params["target_ends"]),
        )


def _mirror(params: dict[str, Any], leave_seconds: float | None) -> _Mirror:
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
    witness = read_witness(target, params["positions_topic"])
    if contents is not None:
        contents.known_ids = (witness or {}).get("topics") or {}
    checkpoints = read_checkpoints(target, names.checkpoints)
    if source is not None:
        groups = _living_groups(source, wanted, topic, witness, leave_seconds)
    else:
        groups = _last_seen_groups(
            last_positions(names, witness, checkpoints, lambda name: True, topic), wanted, witness
        )
    return _Mirror(names, source, target, contents, witness, checkpoints, groups)


def _living_groups(
    source: KafkaClient, wanted: Predicate, topic: Predicate, witness: Any, leave_seconds: float | None
) -> _Groups:
    """The source's groups once their consumers have left. With None as seconds, as they are: a check waits for nobody,
    and transactions may be open.
    """
    known = (witness or {"groups": {}})["groups"]
    end = time.monotonic() + (leave_seconds or 0)
    while True:
        late = time.monotonic() >= end
        try:
            positions, members, excluded = living_positions(source, wanted, topic, known, leave_seconds is not None)
        except RefusedError:
            if late:
                raise
        else:
            # Static members and applications of Kafka Streams do not leave when they stop; their sessions end later.
            if late or not members:
                return _Groups(wanted, positions, members, excluded, _kinds(source))
        time.sleep(1)


def _last_seen_groups(positions: Positions, wanted: Predicate, witness: dict[str, Any] | None) -> _Groups:
    return _Groups(
        wanted,
        {name: places for name, places in positions.items() if wanted(name)},
        {},
        {name for name, places in positions.items() if places and not wanted(name)},
        _witnessed_kinds(witness),
    )


def _skip_moving(refused: list[dict[str, Any]], left: dict[str, str]) -> list[dict[str, Any]]:
    """Leave groups alone whose positions may still move; the refusals of the others."""
    left.update({row["group"]: row["reason"] for row in refused if row["kind"] in ("members", "moving")})
    return [row for row in refused if row["group"] not in left]


def _add_others(result: dict[str, Any], params: dict[str, Any], mirror: _Mirror) -> None:
    """Name the groups that have no answer, or whose answer is not all that they need."""
    placed = {row["group"] for row in result["plan"] if row["to"] is not None}
    seen = mirror.groups.excluded | {name for name, places in mirror.groups.positions.items() if places}
    result["others"] = other_groups(
        mirror.groups.kinds,
        seen,
        placed,
        mirror.groups.wanted,
        params["named_groups"] or (),
        source_topics(mirror.names, mirror.source, mirror.target),
        uncopied(mirror.names, mirror.target, mirror.groups.positions),
    )
    result["summary"]["others"] = result["others"]


def _contents(params: dict[str, Any], source: KafkaClient | None, target: KafkaClient) -> Any:
    """The manifest that speaks for a lost source, opened before anything else is read; None where there is none. Both
    sides have to be two clusters.
    """
    target_id = cluster_id(target)
    if source is not None:
        refuse_one_cluster((source.name, cluster_id(source)), (target.name, target_id))
        return None
    if not params["manifest"]:
        return None
    # Its library takes a quarter of a second to load, which nobody else is to wait for.
    from .._manifest.scan import ManifestRecords

    records = ManifestRecords(params["manifest"], digest=params.get("manifest_digest") or "")
    refuse_one_cluster(("The manifest's region", records.side.cluster_id), (target.name, target_id))
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
    return {
        topic: {int(number): int(end) for number, end in partitions.items()}
        for topic, partitions in (ends or {}).items()
    }


def _refusal(names: MirrorNames, refused: list[dict[str, Any]], result: dict[str, Any]) -> RefusedError:
    groups = sorted({row["group"] for row in refused})
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


def _elsewhere(
    partition: tuple[str, int], now: Mapping[tuple[str, int], int], wanted: Mapping[tuple[str, int], int]
) -> str:
    return f"{partition[0]}-{partition[1]} at {now.get(partition)}, not at {wanted[partition]}"


def _commit(target: KafkaClient, todo: Committed, result: dict[str, Any]) -> int:
    """Commit and read back; the number of groups committed."""
    failed = commit_positions(target, todo)
    now = group_positions(target, todo)
    wrong = []
    for group, places in sorted(todo.items()):
        differing = [key for key, offset in sorted(places.items()) if now.get(group, {}).get(key) != offset]
        if group in failed or differing:
            wrong.append(
                {
                    "group": group,
                    "kind": "commit",
                    "reason": str(failed[group])
                    if group in failed
                    else _elsewhere(differing[0], now.get(group, {}), places),
                }
            )
    if wrong:
        raise KafkaDrError(
            f"{len(wrong)} of {len(todo)} groups are not committed on {target.name}",
            expected="the planned positions to be read back",
            found="; ".join(f"{row['group']}: {row['reason']}" for row in wrong[:NAMED]),
            remedy="See that the mirror is stopped and no consumer runs, then run this again: what is committed "
            "already stays as planned",
            refused=wrong,
            plan=result["plan"],
            committed=len(todo) - len(wrong),
        )
    for row in result["groups"]:
        if row["state"] == "planned":
            row["state"] = "committed"
    return len(todo)
