# SPDX-License-Identifier: GPL-3.0-or-later
"""Topics of a region that is back that a mirror continues, looked at again before it is seeded and after. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


def moved(
    topics: Mapping[str, Mapping[str, Any]],
    proof: Mapping[str, Any],
    seeded: bool = False,
    active: Mapping[str, Mapping[str, Any]] | None = None,
    copied: Iterable[Mapping[str, Any]] = (),
) -> list[str]:
    """Why topics cannot be continued, in sentences: each has to be the one that was proven, and to end where it did.

    :param topics: ``{name: {id, offsets{partition: {end}}}}`` of the region as they are now.
    :param proof: ``proof`` of :func:`.returned.plan`, with the region as its source.
    :param seeded: whether the mirror may have gone on since, which makes topics longer.
    :param active: ``{name: {id}}`` of the region that works, whose topics have to be the same ones too; None where
        nobody looked.
    :param copied: rows of the mirror's own offsets, ``[{target_topic, partition, mirrored_through}]``: where it has
        copied records, there are some.
    """
    reasons = []
    for proven in proof.get("topics") or []:
        name, now = proven["topic"], topics.get(proven["topic"])
        other = (active or {}).get(proven["target_topic"])
        if seeded and active is not None and other is None:
            # Its owner has deleted it since: a mirror that was seeded has nothing to copy.
            continue
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
        if active is not None and (other is None or other["id"] != proven["target_topic_id"]):
            reasons.append(f"{name} was deleted or made again in the region that works")
    continued = {proven["topic"] for proven in proof.get("topics") or []}
    return reasons + _emptied(topics, [row for row in copied if active is None or row["topic"] in active], continued)


def _emptied(
    topics: Mapping[str, Mapping[str, Any]], copied: Iterable[Mapping[str, Any]], continued: set[str]
) -> list[str]:
    """The same of topics that the mirror was not seeded with, by what it has noted itself."""
    reasons = []
    for row in copied:
        name, number = row["target_topic"], row["partition"]
        now = topics.get(name) or {"offsets": {}}
        end = (now["offsets"].get(str(number)) or {"end": 0})["end"]
        if row["mirrored_through"] is not None and name not in continued and not end:
            reasons.append(f"{name}-{number} holds nothing, and the mirror had copied records to it")
    return reasons


# What a proof counts of records that are not alike.
DIFFERENT = ("missing", "missing_head", "missing_tail", "foreign", "aborted", "altered", "reordered")


def behind(copied: Iterable[Mapping[str, Any]], proof: Mapping[str, Any]) -> list[str]:
    """Which partitions the mirror had not copied to the end that a proof compared.

    :param copied: rows of ``mirror_offsets_info``, with its source, from after the proof.
    :param proof: of the region that works (source) against the one that is back, as the role ``proof`` returns it.
    """
    known = {(row["topic"], str(row["partition"])): row for row in copied}
    late = []
    for topic in proof.get("topics") or []:
        for number, part in topic["partitions"].items():
            low, high = part["source"]
            row = known.get((topic["topic"], str(number))) or {"mirrored_through": None, "caught_up": False}
            # Markers of transactions are copied by nobody: the last offset may never come.
            if high > low and not row["caught_up"] and (row["mirrored_through"] or 0) < high:
                late.append(f"{topic['topic']}-{number} at {row['mirrored_through'] or 0} of {high}")
    return late


def compared(proof: Mapping[str, Any]) -> dict[str, dict[str, int]]:
    """Where the source ended that a proof compared, ``{topic: {partition: offset}}``."""
    return {
        topic["topic"]: {number: part["source"][1] for number, part in topic["partitions"].items()}
        for topic in proof.get("topics") or []
    }


def lasting(proof: Mapping[str, Any]) -> bool:
    """Whether a proof of what a mirror had copied before has found records that are not alike, which no mirror mends.

    :param proof: as the role ``proof`` returns it.
    """
    return any(
        part.get(kind)
        for topic in proof.get("topics") or []
        if topic["verdict"] in ("LOSS", "DIFFERENT")
        for part in topic["partitions"].values()
        for kind in DIFFERENT
    )


def standing(plan: Mapping[str, Any], topics: Iterable[str]) -> dict[str, Any]:
    """A plan that was decided, without the topics to continue that are not among these any more: they are copied.

    :param plan: of :func:`.returned.plan`. :param topics: those that the region has, or that the mirror continues.
    """
    gone = {*plan["kept"]} - {*topics}
    proven = [topic for topic in plan["proof"]["topics"] if topic["topic"] not in gone]
    return {
        **plan,
        "kept": sorted({*plan["kept"]} - gone),
        "again": sorted({*plan["again"]} | gone),
        "proof": {**plan["proof"], "topics": proven},
    }
