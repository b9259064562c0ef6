# SPDX-License-Identifier: GPL-3.0-or-later
"""The end of ``offset_translate``: refuse, or take away and commit, and read back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._errors import KafkaDrError, RefusedError
from .._kafka.client import KafkaClient
from .._kafka.commits import TOO_LONG, commit_positions
from .._kafka.groups import Place, group_places
from .._kafka.offset_removal import remove_positions
from .._mm2.names import MirrorNames
from .._positions.left_over import PLANNED, REMOVED
from .._positions.plan import Committed, Texts
from .._values.listing import named

NAMED = 5
SHORTENED = (
    "its position is brought over without the metadata on {}, which is longer than the target takes",
    "Raise offset.metadata.max.bytes of the target's brokers and run the translation again, or see whether its "
    "application goes on without; Kafka Streams keeps its partition time there",
)
UNSENDABLE = (
    "its position is brought over without the metadata on {}, which holds NUL or half a character and cannot be sent",
    "See whether its application goes on without, or commit it on the target with Kafka's own client",
)
Partition = tuple[str, int]


def refusal(names: MirrorNames, refused: list[dict[str, Any]], result: dict[str, Any]) -> RefusedError:
    """The error that says which groups are refused, with the whole plan beside it."""
    groups = sorted({row["group"] for row in refused})
    return RefusedError(
        f"{len(groups)} groups of mirror {names.source} -> {names.target} are refused, so nothing was committed",
        expected="no members, positions at rest and an accepted confidence",
        found=named((f"{row['group']}: {row['reason']}" for row in refused), NAMED, "; ", "; and "),
        remedy="Stop these consumers and the mirror first; or set on_live_members: skip, or accept, knowing what it "
        "means",
        refused=refused,
        plan=result["plan"],
        left_over=result["left_over"],
        groups=result["groups"],
        summary=result["summary"],
        committed=0,
    )


def commit(target: KafkaClient, todo: Committed, away: Committed, texts: Texts, result: dict[str, Any]) -> None:
    """Take away, commit and read back; the result then says so.

    :param todo: what is to be committed. :param away: the positions that are to be taken away.
    :param texts: metadata to be committed with them.
    :raises KafkaDrError: a group has not what it was to have.
    """
    # First, so that a group without its library stops the rest too.
    remove_positions(target, away)
    for row in result["left_over"]:
        if row["state"] == PLANNED:
            row["state"] = REMOVED
    wrong = _commit(target, todo, texts, result)
    if wrong:
        raise KafkaDrError(
            f"{len(wrong)} of {len(todo)} groups are not committed on {target.name}",
            expected="the planned positions to be read back",
            found="; ".join(f"{row['group']}: {row['reason']}" for row in wrong[:NAMED]),
            remedy="See that the mirror is stopped and no consumer runs, then run this again: what is committed "
            "already stays as planned",
            refused=wrong,
            plan=result["plan"],
            left_over=result["left_over"],
            committed=len(todo) - len(wrong),
        )
    for row in result["groups"]:
        if row["state"] == "planned":
            row["state"] = "committed"
    result["committed"] = len(todo)


def _commit(target: KafkaClient, todo: Committed, texts: Texts, result: dict[str, Any]) -> list[dict[str, Any]]:
    """What went wrong, as refusals."""
    failed = commit_positions(target, todo, texts)
    too_long = {group: error for group, error in failed.items() if error.facts.get("code") == TOO_LONG}
    if too_long:
        texts = {group: dict(mine) for group, mine in texts.items()}
        for group, error in too_long.items():
            left_out = [key for key in error.facts["places"] if texts.get(group, {}).pop(key, None)]
            _name_shortened(result, group, left_out)
        again = commit_positions(target, {group: todo[group] for group in too_long}, texts)
        failed = {**{group: error for group, error in failed.items() if group not in too_long}, **again}
    now = group_places(target, todo)
    wrong = []
    for group, places in sorted(todo.items()):
        mine = texts.get(group, {})
        reason = str(failed[group]) if group in failed else _elsewhere(now.get(group, {}), places, mine)
        if reason:
            wrong.append({"group": group, "kind": "commit", "reason": reason})
    return wrong


def _name_shortened(result: dict[str, Any], group: str, places: list[Partition]) -> None:
    """Say of whom metadata was left out, in the plan and among ``others``."""
    for row in result["plan"]:
        if row["group"] == group and (row["target_topic"], row["partition"]) in places:
            row["metadata"] = False
    result["others"].append(_without_text(group, places, SHORTENED))


def without_texts(left_out: Mapping[str, list[Partition]]) -> list[dict[str, Any]]:
    """What is said of groups whose metadata cannot be sent."""
    return [_without_text(group, places, UNSENDABLE) for group, places in left_out.items()]


def _without_text(group: str, places: list[Partition], words: tuple[str, str]) -> dict[str, Any]:
    why = words[0].format(named("{}-{}".format(*key) for key in places))
    return {"group": group, "kind": "consumer", "named": False, "why": why, "remedy": words[1]}


def _elsewhere(now: Mapping[Partition, Place], wanted: Mapping[Partition, int], texts: Mapping[Partition, str]) -> str:
    """The first position that is not read back as it was committed; empty where all are. Never its metadata."""
    for key, offset in sorted(wanted.items()):
        place, where = now.get(key), f"{key[0]}-{key[1]}"
        if place is None or place.offset != offset:
            return f"{where} at {place.offset if place else None}, not at {offset}"
        if place.metadata != texts.get(key, ""):
            return f"{where} with other metadata than was committed"
    return ""
