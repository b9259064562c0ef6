# SPDX-License-Identifier: GPL-3.0-or-later
"""What a region still is that comes back after a failover, and what of it can be reused. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._mm2.never_synced import NEVER_SYNCED
from .._salvage.actions import WRITING, action_for, destination, parse
from .._values.listing import named
from .._values.moment import seconds_of

# By topic and partition, the number as text, an offset.
Ends = Mapping[str, Mapping[str, int]]
WITH_DATA, EMPTY, OTHER = "with_data", "empty", "other"
# What has become of a topic: all that was copied from it is there; another topic has its name; it ends before what was
# copied from it; it is not there.
HOLDS, MADE_AGAIN, SHORTER, GONE = "holds", "made_again", "shorter", "gone"


def returned(
    cluster_id: str, known_id: str, topics: Mapping[str, Mapping[str, Any]], known_topics: Mapping[str, str], ends: Ends
) -> dict[str, Any]:
    """How a region is back.

    :param cluster_id: of the cluster that answers. :param known_id: of the one that was left; empty where nobody knows.
    :param topics: ``{name: {id, offsets{partition: {start, end}}}}`` as they are now.
    :param known_topics: ids of the topics that were left, as far as they are known.
    :param ends: up to which offset of each partition records had been copied when the region was left.
    :returns: ``state`` (:data:`WITH_DATA`, :data:`EMPTY` or :data:`OTHER`), ``topics{name: what became of it}``,
        ``holding[]`` (topics with records), and ``told[]`` (the same in sentences).
    """
    with_records = holding(topics)
    if not any(part["end"] for topic in topics.values() for part in topic["offsets"].values()):
        state = EMPTY
    else:
        state = WITH_DATA if known_id and cluster_id == known_id else OTHER
    found = {
        name: _became(topics.get(name), known_topics.get(name, ""), ends.get(name) or {})
        for name in sorted({*topics, *ends})
    }
    if state == WITH_DATA and _left_behind(found, known_topics):
        state = EMPTY
    if state != WITH_DATA:
        found = {name: MADE_AGAIN if name in topics else GONE for name in found}
    return {
        "state": state,
        "topics": found,
        "holding": with_records,
        "told": _sentences(state, cluster_id, known_id, found, with_records),
    }


def further_copy(
    witnessed: str, known_id: str, topics: Mapping[str, Mapping[str, Any]], ends: Mapping[str, Any]
) -> dict[str, Any]:
    """How a region stands that is a further copy of the one that was left. What of it the active one has, a proof says.

    :param witnessed: id of the cluster that the region was copied from, as its own position witness saw it; empty where
        there is none. :param known_id: the same of the region that works.
    :param topics: as for :func:`returned`. :param ends: by topic, what had been copied to the region that works.
    :returns: as :func:`returned`. Ids and offsets of the region's topics are its own, so a topic that is there holds
        what it holds.
    """
    with_records = holding(topics)
    same = bool(known_id) and witnessed == known_id
    state = WITH_DATA if same else OTHER if with_records else EMPTY
    found = {
        name: GONE if name not in topics else HOLDS if state == WITH_DATA else MADE_AGAIN
        for name in sorted({*topics, *ends})
    }
    if state == WITH_DATA:
        sentences = ["It is a further copy of the region that was left."]
        gone = [name for name, topic_state in found.items() if topic_state == GONE]
        sentences += [f"{named(gone)} is not there: it is copied."] if gone else []
    elif state == EMPTY:
        sentences = ["It is empty: everything is copied to it."]
    else:
        sentences = [
            f"It was copied from another cluster ({witnessed or 'nobody knows which'}; expected "
            f"{known_id or 'one that the position witness of the active region saw'}): everything is made again."
        ]
    return {"state": state, "topics": found, "holding": with_records, "told": sentences}


def holding(topics: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Topics with records.

    :param topics: ``{name: {offsets{partition: {start, end}}}}``.
    """
    return sorted(name for name, topic in topics.items() if any(held(part) for part in topic["offsets"].values()))


def held(part: Mapping[str, int]) -> bool:
    """Whether a partition holds records. :param part: ``{start, end}``."""
    return part["end"] > part["start"]


def bounds(
    ends: Mapping[str, Any],
    found: Mapping[str, str],
    limits: Mapping[str, Mapping[str, int]] | None = None,
    ended_at: str = "",
) -> dict[str, Any]:
    """What bounds a comparison of the region that is back with what had been copied from it.

    How far a mirror had come in a topic says nothing of another topic of its name: records of that one would be taken
    for copied ones that have expired.

    :param ends: what the failover wrote to the ledger: ``target``, ``source`` and ``certain``, if it knew that.
    :param found: ``topics`` of :func:`returned`.
    :param limits: what limited retention in the region's topics before the stage held deletion off: what had expired
        in the copy by then is no loss.
    :param ended_at: when the copy ended, as the ledger has it; empty where it does not.
    """
    through = ends.get("certain", ends.get("source")) or {}
    return {
        "target": ends.get("target") or {},
        # The failover looked at every topic of the mirror.
        "complete": bool(ends.get("target")),
        "mirrored_through": {name: partitions for name, partitions in through.items() if found.get(name) != MADE_AGAIN},
        "limits": {name: dict(topic) for name, topic in (limits or {}).items()},
        **({"ended_at": seconds_of(ended_at) * 1000} if ended_at else {}),
    }


