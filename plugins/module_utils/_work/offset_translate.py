# SPDX-License-Identifier: GPL-3.0-or-later
"""Plan and commit translated positions; the work of ``offset_translate``.

The order is: read every position, read the evidence, translate, look for members and movement on the target, and only
if nothing at all is refused, commit and read back. So a failure before the commit has changed nothing, and one during
it can be repeated.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from .._kafka.client import KafkaClient
from .._kafka.groups import OTHERS, describe_groups, group_places, group_positions, list_groups, offsets_of
from .._kafka.mm2_topics import Row, Unread, read_checkpoints, read_witness
from .._mm2.names import MirrorNames, check_names
from .._positions.collector import EvidenceCollector
from .._positions.copies import partitions_of, source_topics, uncopied
from .._positions.groups import group_filter, last_positions, living_positions, own_groups, taken_back, wanted_topic
from .._positions.left_over import (
    ALONE,
    KEPT,
    WORKS,
    Source,
    doubts,
    keep,
    lacks_as_seen,
    left_over,
    synced,
    to_remove,
    with_left_over,
)
from .._positions.motion import SOURCE, moved_groups
from .._positions.offset_map import ProofMap
from .._positions.other_groups import other_groups
from .._positions.plan import Committed, metadata_of, moved, plan, plan_result, refusals, texts_left_out, to_commit
from .._positions.proof_map import read_proof
from .._positions.seen_groups import SeenGroups, last_seen_groups, living_groups
from .._positions.unreadable import counted, unreadable_as_others
from .._positions.witnessed import own_witness
from .._values.askable import is_askable
from .._watch.offset_maps import maps_or_reason
from .translated_commit import commit, refusal, without_texts
from .translation_inputs import ends_by_partition, opened_contents

Partition = tuple[str, int]
JOINED = "members have come to the source while its position was translated"


def offset_translate(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """The result of ``offset_translate``; see the module's RETURN for the shape."""
    began = time.monotonic()
    mirror = _mirror(params, None if check_mode else params["leave_seconds"])
    groups = mirror.groups
    held = group_places(mirror.target, {*mirror.known_groups, *moved(groups.positions)})
    before = offsets_of(held)
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
    refused, left, beside = _refused(params, mirror, rows, before, looked, check_mode)
    texts = metadata_of(rows, groups.positions)
    todo, away = to_commit(rows, left, texts, held), to_remove(beside)
    result = plan_result(params, groups.positions, before, rows, refused, left, todo, beside)
    result["summary"]["unreadable"] = counted([*mirror.unread, *collector.unread])
    _add_others(result, params, mirror)
    result["summary"].update(
        exactly_once_seen=collector.exactly_once,
        source="alive" if mirror.source is not None else "lost",
        watch={"partitions": len(maps), "reason": unwatched},
        planned_seconds=round(time.monotonic() - began, 3),
    )
    if refused and not check_mode:
        raise refusal(mirror.names, refused, result)
    if not check_mode:
        commit(mirror.target, todo, away, texts, result)
    result["summary"]["seconds"] = round(time.monotonic() - began, 3)
    return result


@dataclass(frozen=True)
class _Mirror:
    """The clusters of one mirror, and what they know of its groups.

    :ivar source: None where it is lost; then ``contents`` is its manifest, where there is one.
    :ivar witness: what the position witness has seen.
    :ivar known_groups: names that either side or its records know, of groups that are to be translated or named. Both
        sides are asked about them: a broker whose coordinator moves lists its groups as none.
    :ivar unread: records among the checkpoints that are none.
    :ivar unasked: names that its records know, and that nobody can ask about.
    """

    names: MirrorNames
    source: KafkaClient | None
    target: KafkaClient
    contents: Any
    witness: dict[str, Any] | None
    checkpoints: list[Row] | None
    groups: SeenGroups
    known_groups: set[str]
    unread: list[Unread]
    unasked: set[str]

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
            ends_by_partition(params["target_ends"]),
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
    contents = opened_contents(params, source, target)
    wanted, topic = group_filter(params), wanted_topic(params, names)
    known = read_witness(target, params["positions_topic"])
    witness = own_witness(known, names, params["positions_topic"], source is None)
    if contents is not None:
        contents.known_ids = (witness or {}).get("topics") or {}
    unread: list[Unread] = []
    checkpoints = read_checkpoints(target, names.checkpoints, unread)
    seen_before = (witness or {"groups": {}})["groups"]
    everybody = {*list_groups(target), *seen_before, *(row.value.group for row in checkpoints or ())}
    unasked = {name for name in everybody if not is_askable(name)}
    asked = {name for name in everybody - unasked if wanted(name)} | set(params["named_groups"] or ())
    if source is not None:
        groups = living_groups(source, wanted, topic, {*seen_before, *asked}, leave_seconds)
    else:
        seen = names, witness, checkpoints, lambda name: True, topic
        groups = last_seen_groups(last_positions(*seen), wanted, topic, witness, taken_back(*seen))
    return _Mirror(names, source, target, contents, witness, checkpoints, groups, asked, unread, unasked)


