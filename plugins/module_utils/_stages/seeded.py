# SPDX-License-Identifier: GPL-3.0-or-later
"""What a mirror that was turned round cannot go on from, looked at before it is started. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .about import brought_back_entry
from .continued import moved
from .returned import holding


def seeded_with(
    ledger: Mapping[str, Any], region: str, active: str, begun: Mapping[str, Any] | None = None, ended: int = -1
) -> dict[str, Any]:
    """What the mirror was seeded with that a planned move from ``region`` to ``active`` turned round, and that was not
    seen to run since: no other stage can tell whether it can go on. Later the doctor can.

    :param ledger: that of ``active``, as ``ledger_info`` returns it.
    :param begun: the entry with which a set-up of this mirror has begun last, with ``seeds`` among what it has found.
    :param ended: offset of the entry with which a set-up has ended last, in the ledger of ``begun``.
    :returns: ``proof``, whose source is ``region``, empty where the ledger has it no more; ``partitions``, how many
        partitions were seeded; ``move``, which move that was; and ``anew``, topics that a set-up has begun to copy
        since, which nobody has proven. Nothing where nobody has to look.
    """
    steps = (ledger.get("done") or {}).get("failover") or {}
    turned = steps.get("turned")
    back = brought_back_entry(ledger, region, active)
    if (
        turned is None
        or turned.get("about", region) != region
        or "protected" in steps
        or (back is not None and back["offset"] > turned["offset"])
    ):
        return {}
    move = f"{turned['run']} at {turned['offset']}"
    looked = ((begun or {}).get("found") or {}).get("seeds") or {}
    looked = looked if looked.get("move") == move else {}
    if begun and looked and (looked.get("ended") or ended > begun["offset"]):
        return {}
    proof = (steps.get("proof") or {}).get("found") or {}
    partitions = int((turned.get("found") or {}).get("partitions") or 0)
    proof = proof if proof.get("source") == region else {}
    # Without the proof, a look passes where nothing is left, or by an override: what is there since is of no seeds.
    partitions = partitions if proof or not looked.get("without_proof") else 0
    return {"proof": proof, "partitions": partitions, "move": move, "anew": looked.get("anew") or []}


def copied_anew(
    noted: Mapping[str, Any], topics: Mapping[str, Mapping[str, Any]], active: Mapping[str, Mapping[str, Any]]
) -> list[str]:
    """Topics of which neither records nor offsets are left, so that the mirror copies them from their beginning.

    :param noted, topics, active: as of :func:`unseeded`.
    """
    return sorted({*active} - _left(noted, topics, active))


def _left(
    noted: Mapping[str, Any], topics: Mapping[str, Mapping[str, Any]], active: Mapping[str, Mapping[str, Any]]
) -> set[str]:
    held = {name for name in holding(topics) if name in active}
    return held | {row["target_topic"] for row in noted["partitions"] if row["mirrored_through"] is not None}


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
    :param seeds: ``{proof, partitions}``, what it was seeded with, with ``anew`` where topics may be copied from their
        beginning. :param mirror: ``{name, target}``.
    """
    known = [row for row in noted["partitions"] if row["mirrored_through"] is not None]
    left, since = _left(noted, topics, active), {*(seeds.get("anew") or [])}
    seeded = [topic for topic in (seeds["proof"] or {}).get("topics") or [] if _has_seeds(topic)]
    proof = {"topics": [topic for topic in seeded if topic["topic"] not in since]}
    reasons = moved(topics, proof, True, active, known)
    if not noted["exists"]["source_offsets"] or (seeds["partitions"] and not known):
        gone = (
            f"the offsets of {mirror['name']} are gone from {mirror['target']}, so that it would copy everything there"
        )
        return [*reasons, *([f"{gone} once more"] if left else [])]
    if seeds["partitions"] and not seeds["proof"] and left - since:
        return [*reasons, f"the ledger does not say any more what {mirror['name']} was seeded with"]
    return reasons + _set_back(proof, active, known)


def _has_seeds(topic: Mapping[str, Any]) -> bool:
    return any(part["target"][1] > 0 for part in topic["partitions"].values())


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
