# SPDX-License-Identifier: GPL-3.0-or-later
"""What ``make test`` and ``make test-full`` consist of."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PYTEST = (sys.executable, "-m", "pytest", "-q", "--durations=5")
UNITS = (*PYTEST, "tests/unit", "-n", "2", "--dist", "loadfile")
ARCHIVE = "archive"
# Beside the lab's own.
OLDEST_KAFKA = "3.9.1"


@dataclass(frozen=True)
class Part:
    """A command with a name, started once the parts in ``after`` have ended."""

    name: str
    command: tuple[str, ...]
    after: tuple[str, ...] = (ARCHIVE,)


def parts_of(which: str, only: list[str]) -> list[Part]:
    """The parts of ``test`` or ``full``, in the order in which they begin: the longest first.

    :param only: names of parts; all where it is empty.
    :raises SystemExit: there is no part of such a name.
    """
    found = list(_full() if which == "full" else _test())
    unknown = sorted(set(only) - {part.name for part in found})
    if unknown:
        sys.exit(f"No part {', '.join(unknown)}: expected {', '.join(part.name for part in found)}")
    chosen = [part for part in found if not only or part.name in only]
    names = {part.name for part in chosen}
    return [Part(part.name, part.command, tuple(set(part.after) & names)) for part in chosen]


def _test() -> Iterator[Part]:
    yield Part(ARCHIVE, (sys.executable, "lab/main.py", "resolve"), ())
    yield Part("units", (*UNITS, "-m", "not full"), ())
    # More than a third of what can be waited for, in two: whatever else there is fits beside it.
    files = sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("tests/real/hosts/test_*.py"))
    for number in (1, 2):
        yield _real(f"hosts_{number}", *files[number - 1 :: 2])
    yield _drill("failback", "--freeze", "5", history=5000, live=5)
    yield _drill("restore", history=20000, live=8)
    for name in ("watch", "lab", "offsets", "proof", "restore", "ledger"):
        yield _real(name)
    yield Part("lint", (sys.executable, "tests/judges/lint.py"), ())
    yield Part("kubernetes", (sys.executable, "tests/kubernetes/short.py"))


def _real(name: str, *files: str) -> Part:
    """Real tests: those of the directory of that name, or of these files."""
    return Part(name, (*PYTEST, *(files or (f"tests/real/{name}",)), "-m", "real and not full"))


def _full() -> Iterator[Part]:
    """The long tests are not all there is: some are later chapters of a story that the short ones begin."""
    for part in _test():
        if part.name == "units":
            yield Part(part.name, UNITS, part.after)
        elif part.command[-1] == "real and not full":
            yield Part(part.name, (*part.command[:-1], "real or full"))
        else:
            yield part
    for name in ("failback", "eda"):
        yield Part(name, (*PYTEST, f"tests/real/{name}", "-m", "real or full"))
    # The drill failback, which is short, begins with one.
    yield _drill("failover", history=20000, live=8)
    yield _drill("switchover", history=20000, live=8)
    yield _drill("roundtrip", history=5000, live=5)
    yield _drill("failback", "--returns", "empty", name="failback_empty", history=5000, live=5)
    yield _drill("failback", "--returns", "asleep", name="failback_asleep", history=20000, live=8)
    cluster = ("--platform", "kubernetes")
    yield _drill("failover", *cluster, name="failover_kubernetes", history=5000, live=5)
    yield _drill("failback", *cluster, "--freeze", "5", name="failback_kubernetes", history=5000, live=5)
    yield _drill("roundtrip", *cluster, name="roundtrip_kubernetes", history=5000, live=5)
    yield _drill("failover", "--dead-host", name="dead_host", history=5000, live=5)
    for scenario in ("switchover", "failover"):
        drill = _drill(scenario, name=f"{scenario}_oldest", history=20000, live=8)
        yield replace(drill, command=("env", f"KAFKA_DR_KAFKA_VERSION={OLDEST_KAFKA}", *drill.command))


def _drill(scenario: str, *words: str, name: str = "", **options: Any) -> Part:
    """A drill in a lab of its own; its report is in ``build/drill``."""
    name = name or scenario
    given = [word for key, value in options.items() for word in (f"--{key}", str(value))]
    lab = (sys.executable, "lab/main.py", "--lab", f"build/labs/{name}")
    return Part(
        f"drill_{name}", (*lab, "drill", "--scenario", scenario, *words, *given, "--report", f"build/drill/{name}")
    )