def _left_behind(found: Mapping[str, str], known_topics: Mapping[str, str]) -> bool:
    """Whether no topic is there that was left: the disks were lost, and the cluster id was given again."""
    known = [topic_state for name, topic_state in found.items() if known_topics.get(name)]
    return bool(known) and all(topic_state in (MADE_AGAIN, GONE) for topic_state in known)


def _became(now: Mapping[str, Any] | None, known_id: str, ends: Mapping[str, int]) -> str:
    if now is None:
        return GONE
    if known_id and now["id"] != known_id:
        return MADE_AGAIN
    short = any(int(end) > (now["offsets"].get(str(number)) or {"end": 0})["end"] for number, end in ends.items())
    return SHORTER if short else HOLDS


def _sentences(state: str, cluster_id: str, known_id: str, found: Mapping[str, str], holding: list[str]) -> list[str]:
    if state == EMPTY and not holding:
        return ["It is back empty: everything is copied to it."]
    if state == EMPTY:
        return [
            "It is back without what it held, since no topic that was left is there: everything is copied to it. "
            f"{named(holding)} got records meanwhile, which are saved first."
        ]
    if state == OTHER:
        known = f"expected {known_id}" if known_id else "nobody knows the id of the one that was left"
        return [f"It is another cluster ({cluster_id}; {known}), whose topics hold records: everything is made again."]
    sentences = ["It is back with its data."]
    words = {
        MADE_AGAIN: "was made again there since it was left: it is made again",
        SHORTER: "ends before what was copied from it, so the region lost records itself: it is made again",
        GONE: "is not there any more: it is copied",
    }
    for kind, text in words.items():
        names = [name for name, topic_state in found.items() if topic_state == kind]
        if names:
            sentences.append(f"{named(names)} {text}.")
    return sentences


def plan(
    proof: Mapping[str, Any],
    found: Mapping[str, str],
    before: Mapping[str, Any] | None = None,
    limits: Mapping[str, Mapping[str, Any]] | None = None,
) -> dict[str, Any]:
    """Which topics a mirror continues, and which are made again.

    :param proof: the proof of the region that is back (source) against the one that works (target), as the role
        ``proof`` returns it; bounded at what the target held when the region was left.
    :param found: ``topics`` of :func:`returned`.
    :param before: the same of a run that was cut off; what it makes again is made again.
    :param limits: as for :func:`bounds`.
    :returns: ``kept[]``, ``again[]``, ``tail{topic: records that only the region has}`` and ``proof``, that of the
        topics that are kept.
    """
    again_before = set((before or {}).get("again") or ())
    kept = [
        topic
        for topic in proof.get("topics") or []
        if found.get(topic["topic"]) == HOLDS
        and topic["topic"] not in again_before
        and _prefix(topic, (limits or {}).get(topic["topic"]) or {})
    ]
    names = {topic["topic"] for topic in kept}
    compared = {topic["topic"] for topic in proof.get("topics") or []}
    present = {name for name, topic_state in found.items() if topic_state != GONE} | compared
    # DUPLICATES are complete, but what one side has twice the mirror would not find again.
    standing = {"verdict": "PROVEN", "complete": True, "totals": {}, "topics": kept, "report": proof.get("report", "")}
    return {
        "kept": sorted(names),
        "again": sorted((present | again_before) - names),
        "tail": {
            topic["topic"]: count
            for topic in proof.get("topics") or []
            for count in [sum(_tail(part) for part in topic["partitions"].values())]
            if count
        },
        "proof": standing,
    }


def _tail(part: Mapping[str, Any]) -> int:
    """Records at a partition's end that one side alone has; of a further copy nobody knows how far it was copied."""
    return int(part.get("lost") or 0) + int(part.get("missing_tail") or 0)


def _prefix(topic: Mapping[str, Any], limits: Mapping[str, Any]) -> bool:
    """Whether all that one side holds of a topic, and nothing else, is what the other one held. Where it lacks a head
    of it that no retention explains, neither by time nor by size, the copy the other way would never be whole.
    """
    parts = topic["partitions"].values()
    sized = int(limits.get("retention.bytes") or -1) >= 0
    if topic.get("verdict") != "PROVEN" or any(part.get("lost") for part in parts):
        return False
    return sized or not any(part.get("young_beyond") for part in parts)


def alike(
    region_topics: Mapping[str, Mapping[str, Any]], other_topics: Mapping[str, Mapping[str, Any]], names: list[str]
) -> list[dict[str, Any]]:
    """Topics with the configs that they have in another region: ``[{name, configs}]``, None for one that is not set.

    :param region_topics, other_topics: ``{name: {configs}}`` of the two regions.
    :param names: the topics that are meant.
    """
    topics = []
    for name in sorted({*names} & {*region_topics} & {*other_topics}):
        mine, theirs = region_topics[name].get("configs") or {}, other_topics[name].get("configs") or {}
        keys = sorted({*mine, *theirs} - {*NEVER_SYNCED})
        topics.append({"name": name, "configs": {key: theirs.get(key) for key in keys}})
    return topics


def rights(topics: list[str], principals: list[str], salvage: list[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """ACLs that a salvage needs for its time: to write to topics, or to those beside them for what is salvaged.

    :param principals: names of the stages' users. :param salvage: the actions, as a salvage takes them.
    """
    rules = parse(salvage)
    actions = {topic: action_for(rules, topic) for topic in topics}
    names = [destination(action, topic) for topic, action in actions.items() if action in WRITING]
    return [
        {"principal": who, "resource": "topic", "name": name, "pattern": "literal", "operations": ["WRITE"]}
        for who in principals
        for name in names
    ]
