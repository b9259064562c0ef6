# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the linters over the collection as it is installed: a copy of what git knows, under ansible_collections."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from places import BIN, CACHE, JUDGES, ROOT, copied, run

COMMANDS = (
    ("ruff", "check", "."),
    ("ruff", "format", "--check", "-q", "."),
    ("yamllint", "-s", "."),
    ("antsibull-changelog", "lint"),
    ("ansible-lint", "--offline", "--profile", "production", "-q"),
)
IN_COLLECTION = ("plugins", "extensions/eda/plugins")
BESIDE_IT = ("lab/kafka_dr_lab", "lab/apps", "spark/kafka_dr_spark")


def types() -> int:
    """mypy over the checkout itself, through a link where collections live: its cache, which is worth half a minute,
    goes by the files' names.
    """
    tree = CACHE / "judges" / "types"
    link = tree / "ansible_collections" / "streamsafe" / "kafka_dr"
    link.parent.mkdir(parents=True, exist_ok=True)
    link.unlink(missing_ok=True)
    link.symlink_to(ROOT)
    imported = [tree, ROOT / "lab", ROOT / "spark"]
    places: list[str | Path] = [
        *(str(link.relative_to(tree) / one) for one in IN_COLLECTION),
        *(ROOT / one for one in BESIDE_IT),
    ]

    def mypy(cache: str, path: list[Path], *words: str | Path) -> int:
        env = {**os.environ, "MYPYPATH": os.pathsep.join(map(str, path))}
        return run(
            BIN / "mypy",
            "--config-file",
            ROOT / "pyproject.toml",
            "--cache-dir",
            tree / cache,
            *words,
            cwd=tree,
            env=env,
        )

    return mypy("cache", imported, *places) or mypy(
        "cache_judges", [*imported, JUDGES], "--follow-imports=silent", JUDGES
    )


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="kafka-dr-lint-") as base:
        place = copied(Path(base))
        env = {**os.environ, "ANSIBLE_COLLECTIONS_PATH": base, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
        failed = [command[0] for command in COMMANDS if run(BIN / command[0], *command[1:], cwd=place, env=env)]
    if types():
        failed.append("mypy")
    print(
        f"{len(COMMANDS) + 1 - len(failed)} passed, {len(failed)} failed{': ' * bool(failed)}{', '.join(failed)}",
        flush=True,
    )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
