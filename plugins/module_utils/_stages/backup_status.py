# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether a backup would serve: mirror, ledger and kept definition as they were read, judged against limits."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from .._proof.verdict import complete
from .._values.listing import named
from .._values.moment import AHEAD_SECONDS, seconds_of
from .._watch.health import troubles

NAMED = 3
# Limits of a watch where none are given, in seconds.
WATCH_SECONDS, UNPROVEN_SECONDS = 60, 300
# What is wrong, and a sentence about it.
Finding = tuple[str, str]


def backup_status(
    mirror: dict[str, Any],
    ledger: dict[str, Any],
    drift: list[str],
    limits: dict[str, int],
    region: str,
    backup: str,
    now: float | None = None,
    running: bool = False,
    watched: bool = False,
) -> dict[str, Any]:
    """Judge a backup.

    MirrorMaker 2 emits its heartbeats on the target side, where they stay fresh while the source is dead; so the source
    is seen by the position witness, which ends no round without it, and the mirror by the heartbeat and by what it has
    left to copy.

    :param mirror: result of ``mirror_offsets_info`` with ``source_client`` where the source answers, without where it
        does not.
    :param ledger: result of ``ledger_info``.
    :param drift: sentences of what changed since the definition was kept; None where the source could not be asked.
    :param limits: ``heartbeat``, ``witness``, ``proof``, ``watch``, ``unproven`` (seconds), ``lag`` (records).
    :param running: whether an operator says that every connector runs, since a mirror there may have no heartbeats.
    :param watched: whether the inventory describes a watch.
    :returns: ``healthy``, ``findings[{what, message}]``, ``active_region``, ``epoch``, ``source_seen_seconds``,
        ``heartbeat_seconds``, ``lag``, ``topics``, ``groups``, ``proof{verdict, at, seconds}``, ``drift[]``, ``watch``.
    """
    now = time.time() if now is None else now
    status = _measured(mirror, ledger, drift, region, backup, now)
    findings = [
        *_mirror_findings(mirror, status, limits, running),
        *_unseen(mirror, status),
        *_proof_findings(mirror, ledger, status, limits["proof"], now),
        *(_watch_findings(mirror, limits) if watched else ()),
        *(("definition", sentence) for sentence in drift or []),
        *_ledger_findings(ledger, region, backup),
    ]
    status["findings"] = [{"what": what, "message": message} for what, message in findings]
    status["healthy"] = not findings
    return status


def _watch_findings(mirror: dict[str, Any], limits: dict[str, int]) -> Iterator[Finding]:
    for trouble in troubles(
        mirror.get("watch"),
        limits.get("watch", WATCH_SECONDS),
        limits.get("unproven", UNPROVEN_SECONDS),
        mirror.get("watch_unreadable"),
    ):
        # What is left out without any fault is told by the doctor; a restore works without.
        if trouble.severity != "info":
            yield "watch", f"The standing proof: {trouble.found}. {trouble.cause}. {trouble.remedy}"


def _ledger_findings(ledger: dict[str, Any], region: str, backup: str) -> Iterator[Finding]:
    if ledger.get("active_region") not in ("", region):
        yield (
            "ledger",
            f"The ledger names {ledger.get('active_region')} as the active region (epoch {ledger.get('epoch', 0)}), "
            f"not {region}",
        )
    if ledger.get("witnessed"):
        yield "ledger", f"{backup} has no ledger although the topic of its position witness is there: it was deleted"


def _measured(
    mirror: dict[str, Any], ledger: dict[str, Any], drift: list[str], region: str, backup: str, now: float
) -> dict[str, Any]:
    """The status before it is judged: ages, lag, the last proof."""
    lags = [row for row in mirror.get("partitions") or [] if row.get("lag") is not None]
    topics: dict[str, int] = {}
    for row in lags:
        topics[row["topic"]] = topics.get(row["topic"], 0) + row["lag"]
    return {
        "region": region,
        "backup": backup,
        "active_region": ledger.get("active_region", ""),
        "epoch": ledger.get("epoch", 0),
        "findings": [],
        "heartbeat_seconds": _age(mirror["heartbeat"].get("emitted_at"), now),
        "source_seen_seconds": _age(mirror["witness"].get("at"), now),
        "groups": mirror["witness"].get("groups", 0),
        "lag": mirror.get("lag") if lags else None,
        "topics": topics,
        "proof": _last_proof(ledger, region, backup, now),
        "drift": drift,
        "watch": mirror.get("watch"),
    }


def _mirror_findings(
    mirror: dict[str, Any], status: dict[str, Any], limits: dict[str, int], running: bool
) -> Iterator[Finding]:
    region, backup = status["region"], status["backup"]
    if not running:
        yield from _too_old("mirror", status["heartbeat_seconds"], limits["heartbeat"], "The mirror's last heartbeat")
    yield from _too_old(
        "source",
        status["source_seen_seconds"],
        limits["witness"],
        f"The last time that {region} was seen from the backup's side",
    )
    if not mirror.get("partitions"):
        yield "mirror", f"No mirror from {region} has copied anything to {backup}"
    for message in _lag(mirror, status, limits):
        yield "lag", message


