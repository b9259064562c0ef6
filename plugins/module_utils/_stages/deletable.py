# SPDX-License-Identifier: GPL-3.0-or-later
"""Why topics of a region that is back cannot be deleted yet. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .returned import held, holding


def unsaved(
    topics: Mapping[str, Mapping[str, Any]], again: list[str], salvaged: Mapping[str, Mapping[str, Any]]
) -> list[str]:
    """Why topics cannot be deleted yet, in sentences: each record that they hold now has to be one that a salvage read.

    :param topics: ``{name: {id, offsets{partition: {start, end}}}}`` as they are now. :param again: those to delete.
    :param salvaged: ``topics`` of the salvage that is in the ledger as complete.
    """
    reasons = []
    for name in sorted({*again} & {*holding(topics)}):
        saved = salvaged.get(name) or {}
        if saved.get("topic_id") != topics[name]["id"]:
            reasons.append(
                f"{name} was not looked at" if not saved else f"{name} is another topic than the one looked at"
            )
            continue
        for number, part in topics[name]["offsets"].items():
            through = ((saved["partitions"].get(str(number)) or {}).get("range") or [0, 0])[1]
            if held(part) and part["end"] != through:
                reasons.append(f"{name}-{number} ends at {part['end']}, and was looked at to {through}")
    return reasons


# What a proof counts that the copy holds and its source does not, or not so.
FOREIGN = ("foreign", "aborted", "altered", "duplicated", "reordered", "young_beyond")
WORDS = {
    **{kind: kind for kind in FOREIGN},
    "young_beyond": "from before the other one's log start, which are too young to have expired there",
}


def only_there(proof: Mapping[str, Any], topics: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Why topics are not copies of another region's, in sentences; none where each record that they hold is there too.

    :param proof: of the region that works (source) against the one that is back (target), as the role ``proof`` returns
        it. What the target lacks does not matter. :param topics: ``{name: {id, offsets{partition: {start, end}}}}`` of
        the target as they are now.
    """
    found = {topic["target_topic"]: topic for topic in proof.get("topics") or []}
    reasons = []
    for name in holding(topics):
        if name in found:
            reasons += _foreign(found[name], name, topics[name])
        else:
            reasons.append(f"{name} was not compared")
    return reasons


def _foreign(compared: Mapping[str, Any], name: str, now: Mapping[str, Any]) -> list[str]:
    """The same of one topic that was compared."""
    parts = compared["partitions"]
    counts = {kind: sum(int(part.get(kind) or 0) for part in parts.values()) for kind in FOREIGN}
    if compared["target_topic_id"] != now["id"]:
        return [f"{name} is another topic than the one that was compared"]
    if any(counts.values()):
        return [f"{name} has {', '.join(f'{count} {WORDS[kind]}' for kind, count in counts.items() if count)}"]
    if compared["verdict"] == "NOT_PROVABLE":
        return [f"{name} cannot be compared"]
    reasons = []
    for number, part in now["offsets"].items():
        known = parts.get(str(number)) or {"verdict": "NOT_PROVABLE"}
        if held(part) and known.get("verdict") == "NOT_PROVABLE":
            reasons.append(f"{name}-{number} cannot be compared")
        elif held(part) and part["end"] != known["target"][1]:
            reasons.append(f"{name}-{number} ends at {part['end']}, and was compared to {known['target'][1]}")
    return reasons
