# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports as drills, proofs and the ledger make them; figures are those of real runs."""

from __future__ import annotations

import copy

NOW = 1795285300.0
RUN, CUT = "20261121T182310Z-4711", "20261121T182001Z-12"
MOVE = "north_america to europe"


STEP = {"seconds": 5.0}
DRILL = {
    "scenario": "failover",
    "platform": "host",
    "verdict": "passed",
    "began": NOW,
    "lost_at": NOW + 60,
    "seconds": 170.2,
    "checks": [
        {"name": "nothing_skipped", "passed": True, "expected": 0, "found": 0},
        {"name": "rpo_objective", "passed": True, "expected": "at most 10 s", "found": "0.327 s"},
    ],
    "rto_seconds": 40.52,
    "rpo": {"records": 66, "seconds": 0.327},
    "lost": {"flights.departed": 66, "flights.delayed": 0},
    "reprocessed": {"flights.departed": 61, "flights.delayed": 0},
    "duplicates_on_topic": {"flights.departed": 0, "flights.delayed": 0},
    "acknowledged": 331175,
    "processed": 331235,
    "overrides": [],
    "gates": [
        {"stage": "initial_setup", "held": ["distinct_clusters"]},
        {"stage": "failover", "held": ["source_alive", "topics_there"]},
    ],
    "versions": {"kafka": "4.3.1", "python": "3.11.7"},
    "stages": [
        {
            "name": "Initial set-up",
            "seconds": 10.0,
            "steps": [
                {**STEP, "name": "Check both regions", "began": NOW},
                {**STEP, "name": "Start the mirror", "began": NOW + 5},
            ],
        },
        {
            "name": "Failover",
            "seconds": 5.0,
            "steps": [{**STEP, "name": "Stop the mirror for good", "began": NOW + 70}],
        },
    ],
    "proofs": [{"stage": "failover", "verdict": "PROVEN", "report": "proofs/1-failover.json"}],
    "flow": {
        "acknowledged": [[NOW + 50 + at, 200] for at in range(20)],
        "processed": [[NOW + 50 + at, 190 if at < 10 else 0] for at in range(20)],
    },
    "mirrors": {
        "lag": {
            "north_america to europe": [[NOW + 50.3 + at, 7 + 40 * (at == 9) if at < 10 else None] for at in range(20)]
        },
        "copied": {"north_america to europe": [[NOW + 51 + at, 200 if at < 10 else 0] for at in range(19)]},
    },
    "command": "sh lab/bootstrap.sh drill --scenario failover",
    "positions": {
        "groups": 1,
        "to_commit": 9,
        "source": "lost",
        "positions_at": NOW,
        "reprocess_at_most": 0,
        "confidence": {"exact_at_end": 6, "unknown": 0},
    },
}


def drill(**changes):
    """A failover that passed."""
    return copy.deepcopy({**DRILL, **changes})


def failed_drill(**changes):
    """One that a stage stopped: nothing was measured."""
    return drill(
        verdict="failed",
        rto_seconds=None,
        rpo={"records": None, "seconds": None},
        lost={},
        reprocessed={},
        duplicates_on_topic={},
        proofs=[],
        acknowledged=0,
        processed=0,
        lost_at=None,
        flow=None,
        mirrors=None,
        checks=[
            {
                "name": "stage_succeeded",
                "passed": False,
                "expected": "exit code 0",
                "found": "Playbook failover failed with exit code 2",
            }
        ],
        **changes,
    )


ZERO = dict.fromkeys(
    (
        "missing_head",
        "missing_tail",
        "missing",
        "lost",
        "duplicated",
        "reordered",
        "altered",
        "foreign",
        "aborted",
        "beyond",
    ),
    0,
)


def partition(number=0, **changes):
    """A proven partition of 10,000 records; a transaction's marker stands at the target's offset 5,000."""
    made = {
        "partition": number,
        "verdict": "PROVEN",
        "reasons": [],
        "source_range": [0, 10000],
        "target_range": [0, 10002],
        "records_source": 10000,
        "records_target": 10000,
        "bytes_read": 364670,
        **ZERO,
        "differences": [],
        "differences_left_out": 0,
        "offset_map": [
            {"source_offset": 0, "target_offset": 0, "count": 5000},
            {"source_offset": 5000, "target_offset": 5001, "count": 5000},
        ],
    }
    return {**made, **changes}


