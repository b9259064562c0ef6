# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the linters over the collection as it is installed: a copy of what git knows, under ansible_collections."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from places import BIN, copied, run

# What has types; roles of plugins that speak of hostvars have none.
TYPED = ("plugins", "extensions/eda/plugins", "lab/kafka_dr_lab", "lab/apps", "spark/kafka_dr_spark", "tests/judges")
COMMANDS = (
    ("ruff", "check", "."),
    ("yamllint", "-s", "."),
    ("mypy", *TYPED),
    ("antsibull-changelog", "lint"),
    ("ansible-lint", "--offline", "--profile", "production", "-q"),
)


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="kafka-dr-lint-") as base:
        place = copied(Path(base))
        env = {**os.environ, "ANSIBLE_COLLECTIONS_PATH": base, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
               "MYPYPATH": os.pathsep.join([base, str(place / "lab"), str(place / "spark"), str(place / "tests" / "judges")])}
        failed = [command[0] for command in COMMANDS if run(BIN / command[0], *command[1:], cwd=place, env=env)]
        print(f"{len(COMMANDS) - len(failed)} passed, {len(failed)} failed{': ' * bool(failed)}{', '.join(failed)}", flush=True)
        return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
