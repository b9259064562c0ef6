# SPDX-License-Identifier: GPL-3.0-or-later
"""Topics of a region that is back that a mirror continues, looked at again before it is seeded and after. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def moved(
    topics: Mapping[str, Mapping[str, Any]],
    proof: Mapping[str, Any],
    seeded: bool = False,
    active: Mapping[str, Mapping[str, Any]] | None = None,
) -> list[str]:
    """Why topics cannot be continued, in sentences: each has to be the one that was proven, and to end where it did.

    :param topics: ``{name: {id, offsets{partition: {end}}}}`` of the region as they are now.
    :param proof: ``proof`` of :func:`.returned.plan`, with the region as its source.
    :param seeded: whether the mirror may have gone on since, which makes topics longer.
    :param active: ``{name: {id}}`` of the region that works, whose topics have to be the same ones too; None where
        nobody looked.
    """
    reasons = []
    for proven in proof.get("topics") or []:
        name, now = proven["topic"], topics.get(proven["topic"])
        if now is None:
            reasons.append(f"{name} is not there")
        elif now["id"] != proven["source_topic_id"]:
            reasons.append(f"{name} is another topic than the one that was compared")
        else:
            ends = {str(number): part["source"][1] for number, part in proven["partitions"].items()}
            for number, part in now["offsets"].items():
                proven_end = ends.get(str(number), 0)
                if part["end"] < proven_end or (part["end"] > proven_end and not seeded):
                    reasons.append(f"{name}-{number} ends at {part['end']}, and was proven to {proven_end}")
        if active is not None and (active.get(proven["target_topic"]) or {}).get("id") != proven["target_topic_id"]:
            reasons.append(f"{name} was deleted or made again in the region that works")
    return reasons


def standing(plan: Mapping[str, Any], topics: Mapping[str, Any]) -> dict[str, Any]:
    """A plan that was decided, without the topics to continue that the region does not have any more: they are copied.

    :param plan: of :func:`.returned.plan`. :param topics: by name, the topics of the region as they are now.
    """
    gone = {*plan["kept"]} - {*topics}
    proven = [topic for topic in plan["proof"]["topics"] if topic["topic"] not in gone]
    return {
        **plan,
        "kept": sorted({*plan["kept"]} - gone),
        "again": sorted({*plan["again"]} | gone),
        "proof": {**plan["proof"], "topics": proven},
    }
