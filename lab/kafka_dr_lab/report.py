# SPDX-License-Identifier: GPL-3.0-or-later
"""The drill's report: ``report.json`` for programs, ``junit.xml`` for CI, ``report.html`` and a short summary for
people.
"""

from __future__ import annotations

import json
import re
import shutil
import time
from pathlib import Path
from typing import Any

from .errors import LabError
from .playbook import collection

FILES = ("report.json", "report.html", "junit.xml")
# The entries of the ledger that the drill read; the ledger itself is deleted with the lab.
LEDGER = "ledger.json"
KEPT = re.compile(r"\d{8}T\d{6}Z-[a-z]+(-\d+)?")


class Report:
    """Collects what a drill measured and checked."""

    def __init__(self, scenario: str, platform: str, versions: dict[str, str]):
        self.data: dict[str, Any] = {
            "scenario": scenario,
            "platform": platform,
            "verdict": "failed",
            "checks": [],
            "rto_seconds": None,
            "rto_parts": None,
            "rpo": {"records": None, "seconds": None},
            "lost": {},
            "reprocessed": {},
            "duplicates_on_topic": {},
            "acknowledged": 0,
            "processed": 0,
            "stages": [],
            "proofs": [],
            "overrides": [],
            "gates": [],
            "versions": versions,
        }
        self.ledger: list[dict[str, Any]] = []

    def check(self, name: str, passed: bool, expected: Any, found: Any) -> bool:
        """Record one check; returns whether it passed."""
        self.data["checks"].append({"name": name, "passed": bool(passed), "expected": expected, "found": found})
        return bool(passed)

    @property
    def passed(self) -> bool:
        """Whether there are checks and all of them passed."""
        return bool(self.data["checks"]) and all(check["passed"] for check in self.data["checks"])

    def write(self, directory: Path, retain: int = 0) -> Path:
        """Write the report's files and return the path of ``report.json``.

        :param retain: how many reports to keep in ``history/``, including this one; older ones are deleted.
        """
        self.data["verdict"] = "passed" if self.passed else "failed"
        directory.mkdir(parents=True, exist_ok=True)
        self._keep_proofs(directory)
        path = directory / "report.json"
        path.write_text(json.dumps(self.data, indent=1, sort_keys=False) + "\n")
        (directory / LEDGER).unlink(missing_ok=True)
        if self.ledger:
            (directory / LEDGER).write_text(json.dumps(self.ledger, indent=1) + "\n")
        files = collection("_report.files")
        files.write(str(directory), files.contents(self.data, files.beside(self.data, str(path))))
        if retain > 0:
            self._archive(directory)
            prune(directory / "history", retain)
        return path

    def _keep_proofs(self, directory: Path) -> None:
        """Copy the reports of the proofs beside the report, since the lab's files are deleted."""
        kept = directory / "proofs"
        shutil.rmtree(kept, ignore_errors=True)
        for number, proof in enumerate(self.data["proofs"], 1):
            source = Path(proof.get("report") or "")
            if source.is_absolute() and source.is_file():
                kept.mkdir(exist_ok=True)
                name = f"{number}-{proof['stage']}.json"
                shutil.copyfile(source, kept / name)
                proof["report"] = f"proofs/{name}"

    def _archive(self, directory: Path) -> None:
        stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(self.data.get("began") or time.time()))
        place = directory / "history" / f"{stamp}-{self.data['scenario']}"
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir(parents=True)
        for name in (*FILES, LEDGER):
            if (directory / name).is_file():
                shutil.copyfile(directory / name, place / name)
        if (directory / "proofs").is_dir():
            shutil.copytree(directory / "proofs", place / "proofs")

    def summary(self) -> str:
        """The result as a person reads it at the end of a drill."""
        data = self.data
        lines = ["", f"Drill {data['scenario']} on {data['platform']}: {data['verdict'].upper()}", ""]
        lines += self._losses()
        lines += [f"  Proof          {proof['stage']}: {proof['verdict']}{_told(proof)}" for proof in data["proofs"]]
        if data.get("proof_seconds_without_watch") is not None:
            lines.append(
                f"                 after the loss {data['proof_seconds']:.1f} s by the watch, "
                f"{data['proof_seconds_without_watch']:.1f} s by a manifest alone"
            )
        lines += [f"  {stage['name']:<22} {stage['seconds']:6.1f} s" for stage in data["stages"]]
        failed = [check for check in data["checks"] if not check["passed"]]
        lines.append(f"  Checks         {len(data['checks']) - len(failed)} of {len(data['checks'])} passed")
        lines += [f"    ✘ {check['name']}: expected {check['expected']}, found {check['found']}" for check in failed]
        return "\n".join(lines)

    def _losses(self) -> list[str]:
        """Lines with RTO, RPO and what was processed again."""
        data, lines = self.data, []
        if data["rto_seconds"] is not None:
            begin = "the start of the move" if data["scenario"] in ("switchover", "roundtrip") else "the loss"
            lines.append(f"  RTO            {data['rto_seconds']:.1f} s from {begin} to the first new record processed")
        if data["rto_parts"]:
            parts = ", ".join(f"{name.replace('_', ' ')} {seconds:.1f}" for name, seconds in data["rto_parts"].items())
            lines.append(f"                 {parts}")
        if data["rpo"]["records"] is not None:
            oldest = f", the oldest acknowledged {data['rpo']['seconds']:.1f} s before the loss"
            lines.append(
                f"  RPO            {data['rpo']['records']} records lost of {data['acknowledged']:,} acknowledged"
                + (oldest if data["rpo"]["records"] else "")
            )
        if data["reprocessed"]:
            lines.append(
                f"  Re-processed   {sum(data['reprocessed'].values())} of {data['processed']:,} records; "
                f"duplicates on the topics: {sum(data['duplicates_on_topic'].values())}"
            )
        return lines


def _told(proof: dict[str, Any]) -> str:
    """How long a proof took, and whether it went by a watch."""
    watch = proof.get("watch") or {}
    by_watch = f", {watch['proven_records']} records by the watch" if watch.get("used") else ""
    return f" in {proof['seconds']} s{by_watch}" if proof.get("seconds") is not None else ""


def prune(directory: Path, retain: int) -> list[str]:
    """Delete the oldest reports beyond ``retain``. Only directories that look like a drill's report are deleted.

    :returns: the names of the deleted directories.
    """
    entries = directory.iterdir() if directory.is_dir() else ()
    reports = sorted(
        entry
        for entry in entries
        if entry.is_dir() and KEPT.fullmatch(entry.name) and (entry / "report.json").is_file()
    )
    old = reports[:-retain] if retain else reports
    for report in old:
        shutil.rmtree(report)
    return [report.name for report in old]


def history(directory: Path, page: Path) -> list[dict[str, Any]]:
    """Write one page about the drills below a directory; returns the rows of its table, newest first.

    :raises LabError: there are none.
    """
    pages, files, errors = collection("_report.history"), collection("_report.files"), collection("_errors")
    try:
        text, rows = pages.page(str(directory), str(page))
        files.write(str(page.parent), {page.name: text})
    except errors.KafkaDrError as error:
        raise LabError(str(error)) from error
    return list(rows)
