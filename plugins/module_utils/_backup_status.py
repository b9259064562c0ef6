# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Whether a backup would serve: what was read of the mirror, the ledger and the kept definition, judged against limits."""

from __future__ import annotations

import time

from ._moment import seconds_of

NAMED = 3


def backup_status(mirror, ledger, drift, limits, region, backup, now=None):
    """Judge a backup.

    MirrorMaker 2 emits its heartbeats on the target side, where they stay fresh while the source is dead; so the source is seen by the position
    witness, which reads it, and the mirror by the heartbeat and by what it has left to copy.

    :param mirror: result of ``mirror_offsets_info`` with ``source_client`` where the source answers, without where it does not.
    :param ledger: result of ``ledger_info``.
    :param drift: sentences of what changed since the definition was kept; None where the source could not be asked.
    :param limits: ``heartbeat``, ``witness``, ``proof`` (seconds), ``lag`` (records).
    :param now: seconds since the epoch.
    :returns: ``healthy``, ``findings[{what, message}]``, ``source_seen_seconds``, ``heartbeat_seconds``, ``lag``, ``topics{name: lag}``, ``groups``,
        ``proof{verdict, at, seconds}``, ``drift[]``.
    """
    now = time.time() if now is None else now
    made = {"region": region, "backup": backup, "findings": [], "heartbeat_seconds": _age(mirror["heartbeat"].get("emitted_at"), now),
            "source_seen_seconds": _age(mirror["witness"].get("ends_at") or mirror["witness"].get("at"), now), "groups": mirror["witness"].get("groups", 0),
            "lag": mirror.get("lag"), "topics": {}, "proof": _last_proof(ledger, region, backup, now), "drift": drift}
    for row in mirror.get("partitions") or []:
        if row.get("lag") is not None:
            made["topics"][row["topic"]] = made["topics"].get(row["topic"], 0) + row["lag"]

    def found(what, message):
        made["findings"].append({"what": what, "message": message})

    _too_old(found, "mirror", made["heartbeat_seconds"], limits["heartbeat"], "The mirror's last heartbeat")
    _too_old(found, "source", made["source_seen_seconds"], limits["witness"], "The last time that %s was seen from the backup's side" % region)
    if not mirror.get("partitions"):
        found("mirror", "No mirror from %s has copied anything to %s" % (region, backup))
    if mirror.get("lag") is not None and mirror["lag"] > limits["lag"]:
        worst = sorted(made["topics"].items(), key=lambda pair: -pair[1])[:NAMED]
        found("lag", "%d records are not copied: expected at most %d; most in %s" % (mirror["lag"], limits["lag"], ", ".join("%s (%d)" % one for one in worst)))
    proof = made["proof"]
    if proof["verdict"] is None:
        found("proof", "The copy was never proven: run verify_restore from %s to %s" % (region, backup))
    elif not proof["complete"]:
        found("proof", "The last proof says %s: see %s" % (proof["verdict"], proof["report"]))
    else:
        _too_old(found, "proof", proof["seconds"], limits["proof"], "The last proof")
    for sentence in drift or []:
        found("definition", sentence)
    if ledger.get("active_region") not in ("", region):
        found("ledger", "The ledger names %s as the active region, not %s" % (ledger.get("active_region"), region))
    made["healthy"] = not made["findings"]
    return made


def _age(at, now):
    return None if at is None else round(now - at, 1)


def _too_old(found, what, age, limit, name):
    if age is None:
        found(what, "%s is unknown: expected one no older than %d s" % (name, limit))
    elif age > limit:
        found(what, "%s is %d s old: expected at most %d s" % (name, age, limit))


def _last_proof(ledger, region, backup, now):
    proofs = [one for one in ledger.get("proofs") or [] if {one["found"].get("source"), one["found"].get("target")} == {region, backup}]
    if not proofs:
        return {"verdict": None, "complete": False, "at": None, "seconds": None, "report": ""}
    last = proofs[-1]
    return {"verdict": last["found"].get("verdict"), "complete": bool(last["found"].get("complete")), "at": last["at"],
            "seconds": _age(seconds_of(last["at"]), now), "report": last["found"].get("report", "")}
