# SPDX-License-Identifier: GPL-3.0-or-later
"""Do the parts of the mirror run: its tasks, its heartbeat, the operator, and the position witness?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .._values.java_trace import why
from .._values.moment import AHEAD_SECONDS
from .._values.redact import text as without_secrets
from .finding import finding
from .log_findings import log_findings
from .observe import Observation
from .task_states import task_name


def witness(seen: Observation, params: dict[str, Any]) -> Iterator[dict[str, str]]:
    """Where the source's groups stood is known by the witness alone once the source is lost."""
    limit = params.get("max_witness_age")
    if not limit or not seen.mirror:
        return
    found = seen.mirror[-1]["witness"]
    mirror = f"witness of {seen.names.source}->{seen.names.target}"
    remedy = "Look at its service or pod and its log; set doctor_max_witness_age to 0 where a mirror has none"
    if found["age"] is None:
        problem = "no round in its topic" if found["exists"] else f"its topic is not on {seen.names.target}"
        if found.get("other_mirror"):
            problem = f"its topic holds positions of mirror {found['other_mirror']}"
            remedy = "Set positions_topic of one of the two mirrors in kafka_dr_mirrors to a topic of its own"
        yield finding(
            "witness-missing",
            "error",
            mirror,
            problem,
            "It never ran to the end of a round: with the source its groups' positions are lost",
            remedy,
        )
    elif found["age"] < -AHEAD_SECONDS:
        yield finding(
            "witness-stale",
            "error",
            mirror,
            f"its last round is {-found['age']:.0f} s ahead of this machine's clock",
            "The clocks of the witness's machine and of this one differ, so that nobody can tell whether it runs",
            "Set both clocks, then run this again",
        )
    elif found["age"] > limit:
        yield finding(
            "witness-stale",
            "error",
            mirror,
            f"its last round is {found['age']:.0f} s old",
            "It does not run, or cannot read the source or write to the target",
            remedy,
        )


def operator_content(seen: Observation, params: dict[str, Any]) -> Iterator[dict[str, str]]:
    """What an operator that runs the mirror says, where there is one: without heartbeats nobody else tells an idle
    mirror from a dead one.
    """
    operator = params.get("operator") or {}
    if operator.get("waiting_for"):
        yield finding(
            "mirror-not-running",
            "error",
            f"{seen.names.source}->{seen.names.target}",
            without_secrets("; ".join(operator["waiting_for"]))[:500],
            "Its operator does not report every connector as running, or could not be asked",
            "Look at the KafkaMirrorMaker2, at its pods and at the operator's log, then start the mirror",
        )


def heartbeats(seen: Observation, params: dict[str, Any]) -> Iterator[dict[str, str]]:
    if not seen.mirror or not params["max_heartbeat_age"] or (params.get("operator") or {}).get("heartbeats") is False:
        return
    age = seen.mirror[-1]["heartbeat"]["age"]
    mirror = f"{seen.names.source}->{seen.names.target}"
    if age is None:
        yield finding(
            "heartbeat-missing",
            "warning",
            mirror,
            f"no heartbeat on {seen.names.target}",
            "The heartbeat connector is off or never worked: an idle mirror and a dead one look alike",
            "Switch emit.heartbeats.enabled on, or set doctor_max_heartbeat_age to 0 where there is no such connector",
        )
    elif age > params["max_heartbeat_age"]:
        yield finding(
            "heartbeat-stale",
            "error",
            mirror,
            f"the last heartbeat is {age:.0f} s old",
            "MirrorMaker 2 does not run, or cannot write to the target",
            "Look at its service and log, then start it",
        )
    elif age < -5:
        yield finding(
            "clocks-differ",
            "warning",
            mirror,
            f"the last heartbeat is {-age:.0f} s in the future",
            "The clocks of the mirror's host and of this one differ",
            "Synchronise them; ages and recovery times are wrong until then",
        )


def tasks(seen: Observation, params: dict[str, Any]) -> Iterator[dict[str, str]]:
    if seen.tasks is None:
        return
    for task in seen.tasks:
        name = task_name(task)
        if task["state"] == "FAILED":
            causes = log_findings("ERROR " + (task["trace"] or "").replace("\nCaused by", "\nERROR Caused by"), {})
            deepest = causes[0] if causes else None
            yield finding(
                "task-failed",
                "error",
                name,
                why(task["trace"], 300),
                deepest["cause"] if deepest else "It stopped by an error and does not start again by itself",
                (deepest["remedy"] + "; then restart the mirror")
                if deepest
                else "Remove the cause, then restart the mirror",
            )
        elif task["state"] in ("PAUSED", "STOPPED"):
            yield finding(
                "task-paused",
                "warning",
                name,
                task["state"],
                "Somebody paused it; nothing is copied meanwhile",
                "Resume it, unless that is wanted",
            )


def exactly_once(seen: Observation, params: dict[str, Any]) -> Iterator[dict[str, str]]:
    if (
        params["expect_exactly_once"]
        and seen.mirror
        and seen.mirror[-1]["partitions"]
        and not seen.mirror[-1]["exactly_once_seen"]
    ):
        if any(row["mirrored_through"] is not None for row in seen.mirror[-1]["partitions"]):
            yield finding(
                "not-exactly-once",
                "error",
                f"{seen.names.source}->{seen.names.target}",
                f"no transaction in {seen.names.source_offsets}",
                "The mirror runs without exactly-once, whatever its configuration says: a crash copies records twice",
                "In dedicated mode: <target>.exactly.once.source.support=enabled and "
                "dedicated.mode.enable.internal.rest=true",
            )
