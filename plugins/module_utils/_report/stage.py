# SPDX-License-Identifier: GPL-3.0-or-later
"""A stage's report from the ledger: one run, with the runs that were cut off before it and that it went on from."""

from __future__ import annotations

import shlex
from typing import Any

from .._errors import UsageError
from .._values.moment import seconds_of
from .shapes import Report

# An entry of the ledger, see docs/architecture.md.
Entry = dict[str, Any]

# Names of the two regions' variables, and the word between them in the ledger's "about".
REGIONS = {
    "initial_setup": ("source", " to ", "target"),
    "failover": ("source", " to ", "target"),
    "recreate_from_backup": ("region", " from ", "from"),
    "resume": ("region", " from ", "from"),
    "new_backup": ("region", " to ", "to"),
}
# Gates whose override is not named as they are.
OVERRIDES = {
    "mirror_alive": "stale_mirror",
    "definition_same": "other_definition",
    "region_lost": "region_alive",
    "backup_topics": "missing_topics",
    "proven": "unproven",
    "offset_map": "no_offset_map",
    "manifest_covers": "partial_manifest",
    "manifest_region_known": "unknown_manifest",
}


def report_of(entries: list[Entry], stage: str = "", run: str = "", failed: bool = False) -> Report:
    """What the ledger says about one stage.

    :param entries: the ledger's entries in order, as the module ledger_info returns them.
    :param stage: which stage; the last that was begun where it is empty.
    :param run: which run; that stage's last where it is empty.
    :param failed: whether it is known to have failed, as from a controller's job: a last run that is done is another
        one then.
    :returns: ``stage``, ``run``, ``runs[]``, ``about``, ``verdict`` (``done``, ``refused``, ``unfinished``,
        ``never_began``), ``began``, ``ended``,
        ``seconds``, ``steps[{name, state, at, seconds, region, found}]``, ``proofs[]``, ``overrides[]``, ``gates[]``,
        ``lost``, ``positions``,
        ``versions``, ``command``.
    :raises UsageError: the ledger knows no such run.
    """
    begun = [
        at
        for at, one in enumerate(entries)
        if _begins(one) and (not stage or one["stage"] == stage) and (not run or one["run"] == run)
    ]
    if failed and stage and not run and (not begun or _done(entries, entries[begun[-1]])):
        return _never_began(entries, stage)
    if not begun:
        raise UsageError(
            "The ledger knows no such run",
            expected="stage '{}', run '{}'".format(stage or "any", run or "any"),
            found=", ".join(sorted({"{} {}".format(one["stage"], one["run"]) for one in entries if _begins(one)})[-10:])
            or "no stage that was begun",
            remedy="Correct the names; the ledger of a move is in the region that it led to",
        )
    last = entries[begun[-1]]
    first, runs = begun[-1], [last["run"]]
    for at in range(begun[-1] - 1, -1, -1):
        one = entries[at]
        if (
            one.get("step") == "stage"
            and one.get("state") in ("done", "refused", "started")
            and one.get("fenced", True)
        ):
            if one["state"] != "started" or one["stage"] != last["stage"] or one.get("about") != last.get("about"):
                break
            first = at
            runs.insert(0, one["run"])
    told = [one for one in entries[first:] if one["run"] in runs and one["stage"] == last["stage"]]
    ends = [
        one
        for one in told
        if one["run"] == last["run"] and one["step"] == "stage" and one["state"] in ("done", "refused")
    ]
    began, ended = _seconds(told[0].get("at")), _seconds((ends or told)[-1].get("at"))
    found = {one["step"]: one.get("found") or {} for one in told if one["state"] in ("done", "active")}
    overrides = list((last.get("found") or {}).get("overridden") or [])
    return {
        "stage": last["stage"],
        "run": last["run"],
        "runs": runs,
        "about": last.get("about", ""),
        "verdict": ends[-1]["state"] if ends else "unfinished",
        "began": told[0].get("at", ""),
        "ended": ends[-1].get("at", "") if ends else "",
        "seconds": ended - began if began and ended else None,
        "steps": _steps(told),
        "proofs": [_proof(one) for one in told if one["state"] in ("proven", "different", "not_provable")],
        "overrides": overrides,
        "gates": list((last.get("found") or {}).get("held") or []),
        "planned": bool((last.get("found") or {}).get("planned")),
        "lost": (found.get("ends") or {}).get("lost") or {},
        "witnessed_at": _number((found.get("ends") or {}).get("witnessed_at")),
        "positions": found.get("positions") or {},
        "versions": {"streamsafe.kafka_dr": last.get("collection", "")},
        "by": last.get("by", ""),
        "command": command(last, overrides),
    }


