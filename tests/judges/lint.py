# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the linters over the collection as it is installed: a copy of what git knows, under ansible_collections."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent


def copied(base: Path) -> Path:
    """A copy of the tracked files where collections live."""
    place = base / "ansible_collections" / "streamsafe" / "kafka_dr"
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.split(b"\0")
    for name in filter(None, (one.decode() for one in names)):
        if (ROOT / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, place / name)
    return place


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="kafka-dr-lint-") as base:
        place = copied(Path(base))
        env = {**os.environ, "ANSIBLE_COLLECTIONS_PATH": base, "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
        subprocess.run(["git", "init", "-q"], cwd=place, check=True)
        subprocess.run(["git", "add", "-A"], cwd=place, check=True)
        failed = []
        for command in (["ruff", "check", "."], ["yamllint", "-s", "."], ["ansible-lint", "--offline", "--profile", "production", "-q"]):
            print("$", " ".join(command), flush=True)
            if subprocess.run([str(BIN / command[0]), *command[1:]], cwd=place, env=env, check=False).returncode:
                failed.append(command[0])
        print(f"{3 - len(failed)} passed, {len(failed)} failed", flush=True)
        return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
