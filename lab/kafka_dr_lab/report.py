# SPDX-License-Identifier: GPL-3.0-or-later
"""The drill's report: ``report.json`` for programs, ``junit.xml`` for CI, ``report.html`` and ten seconds of reading for people."""

from __future__ import annotations

import json
import re
import shutil
import time
from pathlib import Path

from .errors import LabError
from .playbook import collection

FILES = ("report.json", "report.html", "junit.xml")
# What the stages wrote to the ledger, as far as the drill read it: the ledger itself goes with the lab.
LEDGER = "ledger.json"
KEPT = re.compile(r"\d{8}T\d{6}Z-[a-z]+(-\d+)?")


class Report:
    """Collects what a drill measured and checked."""

    def __init__(self, scenario: str, platform: str, versions: dict):
        self.data: dict = {
            "scenario": scenario, "platform": platform, "verdict": "failed", "checks": [], "rto_seconds": None, "rpo": {"records": None, "seconds": None},
            "lost": {}, "reprocessed": {}, "duplicates_on_topic": {}, "acknowledged": 0, "processed": 0, "stages": [], "proofs": [], "overrides": [],
            "gates": [], "versions": versions,
        }
        self.ledger: list[dict] = []

    def check(self, name: str, passed: bool, expected, found) -> bool:
        """Note one check; returns whether it held."""
        self.data["checks"].append({"name": name, "passed": bool(passed), "expected": expected, "found": found})
        return bool(passed)

    @property
    def passed(self) -> bool:
        return bool(self.data["checks"]) and all(one["passed"] for one in self.data["checks"])

    def write(self, directory: Path, retain: int = 0) -> Path:
        """Write the report's files and return the path of ``report.json``.

        :param retain: how many reports to keep in ``history/``, this one among them; older ones are deleted.
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
        """The whole reports of the proofs stand beside the report, for the lab's own files go with it."""
        kept = directory / "proofs"
        shutil.rmtree(kept, ignore_errors=True)
        for number, one in enumerate(self.data["proofs"], 1):
            source = Path(one.get("report") or "")
            if source.is_absolute() and source.is_file():
                kept.mkdir(exist_ok=True)
                name = f"{number}-{one['stage']}.json"
                shutil.copyfile(source, kept / name)
                one["report"] = f"proofs/{name}"

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


def prune(directory: Path, retain: int) -> list[str]:
    """Delete the oldest kept reports beyond ``retain``; nothing that does not look like one is touched."""
    found = directory.iterdir() if directory.is_dir() else ()
    kept = sorted(one for one in found if one.is_dir() and KEPT.fullmatch(one.name) and (one / "report.json").is_file())
    old = kept[:-retain] if retain else kept
    for one in old:
        shutil.rmtree(one)
    return [one.name for one in old]


def history(directory: Path, target: Path) -> int:
    """Write the page over the drills below a directory; returns how many they are.

    :raises LabError: there are none.
    """
    told, made = collection("_report.history"), collection("_report.files")
    errors = collection("_errors")
    try:
        text, count = told.page(str(directory), str(target))
        made.write(str(target.parent), {target.name: text})
    except errors.KafkaDrError as error:
        raise LabError(str(error)) from error
    return count
