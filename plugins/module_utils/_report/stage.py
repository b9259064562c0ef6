# SPDX-License-Identifier: GPL-3.0-or-later
"""A stage's report from the ledger: one run, with the runs that were cut off before it and that it went on from."""

from __future__ import annotations

import json
import shlex
from typing import Any

from .._errors import UsageError
from .._ledger.fold import regions_of
from .._stages.about import STAGES
from .._values.moment import seconds_of
from .shapes import Report
from .stage_copy import found_by, left_behind_of, lost_of, proofs_of

# An entry of the ledger, see docs/architecture.md.
Entry = dict[str, Any]

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
        one then, and one that was cut off may be.
    :returns: ``stage``, ``run``, ``runs[]``, ``failed``, ``about``, ``verdict`` (``done``, ``refused``,
        ``unfinished``, ``never_began``), ``active{region, epoch}``, ``began``, ``ended``, ``seconds``,
        ``steps[{name, state, at, seconds, region, found}]``, ``proofs[]`` (``latest``: no later one compares the same
        two), ``overrides[]``, ``gates[]``, ``lost`` (``total`` None where it is not known), ``left_behind`` (sentences:
        what a planned move was accepted to leave behind, and what was gone), ``copy`` (the verdict of the entry that
        ended it, or empty), ``positions``, ``versions``, ``command``.
    :raises UsageError: the ledger knows no such run.
    """
    begun = [
        at
        for at, entry in enumerate(entries)
        if _begins(entry) and (not stage or entry["stage"] == stage) and (not run or entry["run"] == run)
    ]
    if failed and stage and not run and (not begun or _done(entries, entries[begun[-1]])):
        return _never_began(entries, stage)
    if not begun:
        begun_runs = sorted({f"{entry['stage']} {entry['run']}" for entry in entries if _begins(entry)})
        raise UsageError(
            "The ledger knows no such run",
            expected=f"stage '{stage or 'any'}', run '{run or 'any'}'",
            found=", ".join(begun_runs[-10:]) or "no stage that was begun",
            remedy="Correct the names; the ledger of a move is in the region that it led to",
        )
    last = entries[begun[-1]]
    first, runs = _continued_runs(entries, begun[-1])
    of_stage = [entry for entry in entries[first:] if entry["run"] in runs and entry["stage"] == last["stage"]]
    return {**_stage_report(last, runs, of_stage), "failed": failed}


def _continued_runs(entries: list[Entry], begun: int) -> tuple[int, list[str]]:
    """Where the stage first began, and its runs: the run that begins at ``begun`` and the unfinished ones that it
    continues.
    """
    last = entries[begun]
    first, runs = begun, [last["run"]]
    for at in range(begun - 1, -1, -1):
        entry = entries[at]
        if (
            entry.get("step") != "stage"
            or entry.get("state") not in ("done", "refused", "started")
            or not entry.get("fenced", True)
        ):
            continue
        if entry["state"] != "started" or entry["stage"] != last["stage"] or entry.get("about") != last.get("about"):
            break
        first = at
        runs.insert(0, entry["run"])
    return first, runs


def _stage_report(begin: Entry, runs: list[str], entries: list[Entry]) -> Report:
    """The report of one stage.

    :param begin: the entry that begins the last run.
    :param entries: the stage's entries of all ``runs``.
    """
    ends = [
        entry
        for entry in entries
        if entry["run"] == begin["run"] and entry["step"] == "stage" and entry["state"] in ("done", "refused")
    ]
    began, ended = _seconds(entries[0].get("at")), _seconds((ends or entries)[-1].get("at"))
    found = found_by(entries)
    gates, moved = begin.get("found") or {}, found.get("ends") or {}
    proofs, planned = proofs_of(entries), bool(gates.get("planned"))
    overrides = list(gates.get("overridden") or [])
    return {
        "stage": begin["stage"],
        "run": begin["run"],
        "runs": runs,
        "about": begin.get("about", ""),
        "verdict": ends[-1]["state"] if ends else "unfinished",
        "began": entries[0].get("at", ""),
        "ended": ends[-1].get("at", "") if ends else "",
        "seconds": ended - began if began and ended else None,
        "steps": _steps(entries),
        "proofs": proofs,
        "overrides": overrides,
        "gates": list(gates.get("held") or []),
        "active": _active(entries),
        "planned": planned,
        "lost": lost_of(found, planned, proofs, regions_of(begin)[0]),
        "left_behind": left_behind_of(found),
        "copy": str((found.get("stage") or {}).get("verdict") or ""),
        "witnessed_at": _number(moved.get("witnessed_at")),
        "positions": found.get("positions") or {},
        "versions": {"streamsafe.kafka_dr": begin.get("collection", "")},
        "by": begin.get("by", ""),
        "command": command(begin, overrides),
    }


def _active(entries: list[Entry]) -> dict[str, Any]:
    """Which region the stage made active, and the epoch; empty where it made none so."""
    activations = [
        entry for entry in entries if entry["state"] == "active" and "told" not in (entry.get("found") or {})
    ]
    return (
        {"region": activations[-1].get("region", ""), "epoch": activations[-1].get("epoch", 0)} if activations else {}
    )


def _done(entries: list[Entry], begun: Entry) -> bool:
    return any(
        entry["run"] == begun["run"]
        and entry["stage"] == begun["stage"]
        and entry["step"] == "stage"
        and entry["state"] == "done"
        for entry in entries
    )


def _never_began(entries: list[Entry], stage: str) -> Report:
    """A stage that failed before it wrote to the ledger, and when the last run of it ended."""
    ended = [
        entry for entry in entries if entry["stage"] == stage and entry["step"] == "stage" and entry["state"] == "done"
    ]
    return {
        "stage": stage,
        "run": "",
        "runs": [],
        "about": "",
        "failed": True,
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
        "left_behind": [],
        "copy": "",
        "witnessed_at": None,
        "positions": {},
        "versions": {},
        "by": "",
        "command": "",
        "ended_before": ended[-1].get("at", "") if ended else "",
    }


def _number(value: Any) -> float | None:
    """Also of what a ledger has as a text: ansible-core 2.18 makes one of a number that is templated."""
    try:
        return float(value)
    except (TypeError, ValueError):
        return None


def _begins(entry: Entry) -> bool:
    return entry.get("step") == "stage" and entry.get("state") == "started"


def _seconds(moment: Any) -> int:
    try:
        return seconds_of(moment)
    except (TypeError, ValueError):
        return 0


def _steps(entries: list[Entry]) -> list[dict[str, Any]]:
    """Entries with the seconds since the one before: the ledger notes when a step was done, in whole seconds."""
    steps, before = [], None
    for entry in entries:
        at = _seconds(entry.get("at"))
        name = (
            {"started": "begun", "done": "ended"}.get(entry["state"], entry["state"])
            if entry["step"] == "stage"
            else "told_of_" + entry["step"]
            if "told" in (entry.get("found") or {})
            else entry["step"]
        )
        steps.append(
            {
                "name": name,
                "state": entry["state"],
                "at": entry.get("at", ""),
                "seconds": at - before if before and at else 0,
                "began": before or at,
                "region": entry.get("region", ""),
                "found": {} if entry["state"] in ("proven", "different", "not_provable") else entry.get("found") or {},
            }
        )
        before = at or before
    return steps


def _accepted(stage: str, override: str) -> str:
    """A gate that was overridden, as the variable that opens it; some are opened by names."""
    gate, dummy, names = override.removesuffix(")").partition(" (")
    variable = f"{stage}_accept_{OVERRIDES.get(gate, gate)}"
    if not names:
        return f"{variable}=true"
    return f"{variable}={names}" if gate == "split_brain" else json.dumps({variable: names.split(", ")})


def command(begun: Entry, overrides: list[str]) -> str:
    """The command that runs the stage as it was run, as far as its entry tells."""
    stage = begun["stage"]
    if stage not in STAGES:
        return ""
    first, word, second = STAGES[stage]
    regions = str(begun.get("about", "")).split(f" {word} ")
    if len(regions) != 2:
        return ""
    words = [f"{stage}_{first}={regions[0]}", f"{stage}_{second}={regions[1]}"]
    if (begun.get("found") or {}).get("planned"):
        words.append(f"{stage}_planned=true")
    words += [_accepted(stage, override) for override in overrides]
    return f"ansible-playbook -i inventory streamsafe.kafka_dr.{stage} " + " ".join(
        "-e " + shlex.quote(word) for word in words
    )