def _done(entries: list[Entry], begun: Entry) -> bool:
    return any(
        one["run"] == begun["run"]
        and one["stage"] == begun["stage"]
        and one["step"] == "stage"
        and one["state"] == "done"
        for one in entries
    )


def _never_began(entries: list[Entry], stage: str) -> Report:
    """A stage that failed before it wrote to the ledger, and when the last run of it ended."""
    ended = [one for one in entries if one["stage"] == stage and one["step"] == "stage" and one["state"] == "done"]
    return {
        "stage": stage,
        "run": "",
        "runs": [],
        "about": "",
        "verdict": "never_began",
        "began": "",
        "ended": "",
        "seconds": None,
        "steps": [],
        "proofs": [],
        "overrides": [],
        "gates": [],
        "planned": False,
        "lost": {},
        "witnessed_at": None,
        "positions": {},
        "versions": {},
        "by": "",
        "command": "",
        "ended_before": ended[-1].get("at", "") if ended else "",
    }


def _number(said: Any) -> float | None:
    """Also of what a ledger has as a text: ansible-core 2.18 makes one of a number that is templated."""
    try:
        return float(said)
    except (TypeError, ValueError):
        return None


def _begins(entry: Entry) -> bool:
    return entry.get("step") == "stage" and entry.get("state") == "started"


def _seconds(said: Any) -> int:
    try:
        return seconds_of(said)
    except (TypeError, ValueError):
        return 0


def _steps(told: list[Entry]) -> list[dict[str, Any]]:
    """Entries with the seconds since the one before: the ledger notes when a step was done, in whole seconds."""
    steps, before = [], None
    for one in told:
        at = _seconds(one.get("at"))
        name = (
            {"started": "begun", "done": "ended"}.get(one["state"], one["state"])
            if one["step"] == "stage"
            else one["step"]
        )
        steps.append(
            {
                "name": name,
                "state": one["state"],
                "at": one.get("at", ""),
                "seconds": at - before if before and at else 0,
                "began": before or at,
                "region": one.get("region", ""),
                "found": {} if one["state"] in ("proven", "different", "not_provable") else one.get("found") or {},
            }
        )
        before = at or before
    return steps


def _proof(entry: Entry) -> dict[str, Any]:
    found = entry.get("found") or {}
    return {
        "stage": entry["stage"],
        "verdict": found.get("verdict", entry["state"].upper()),
        "report": found.get("report", ""),
        "state": entry["state"],
        "source": found.get("source", ""),
        "target": found.get("target", ""),
        "totals": found.get("totals") or {},
        "reasons": found.get("reasons") or [],
        "at": entry.get("at", ""),
    }


def command(begun: Entry, overrides: list[str]) -> str:
    """The command that runs the stage as it was run, as far as its entry tells."""
    stage = begun["stage"]
    if stage not in REGIONS:
        return ""
    first, between, second = REGIONS[stage]
    regions = str(begun.get("about", "")).split(between)
    if len(regions) != 2:
        return ""
    words = [f"{stage}_{first}={regions[0]}", f"{stage}_{second}={regions[1]}"]
    if (begun.get("found") or {}).get("planned"):
        words.append(f"{stage}_planned=true")
    words += [f"{stage}_accept_{OVERRIDES.get(name, name)}=true" for name in overrides]
    return f"ansible-playbook -i inventory streamsafe.kafka_dr.{stage} " + " ".join(
        "-e " + shlex.quote(word) for word in words
    )
