# SPDX-License-Identifier: GPL-3.0-or-later
"""The drill's report: ``report.json`` for programs, ten seconds of reading for people."""

from __future__ import annotations

import json
from pathlib import Path


class Report:
    """Collects what a drill measured and checked."""

    def __init__(self, scenario: str, platform: str, versions: dict):
        self.data: dict = {
            "scenario": scenario, "platform": platform, "verdict": "failed", "checks": [], "rto_seconds": None, "rpo": {"records": None, "seconds": None},
            "lost": {}, "reprocessed": {}, "duplicates_on_topic": {}, "acknowledged": 0, "processed": 0, "stages": [], "proofs": [], "overrides": [],
            "versions": versions,
        }

    def check(self, name: str, passed: bool, expected, found) -> bool:
        """Note one check; returns whether it held."""
        self.data["checks"].append({"name": name, "passed": bool(passed), "expected": expected, "found": found})
        return bool(passed)

    @property
    def passed(self) -> bool:
        return bool(self.data["checks"]) and all(one["passed"] for one in self.data["checks"])

    def write(self, directory: Path) -> Path:
        """Write ``report.json`` and return its path."""
        self.data["verdict"] = "passed" if self.passed else "failed"
        directory.mkdir(parents=True, exist_ok=True)
        path = directory / "report.json"
        path.write_text(json.dumps(self.data, indent=1, sort_keys=False) + "\n")
        return path

    def summary(self) -> str:
        """What a person reads."""
        data = self.data
        lines = ["", f"Drill {data['scenario']} on {data['platform']}: {data['verdict'].upper()}", ""]
        if data["rto_seconds"] is not None:
            begin = "the begin of the move" if data["scenario"] == "switchover" else "the loss"
            lines.append(f"  RTO            {data['rto_seconds']:.1f} s from {begin} to the first new record processed")
        if data["rpo"]["records"] is not None:
            late = f", the oldest acknowledged {data['rpo']['seconds']:.1f} s before the loss" if data["rpo"]["records"] else ""
            lines.append(f"  RPO            {data['rpo']['records']} records lost of {data['acknowledged']:,} acknowledged{late}")
        if data["reprocessed"]:
            duplicates = sum(data["duplicates_on_topic"].values())
            lines.append(f"  Re-processed   {sum(data['reprocessed'].values())} of {data['processed']:,}; duplicates on the topics: {duplicates}")
        for proof in data["proofs"]:
            lines.append(f"  Proof          {proof['stage']}: {proof['verdict']}")
        for stage in data["stages"]:
            lines.append(f"  {stage['name']:<22} {stage['seconds']:6.1f} s")
        failed = [one for one in data["checks"] if not one["passed"]]
        lines.append(f"  Checks         {len(data['checks']) - len(failed)} of {len(data['checks'])} held")
        for one in failed:
            lines.append(f"    ✘ {one['name']}: expected {one['expected']}, found {one['found']}")
        return "\n".join(lines)
