# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole examination: look, check, read logs and configuration; the work of ``mirror_doctor_info``."""

from __future__ import annotations

from typing import Any

from .._doctor import checks_flow, checks_groups, checks_topics, checks_watch
from .._doctor.finding import SEVERITIES, finding
from .._doctor.log_findings import log_findings
from .._doctor.observe import Observation, observe
from .._doctor.unread import log_unread
from .._errors import KafkaDrError, UsageError
from .._kafka.client import KafkaClient
from .._kafka.topics import effective_configs
from .._lint import lint

CHECKS = checks_flow.CHECKS + checks_topics.CHECKS + checks_groups.CHECKS + checks_watch.CHECKS
LOG_TAIL = 4 * 1024 * 1024


def mirror_doctor_info(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """The result of ``mirror_doctor_info``; see the module's RETURN for the shape."""
    if not any(params[key] for key in ("target_client", "logs", "log_text", "configuration")):
        raise UsageError("There is nothing to examine", expected="target_client, logs, log_text or configuration")
    if params.get("left_for"):
        return _result([_left(params)])
    found = []
    for path in params["logs"]:
        found += _log(path, _tail(path))
    if params["log_text"]:
        found += _log("log", params["log_text"])
    if params["configuration"]:
        found += _lint(params["configuration"])
    found += [_silent(name, why) for name, why in (params.get("silent_machines") or {}).items()]
    found += [log_unread(name, why) for name, why in (params.get("unread_logs") or {}).items()]
    seen = None
    if params["target_client"]:
        seen = observe(params)
        known = {**params, "syncs_policy": _syncs_policy(params, seen)}
        for check in CHECKS:
            found += list(check(seen, known))
    return _result(found, seen)


def _result(found: list[dict[str, str]], seen: Observation | None = None) -> dict[str, Any]:
    unique: dict[tuple[str, str], dict[str, str]] = {}
    for entry in found:
        unique.setdefault((entry["check"], entry["object"]), entry)
    findings = sorted(
        unique.values(), key=lambda entry: (SEVERITIES.index(entry["severity"]), entry["check"], entry["object"])
    )
    worst = findings[0]["severity"] if findings else "none"
    mirror = seen.mirror[-1] if seen and seen.mirror else None
    return {
        "changed": False,
        "findings": findings,
        "worst": worst,
        "healthy": worst in ("none", "info"),
        "counts": {severity: sum(entry["severity"] == severity for entry in findings) for severity in SEVERITIES},
        # The lag of no partition is not known to be none.
        "lag": mirror["lag"] if mirror and seen and seen.source and mirror["partitions"] else None,
        "partitions": len(mirror["partitions"]) if mirror else 0,
        "witness_age": mirror["witness"]["age"] if mirror else None,
        "heartbeat_age": mirror["heartbeat"]["age"] if mirror else None,
        "exactly_once_seen": mirror["exactly_once_seen"] if mirror else None,
        "tasks": [{key: task[key] for key in ("connector", "task", "state", "worker")} for task in (seen.tasks or [])]
        if seen
        else [],
        "topics": _ids(seen),
    }


def _left(params: dict[str, Any]) -> dict[str, str]:
    return finding(
        "mirror-left",
        "info",
        f"{params['source_alias']}->{params['target_alias']}",
        f"the ledger of {params['target_alias']} names {params['left_for']} as the active region "
        f"(epoch {params.get('left_epoch', 0)})",
        "The applications were moved there, and this mirror was stopped for good: it is not examined",
        "Leave it stopped, and take it out of kafka_dr_mirrors once its source is not to be gone back to",
    )


def _tail(path: str) -> str:
    try:
        with open(path, "rb") as handle:
            handle.seek(0, 2)
            size = handle.tell()
            handle.seek(max(0, size - LOG_TAIL))
            return handle.read().decode("utf-8", "replace")
    except OSError as error:
        raise UsageError(
            f"The log {path} cannot be read",
            found=error.strerror,
            remedy="Run the task on the mirror's host, as a user that may read it",
        ) from error


def _log(name: str, text: str) -> list[dict[str, str]]:
    return [
        finding(
            "log-" + cause["cause_id"],
            cause["severity"],
            name,
            f"{cause['count']} lines, first in line {cause['first_line']}: {cause['sample']}",
            cause["cause"],
            cause["remedy"],
        )
        for cause in log_findings(text)
    ]


def _silent(name: str, why: str) -> dict[str, str]:
    return finding(
        "machine-silent",
        "error",
        name,
        why,
        "The machine is down, or the way to it is broken: what runs there of the mirror could not be looked at",
        "Start the machine or repair the way to it; until then an unplanned failover goes on without it, and a "
        "planned one refuses",
    )


def _lint(configuration: str) -> list[dict[str, str]]:
    return [
        finding("lint-" + trap["rule"], trap["severity"], trap["where"], trap["found"], trap["reason"], trap["fix"])
        for trap in lint(configuration)
        if trap["severity"] != "info"
    ]


def _syncs_policy(params: dict[str, Any], seen: Observation) -> str | None:
    if seen.syncs is None:
        return None
    try:
        client = KafkaClient(
            params["target_client"], params["target_client_secrets"], params["timeout"], seen.names.target
        )
        return effective_configs(client, [seen.names.offset_syncs], ("cleanup.policy",))[seen.names.offset_syncs].get(
            "cleanup.policy"
        )
    except KafkaDrError:
        return None


def _ids(seen: Observation | None) -> dict[str, str]:
    """Topic ids by ``<alias>/<topic>``, as ``known_topics`` takes them at the next examination."""
    if seen is None:
        return {}
    return {
        f"{alias}/{name}": topic["id"]
        for alias, view in ((seen.names.source, seen.source), (seen.names.target, seen.target))
        for name, topic in (view or {}).get("topics", {}).items()
    }
