# SPDX-License-Identifier: GPL-3.0-or-later
"""Do consumers' positions arrive, and could they be used?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .._mm2.names import MirrorNames
from .._values.listing import named
from .finding import finding
from .observe import Observation


def syncs(seen: Observation, params: dict[str, Any]) -> Iterator[dict[str, str]]:
    if not seen.mirror:
        return
    if seen.syncs_at_source and not seen.syncs:
        yield finding(
            "offset-syncs-at-source",
            "error",
            f"mm2-offset-syncs on {seen.names.source}",
            "the mapping of offsets is kept at the source",
            "It dies with the region whose loss it is needed for",
            "offset-syncs.topic.location: target, on the source and the checkpoint connector",
        )
    elif seen.syncs is None:
        if not any(what == "offset syncs" for what, dummy in seen.problems):
            yield finding(
                "offset-syncs-missing",
                "error",
                seen.names.offset_syncs,
                f"no such topic on {seen.names.target}",
                "Nothing maps the source's offsets to the target's: no position can be translated",
                "Start the mirror with emit.offset-syncs.enabled and offset-syncs.topic.location: target",
            )
    if (
        seen.checkpoints is None
        and seen.syncs is not None
        and not any(what == "checkpoints" for what, dummy in seen.problems)
    ):
        yield finding(
            "checkpoints-missing",
            "error",
            seen.names.checkpoints,
            f"no such topic on {seen.names.target}",
            "The checkpoint connector is off or never worked: no position of a group arrives",
            "Switch emit.checkpoints.enabled on; look at its log",
        )


def history(seen: Observation, params: dict[str, Any]) -> Iterator[dict[str, str]]:
    policy = params.get("syncs_policy")
    if seen.syncs is not None and policy and "delete" not in policy:
        yield finding(
            "offset-syncs-compacted",
            "warning",
            seen.names.offset_syncs,
            f"cleanup.policy {policy}",
            "Only the newest pair of each partition is kept: positions further back are translated roughly, or not "
            "at all",
            "cleanup.policy=delete, and retention.ms of at least the data's",
        )


def blocked(seen: Observation, params: dict[str, Any]) -> Iterator[dict[str, str]]:
    """MirrorMaker 2 never alters a group with members; the broker would refuse it."""
    if not seen.source or not seen.target:
        return
    live = [
        group
        for group, membership in sorted(seen.target["members"].items())
        if membership["members"] and group in seen.source["positions"]
    ]
    if live:
        yield finding(
            "group-sync-blocked",
            "error" if seen.names.policy == "identity" else "warning",
            named(live),
            f"has members on {seen.names.target}",
            "Consumers run on the passive side: the positions of their group are no longer brought over",
            "Stop them, or leave the group out of the mirror",
        )


def positions(seen: Observation, params: dict[str, Any]) -> Iterator[dict[str, str]]:
    """A position that could be translated (a sync lies at or before it) and is not on the target."""
    if not seen.source or not seen.target or seen.syncs is None:
        return
    without = _groups_without_position(seen.names, seen.syncs, seen.source["positions"], seen.target["positions"])
    if without:
        yield finding(
            "no-position",
            "warning",
            named(sorted(without)),
            f"no position on {seen.names.target}",
            "Group sync is off, leaves the group out, or the group lay before the newest pair of offsets when the "
            "mirror was started, and "
            "MirrorMaker 2 translates nothing before that: after a switch it starts anew",
            "sync.group.offsets.enabled: true; compare groups and groups_exclude; give it two intervals",
        )
    beyond = set()
    for group, places in seen.target["positions"].items():
        for (topic, partition), offset in places.items():
            bounds = seen.target["offsets"][-1].get(topic, {}).get(str(partition))
            if bounds and offset > bounds["end"]:
                beyond.add(f"{group} on {topic}-{partition}")
    if beyond:
        yield finding(
            "position-beyond-end",
            "error",
            named(sorted(beyond)),
            "beyond the end of the log",
            "The copy was made again since, or the position came from another cluster: consumers would skip or "
            "start anew",
            "Stop the mirror, set the position from a translation, and look for a re-created topic",
        )


def _groups_without_position(
    names: MirrorNames, syncs: list[Any], source: dict[str, Any], target: dict[str, Any]
) -> set[str]:
    oldest: dict[Any, int] = {}
    for row in syncs:
        key = (row.value.topic, row.value.partition)
        oldest[key] = min(oldest.get(key, row.value.upstream), row.value.upstream)
    without = set()
    for group, places in source.items():
        positions = target.get(group, {})
        for (topic, partition), offset in places.items():
            translatable = (topic, partition) in oldest and oldest[(topic, partition)] <= offset
            if translatable and (names.copy_of(topic), partition) not in positions:
                without.add(group)
    return without


CHECKS = [syncs, history, blocked, positions]