def _unseen(mirror: dict[str, Any], status: dict[str, Any]) -> Iterator[Finding]:
    """A source that was asked, and shows none of the topics that were copied: no lag is known, which is not none."""
    if status["drift"] is not None and status["lag"] is None and mirror.get("partitions"):
        yield (
            "lag",
            f"{status['region']} shows no topic that the mirror copies, so that its lag is unknown: expected those of "
            "the backup. Compare the mirror's topics with the region's, and see whether this principal may DESCRIBE "
            "them",
        )


def _proof_findings(
    mirror: dict[str, Any], ledger: dict[str, Any], status: dict[str, Any], limit: int, now: float
) -> Iterator[Finding]:
    region, backup, proof = status["region"], status["backup"], status["proof"]
    if proof["verdict"] is None:
        yield "proof", f"The copy was never proven: run verify_restore from {region} to {backup}"
    elif not proof["complete"]:
        yield "proof", f"The last proof says {proof['verdict']}: see {proof['report']}"
    else:
        yield from _too_old("proof", proof["seconds"], limit, "The last proof")
        for message in _uncovered(ledger, region, backup, mirror.get("partitions") or [], limit, now):
            yield "proof", message


def _lag(mirror: dict[str, Any], status: dict[str, Any], limits: dict[str, int]) -> Iterator[str]:
    """What of the source is not copied, as sentences."""
    if status["lag"] is not None and status["lag"] > limits["lag"]:
        most = sorted(status["topics"].items(), key=lambda pair: -pair[1])[:NAMED]
        worst = ", ".join(f"{topic} ({lag})" for topic, lag in most)
        yield f"{mirror['lag']} records are not copied: expected at most {limits['lag']}; most in {worst}"
    if mirror.get("hidden"):
        yield (
            f"{status['region']} does not show {named(mirror['hidden'], NAMED)}, which the mirror has copied, so that "
            "their lag is unknown: give this principal DESCRIBE on them"
        )
    stale = [f"{row['topic']}-{row['partition']}" for row in mirror.get("partitions") or [] if row.get("stale")]
    if stale:
        yield (
            f"The mirror stands beyond the end of {named(stale, NAMED)}: made again, or records lost, and nothing "
            "is copied until it has grown past that"
        )


def _age(at: float | None, now: float) -> float | None:
    return None if at is None else round(now - at, 1)


def _too_old(what: str, age: float | None, limit: int, name: str) -> Iterator[Finding]:
    if age is None:
        yield what, f"{name} is unknown: expected one no older than {limit} s"
    elif age < -AHEAD_SECONDS:
        yield what, f"{name} is {-age} s ahead of this machine's clock: set the clocks"
    elif age > limit:
        yield what, f"{name} is {age} s old: expected at most {limit} s"


def _proofs(ledger: dict[str, Any], region: str, backup: str) -> list[dict[str, Any]]:
    return [
        proof
        for proof in ledger.get("proofs") or []
        if {proof["found"].get("source"), proof["found"].get("target")} == {region, backup}
    ]


def _uncovered(
    ledger: dict[str, Any], region: str, backup: str, partitions: list[dict[str, Any]], limit: int, now: float
) -> Iterator[str]:
    """What the last proof leaves out, as sentences: a proof of one topic says nothing about the others."""
    last: dict[str, tuple[str, Any]] = {}
    for proof in _proofs(ledger, region, backup):
        if "topics" not in proof["found"]:
            return
        name = "topic" if proof["found"]["source"] == region else "target_topic"
        last.update(
            {topic[name]: (topic["verdict"], _age(seconds_of(proof["at"]), now)) for topic in proof["found"]["topics"]}
        )
    # A mirror remembers topics that the source deleted; where the source could not be asked, nobody knows which.
    asked = any(row.get("source_end") is not None for row in partitions)
    copied = sorted(
        {
            row["topic"]
            for row in partitions
            if row.get("mirrored_through") is not None and (row.get("source_end") is not None or not asked)
        }
    )
    never = [topic for topic in copied if topic not in last]
    old = [topic for topic in copied if topic in last and last[topic][1] > limit]
    wrong = [f"{topic} ({last[topic][0]})" for topic in copied if topic in last and not complete(last[topic][0])]
    for topics, text in (
        (never, "No proof covers %s"),
        (old, "The last proof of %s is too old"),
        (wrong, "The last proof of each says otherwise: %s"),
    ):
        if topics:
            yield text % named(topics, NAMED)


def _last_proof(ledger: dict[str, Any], region: str, backup: str, now: float) -> dict[str, Any]:
    proofs = _proofs(ledger, region, backup)
    if not proofs:
        return {"verdict": None, "complete": False, "at": None, "seconds": None, "report": ""}
    last = proofs[-1]
    return {
        "verdict": last["found"].get("verdict"),
        "complete": bool(last["found"].get("complete")),
        "at": last["at"],
        "seconds": _age(seconds_of(last["at"]), now),
        "report": last["found"].get("report", ""),
    }
