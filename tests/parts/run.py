# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the parts of ``make test`` or ``make test-full`` side by side: ``run.py test|full [PART...]``

A part waits for the cluster, for Ansible's forks and for timers more than it computes, so that there are more lanes
than processors. Each part has clusters and directories of its own. A part that failed stops no other one. At the end
stands where the time went.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import time
from json import loads
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from tests.parts.parts import Part, parts_of  # noqa: E402

OUTPUT = ROOT / "build" / "test"
# Of a part that passed: its counts, its slowest tests.
SHOWN_LINES = 12
# Of a part that failed, once more at the end of everything: whoever sees only that has to learn why.
LAST_LINES = 40
# What is printed where an interpreter dies of a signal stands before the stacks of its threads.
DIED = "Fatal Python error"
SIGNALS = 128
# Of a part that failed, below the table: whoever keeps a few lines of the output keeps these.
WIDEST, FRAMES, REASONS = 160, 12, 5
# How a line begins that names a test, a check of a drill or a step of a stage that failed.
REASON = re.compile(r"\s*(?:FAILED|ERROR:?|✘) ")
MEGABYTES_OF_A_PART = 3000


def lanes() -> int:
    """How many parts run at once: one more than there are processors, as far as memory allows. Further ones would make
    each part slower, up to what its waits allow, and all of them together no faster.
    """
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 1_000_000
    return max(1, min((os.cpu_count() or 1) + 1, memory // MEGABYTES_OF_A_PART))


class Running:
    """One part on its way."""

    def __init__(self, part: Part):
        self.part = part
        self.log = OUTPUT / f"{part.name}.log"
        self.report = OUTPUT / f"{part.name}.json"
        self.report.unlink(missing_ok=True)
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, str(Path(__file__).with_name("timed.py")), str(self.report), *part.command],
                stdout=log,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                cwd=ROOT,
                start_new_session=True,
            )

    def result(self) -> dict[str, float]:
        """What was measured; nothing but the exit code where the part was killed."""
        measured = loads(self.report.read_text()) if self.report.exists() else {"wall": 0.0, "cpu": 0.0}
        return {**measured, "code": self.process.returncode}

    def show(self) -> None:
        """Print the part's output: the end of it where it passed."""
        lines = self.log.read_text(errors="replace").splitlines()
        failed = self.process.returncode != 0
        print(f"\n=== {self.part.name}: {'FAILED' if failed else 'passed'}; whole output: {self.log}", flush=True)
        print("\n".join(lines if failed else lines[-SHOWN_LINES:]), flush=True)

    def interrupt(self) -> None:
        """What Ctrl-C would do: the part ends what it started."""
        try:
            os.killpg(self.process.pid, signal.SIGINT)
        except ProcessLookupError:
            pass


class Run:
    """All parts, some at once."""

    def __init__(self, parts: list[Part]):
        self.waiting = list(parts)
        self.running: list[Running] = []
        self.results: dict[str, dict[str, float]] = {}
        self.interrupted = False

    def interrupt(self, _number: int, _frame: FrameType | None) -> None:
        """Start nothing more, and let what runs clean up."""
        self.interrupted = True
        self.waiting.clear()
        for one in self.running:
            one.interrupt()

    def to_the_end(self) -> None:
        """Start parts as lanes become free, until all have ended."""
        while self.waiting or self.running:
            for part in [part for part in self.waiting if set(part.after) <= set(self.results)]:
                if len(self.running) < lanes():
                    self.waiting.remove(part)
                    self.running.append(Running(part))
                    print(f"... {part.name} began", flush=True)
            time.sleep(0.2)
            for ended in [one for one in self.running if one.process.poll() is not None]:
                self.running.remove(ended)
                self.results[ended.part.name] = ended.result()
                ended.show()


def why(log: Path, code: int) -> list[str]:
    """At most :data:`LAST_LINES` lines of a failed part: the last ones, or those from where its interpreter died of a
    signal.

    :param code: the part's exit code, 128 and the signal's number where one ended it.
    """
    lines = log.read_text(errors="replace").splitlines()
    died = [number for number, line in enumerate(lines) if DIED in line] if code > SIGNALS else []
    begin = max(0, died[-1] - 4) if died else max(0, len(lines) - LAST_LINES)
    return lines[begin : begin + LAST_LINES]


def in_short(log: Path, code: int) -> list[str]:
    """What failed in a part, by name. Where its interpreter died of a signal: what it said then, and where the thread
    was that ran first.
    """
    if not code:
        return []
    lines = why(log, code)
    if code <= SIGNALS:
        reasons = [line.strip() for line in log.read_text(errors="replace").splitlines() if REASON.match(line)]
        return [line[:WIDEST] for line in (reasons or lines)[-REASONS:]]
    current = next((number for number, line in enumerate(lines) if line.startswith("Current thread")), 0)
    return [line[:WIDEST] for line in [*lines[:6], *lines[current : current + FRAMES]]]


def table(results: dict[str, dict[str, float]], wall: float) -> str:
    """Where the time went, the most costly part first."""
    rows = [f"{'part':24}{'wall s':>8}{'CPU s':>8}"]
    for name, measured in sorted(results.items(), key=lambda item: -item[1]["cpu"]):
        verdict = "" if measured["code"] == 0 else f"  FAILED ({measured['code']:.0f})"
        rows.append(f"{name:24}{measured['wall']:8.0f}{measured['cpu']:8.0f}{verdict}")
    cpu = sum(measured["cpu"] for measured in results.values())
    load = wall and cpu / wall / (os.cpu_count() or 1)
    rows.append(f"{'all':24}{wall:8.0f}{cpu:8.0f}  {load:.0%} of {os.cpu_count()} processors")
    return "\n".join(rows)


def main() -> int:
    """Run what was asked for; 1 where a part failed."""
    command_line = argparse.ArgumentParser(description=__doc__)
    command_line.add_argument("which", choices=("test", "full"))
    command_line.add_argument("only", nargs="*", metavar="PART", help="these parts alone")
    arguments = command_line.parse_args()
    parts = parts_of(arguments.which, arguments.only)
    OUTPUT.mkdir(parents=True, exist_ok=True)
    run = Run(parts)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, run.interrupt)
    began = time.monotonic()
    run.to_the_end()
    for name, measured in run.results.items():
        if measured["code"]:
            lines = why(OUTPUT / f"{name}.log", int(measured["code"]))
            print("\n".join([f"\n=== why {name} failed", *lines]), flush=True)
    print(f"\n{table(run.results, time.monotonic() - began)}", flush=True)
    for name, measured in run.results.items():
        for line in in_short(OUTPUT / f"{name}.log", int(measured["code"])):
            print(f"{name}: {line}", flush=True)
    return 130 if run.interrupted else int(any(measured["code"] for measured in run.results.values()))


if __name__ == "__main__":
    sys.exit(main())