def lossy_partition(number=1):
    """Offset 2,500 is missing, 7,000 is altered."""
    return partition(
        number,
        verdict="LOSS",
        missing=1,
        altered=1,
        target_range=[0, 9999],
        records_target=9999,
        offset_map=[
            {"source_offset": 0, "target_offset": 0, "count": 2500},
            {"source_offset": 2501, "target_offset": 2500, "count": 4499},
            {"source_offset": 7001, "target_offset": 7000, "count": 2999},
        ],
        differences=[
            {
                "kind": "missing",
                "source_offset": 2500,
                "target_offset": None,
                "timestamp": 1359500000000,
                "field": None,
                "count": 1,
            },
            {
                "kind": "altered",
                "source_offset": 7000,
                "target_offset": 6999,
                "timestamp": 1359500000000,
                "field": "value",
                "count": 1,
            },
        ],
    )


def proof(*partitions, verdict="PROVEN", **changes):
    """A proof over one topic of these partitions."""
    parts = list(partitions) or [partition(0), partition(1)]
    totals = {
        key: sum(part[key] for part in parts) for key in ("records_source", "records_target", "bytes_read", *ZERO)
    }
    made = {
        "verdict": verdict,
        "complete": verdict in ("PROVEN", "DUPLICATES"),
        "reasons": [],
        "totals": totals,
        "miss_probability": "2^-64",
        "source": "north_america",
        "target": "europe",
        "began": "2026-11-21T15:36:01Z",
        "seconds": 28.318,
        "options": {"topics": r"flights\..*", "rename": "identity", "ignore_timestamps": False, "bounds": []},
        "topics": [
            {
                "topic": "flights.departed",
                "target_topic": "flights.departed",
                "mode": "delete",
                "verdict": verdict,
                "reasons": [],
                "source_topic_id": "E99eb",
                "target_topic_id": "9Ohp0",
                "timestamps_compared": True,
                "partitions": parts,
            }
        ],
        "engine": {
            "name": "spark",
            "version": "4.2.0",
            "master": "local[*]",
            "parallelism": 2,
            "tasks": 2,
            "python": "3.11.7",
        },
    }
    return copy.deepcopy({**made, **changes})


def unprovable():
    """What the job writes when it cannot begin."""
    return {
        "verdict": "NOT_PROVABLE",
        "complete": False,
        "error": "not_provable",
        "engine": {},
        "topics": [],
        "totals": {"records_source": 0, "records_target": 0, **ZERO},
        "reasons": ["No topic of source matches 'zz.*'. Correct the pattern; the whole name has to match."],
    }


def entry(step, state, second, run=RUN, stage="failover", about="north_america", found=None, **changes):
    """One entry of the ledger."""
    return {
        "run": run,
        "stage": stage,
        "step": step,
        "state": state,
        "about": about,
        "region": about,
        "found": found or {},
        "fenced": True,
        "at": f"2026-11-21T18:23:{second:02d}Z",
        "by": "kdr-stages",
        "collection": "0.1.0",
        **changes,
    }


def entries():
    """A set-up; a failover that was cut off; the one that went on from it and ended."""
    return [*set_up_entries(), *cut_off_entries(), *failover_entries()]


def set_up_entries():
    return [
        entry("stage", "started", 0, run="setup", stage="initial_setup", about=MOVE),
        entry("active_region", "active", 1, run="setup", stage="initial_setup"),
        entry("stage", "done", 2, run="setup", stage="initial_setup", about=MOVE),
    ]


def cut_off_entries():
    lost = {"total": 66, "topics": {"flights.departed": 66}}
    return [
        entry("stage", "started", 3, run=CUT, about=MOVE, found={"planned": False, "overridden": ["mirror_alive"]}),
        entry("ends", "done", 10, run=CUT, found={"lost": lost, "witnessed_at": NOW, "target": {}}),
    ]


def failover_entries():
    gates = {"planned": False, "overridden": ["mirror_alive"], "held": ["topics_there", "not on a Friday"]}
    positions = {"groups": 1, "to_commit": 9, "reprocess_at_most": 3, "confidence": {"exact_at_end": 9}}
    proof = {
        "verdict": "PROVEN",
        "report": "/gone/report.json",
        "source": "/manifest",
        "target": "europe",
        "totals": {"records_source": 5},
        "reasons": [],
    }
    return [
        entry("stage", "started", 20, about=MOVE, found=gates),
        entry("positions", "done", 24, found=positions),
        entry("active_region", "active", 26, about="europe"),
        entry("proof", "proven", 40, found=proof),
        entry("stage", "done", 41, about=MOVE, found={"planned": False, "verdict": "PROVEN"}),
    ]
