# SPDX-License-Identifier: GPL-3.0-or-later
"""Run all judges, one after the other, and list their verdicts: ``check.py [NAME …]``."""

from __future__ import annotations

import sys
import time

from places import BIN, JUDGES, ROOT, run

PYTHON = BIN / "python"
ALL = {
    "lint": (PYTHON, JUDGES / "lint.py"),
    "sanity": (PYTHON, JUDGES / "sanity.py"),
    "units": (PYTHON, JUDGES / "units.py"),
    "docs": (PYTHON, JUDGES / "docs.py"),
    "builder": (PYTHON, "-m", "pytest", "-q", "tests/unit/test_awx.py", "-k", "execution_environment"),
    "reference": (PYTHON, JUDGES / "reference.py"),
    "locks": (PYTHON, JUDGES / "locks.py"),
    "install": (PYTHON, JUDGES / "install.py"),
    "navigator": (PYTHON, JUDGES / "navigator.py"),
    "rulebook": (PYTHON, JUDGES / "rulebook.py"),
    "tutorial": (PYTHON, JUDGES / "tutorial.py"),
    "secrets": (PYTHON, JUDGES / "secret_leaks.py"),
    "molecule": ("make", "molecule"),
}


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in ALL]
    if unknown:
        print(f"There is no judge {', '.join(unknown)}: expected some of {', '.join(ALL)}", file=sys.stderr)
        return 2
    verdicts = []
    for name in names or ALL:
        print(f"\n===== {name}", flush=True)
        began = time.monotonic()
        code = run(*ALL[name], cwd=ROOT)
        verdicts.append((name, code, time.monotonic() - began))
    print()
    for name, code, seconds in verdicts:
        print(f"{'content' if code == 0 else 'NOT CONTENT':12} {name:10} {seconds:5.0f} s")
    return 1 if any(code for _name, code, _seconds in verdicts) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
