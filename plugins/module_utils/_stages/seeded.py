# SPDX-License-Identifier: GPL-3.0-or-later
"""What a mirror that was turned round cannot go on from, looked at before it is started. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .about import brought_back_entry
from .continued import moved
from .returned import holding


def seeded_with(ledger: Mapping[str, Any], region: str, active: str) -> dict[str, Any]:
    """What the mirror that a planned move from ``region`` to ``active``, or a failback since, turned round was seeded
    with.

    :param ledger: that of ``active``, as ``ledger_info`` returns it.
    :returns: ``proof``, whose source is ``region``; empty where the ledger has it no more; and ``partitions``, how many
        partitions were seeded.
    """
    done = ledger.get("done") or {}
    if _found(done, "failover", "turned", region):
        proof = _found(done, "failover", "proof", region)
        proof = proof if proof.get("source") == region else {}
        return {"proof": proof, "partitions": int(_found(done, "failover", "turned", region).get("partitions") or 0)}
    if brought_back_entry(ledger, region, active) is None:
        return {"proof": {}, "partitions": 0}
    return {
        "proof": _found(done, "failback", "compared", region).get("proof") or {},
        "partitions": int(_found(done, "failback", "seeded", region).get("partitions") or 0),
    }


def _found(done: Mapping[str, Any], stage: str, step: str, region: str) -> dict[str, Any]:
    """What a step has found, where it is about this region."""
    entry = (done.get(stage) or {}).get(step) or {}
    return dict(entry.get("found") or {}) if entry.get("about", region) == region else {}


def unseeded(
    noted: Mapping[str, Any],
    topics: Mapping[str, Mapping[str, Any]],
    active: Mapping[str, Mapping[str, Any]],
    seeds: Mapping[str, Any],
    mirror: Mapping[str, Any],
) -> list[str]:
    """Why a mirror cannot go on, in sentences. Of a topic that was deleted since it was seeded it would copy the rest
    alone; without its offsets, all once more.

    :param noted: ``{exists{source_offsets}, partitions[{topic, target_topic, partition, mirrored_through}]}``, its own
        offsets.
    :param topics: ``{name: {id, offsets{partition: {start, end}}}}`` of the region that it writes to.
    :param active: ``{name: {id}}`` of the region that it reads; what it leaves out by now is in neither.
    :param seeds: as of :func:`seeded_with`. :param mirror: ``{name, target}``.
    """
    proof = seeds["proof"] or {}
    known = [row for row in noted["partitions"] if row["mirrored_through"] is not None]
    reasons = moved(topics, proof, True, active, known)
    if not noted["exists"]["source_offsets"] or (seeds["partitions"] and not known):
        gone = f"the offsets of {mirror['name']} are gone from {mirror['target']}, so that it would copy everything there"
        return [*reasons, *([f"{gone} once more"] if holding(topics) else [])]
    if seeds["partitions"] and not proof:
        return [*reasons, f"the ledger does not say any more what {mirror['name']} was seeded with"]
    return reasons + _set_back(proof, active, known)


def _set_back(
    proof: Mapping[str, Any], active: Mapping[str, Mapping[str, Any]], known: Iterable[Mapping[str, Any]]
) -> list[str]:
    """Partitions that the mirror would copy again, in part or as a whole."""
    noted = {(row["topic"], str(row["partition"])): row["mirrored_through"] for row in known}
    return [
        f"the mirror's offset of {topic['target_topic']}-{number} is {noted.get(place, 'gone')}, and was {end} at least"
        for topic in proof.get("topics") or []
        if topic["target_topic"] in active
        for number, part in topic["partitions"].items()
        for place, end in [((topic["target_topic"], str(number)), part["target"][1])]
        if noted.get(place, 0) < end
    ]