def _left_over(
    params: dict[str, Any], mirror: _Mirror, before: Committed, left: dict[str, str]
) -> list[dict[str, Any]]:
    """What the target has and the source has not; see :func:`left_over`."""
    if mirror.source is not None:
        source = Source(partitions_of(mirror.source), lambda *dummy: True)
    else:
        ends = (mirror.witness or {}).get("ends") or {}
        seen = {(topic, int(number)) for topic, numbers in ends.items() for number in numbers}
        source = Source(seen, lacks_as_seen(mirror.witness))
    groups = mirror.groups
    rows = left_over(
        mirror.names, before, groups.positions, synced(mirror.checkpoints), source, groups.topic, groups.wanted
    )
    # Whether an excluded group has a position on the source is not looked at; a group that is left alone keeps its own.
    rows = [row for row in rows if row["group"] not in groups.excluded and row["group"] not in left]
    described = describe_groups(mirror.target, {row["group"] for row in rows}, others=True)
    keep(rows, {name for name, group in described.items() if group["members"] or group["state"] == OTHERS}, WORKS)
    # What a group without a part in this does on the target is its own affair.
    concerned = {*moved(groups.positions), *(params["named_groups"] or ())}
    return [row for row in rows if row["group"] in concerned or row["state"] != KEPT]


def _moving(
    mirror: _Mirror, before: Committed, groups: Collection[str], left: dict[str, str], wait: float, check_mode: bool
) -> list[dict[str, Any]]:
    """Refusals of groups whose positions move, on either side, while they are looked at for ``wait`` seconds.
    `assign` makes no member, but such a consumer commits.
    """
    if groups:
        time.sleep(max(0.0, wait))
    earlier = {group: places for group, places in before.items() if group in groups}
    refused = list(moved_groups(earlier, group_positions(mirror.target, groups), left))
    if mirror.source is None or check_mode:
        return refused
    of_source, asked = mirror.groups, {*mirror.known_groups, *mirror.groups.positions}
    now, members, dummy = living_positions(mirror.source, of_source.wanted, of_source.topic, asked)
    joined = {name: count for name, count in members.items() if name not in of_source.members and name not in left}
    refused += [{"group": name, "kind": "members", "reason": JOINED} for name in sorted(joined)]
    return refused + list(moved_groups(of_source.positions, now, {*left, *joined}, SOURCE))


def _refused(
    params: dict[str, Any],
    mirror: _Mirror,
    rows: list[dict[str, Any]],
    before: Committed,
    looked: float,
    check_mode: bool,
) -> tuple[list[dict[str, Any]], dict[str, str], list[dict[str, Any]]]:
    """``(refusals, {group: why it is left alone}, what only the target has)``. ``looked``: when the target was read."""
    groups = mirror.groups
    refused, left = refusals(params, mirror.target, rows, groups.positions, groups.members)
    beside = _left_over(params, mirror, before, left)
    refused += doubts(beside, {*moved(groups.positions), *(params["named_groups"] or ())}, params["accept"] or ())
    wait = 0 if check_mode else params["still_seconds"] - (time.monotonic() - looked)
    refused += _moving(mirror, before, {*moved(groups.positions), *to_remove(beside)}, left, wait, check_mode)
    if params["on_live_members"] == "skip":
        refused = _skip_moving(refused, left)
        keep((row for row in beside if row["state"] != KEPT), left, ALONE)
    return refused, left, beside


def _skip_moving(refused: list[dict[str, Any]], left: dict[str, str]) -> list[dict[str, Any]]:
    """Leave groups alone whose positions may still move; the refusals of the others."""
    left.update({row["group"]: row["reason"] for row in refused if row["kind"] in ("members", "moving")})
    return [row for row in refused if row["group"] not in left]


def _add_others(result: dict[str, Any], params: dict[str, Any], mirror: _Mirror) -> None:
    """Name the groups that have no answer, or whose answer is not all that they need."""
    placed = {row["group"] for row in result["plan"] if row["to"] is not None}
    seen = mirror.groups.excluded | {name for name, places in mirror.groups.positions.items() if places}
    kinds = mirror.groups.kinds
    result["others"] = other_groups(
        kinds._replace(groups={**{name: {} for name in mirror.unasked}, **kinds.groups}),
        seen,
        placed,
        mirror.groups.wanted,
        params["named_groups"] or (),
        source_topics(mirror.names, mirror.source, mirror.target),
        uncopied(mirror.names, mirror.target, mirror.groups.positions),
        mirror.groups.withdrawn,
        own_groups(params),
    )
    unreadable = unreadable_as_others(result["summary"]["unreadable"])
    result["others"] = with_left_over(result["others"], result["left_over"], params["named_groups"] or ()) + unreadable
    result["others"] += without_texts(texts_left_out(result["plan"], mirror.groups.positions))
    result["summary"]["others"] = result["others"]
