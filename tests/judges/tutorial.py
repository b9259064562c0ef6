# SPDX-License-Identifier: GPL-3.0-or-later
"""Follow the first part of docs/tutorial.md word by word, in a clean copy of the checkout: every command in a block
marked ``sh``.

A command that begins with ``!`` has to be refused.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from places import copied, plain

PAGE = "docs/tutorial.md"


def script(page: str) -> str:
    """The commands as one script that ends with the first one that does not do as the page says."""
    lines = []
    for block in re.findall(r"^```sh\n(.*?)^```", page, re.S | re.M):
        for command in re.sub(r"\\\n", "", block).strip().splitlines():
            lines.append(
                f"if {command[2:]}; then echo 'this was to be refused' >&2; exit 1; fi"
                if command.startswith("! ")
                else command
            )
    return "set -eux\n" + "\n".join(lines) + "\n"


def main() -> int:
    with tempfile.TemporaryDirectory(prefix="kdr-tutorial-") as base:
        # A plain directory, as people clone to: where collections stand, the lab makes no links to itself.
        place = Path(base) / "kafka_dr"
        shutil.move(copied(Path(base)), place)
        env = {key: value for key, value in plain().items() if key not in ("LAB_DIR", "VIRTUAL_ENV", "PYTHONPATH")}
        # Without the caller's virtual environment on the path; the page makes its own.
        env["PATH"] = os.pathsep.join(
            one for one in env["PATH"].split(os.pathsep) if not (Path(one) / "activate").exists()
        )
        try:
            return subprocess.run(
                ["sh", "-c", script((place / PAGE).read_text())], cwd=place, env=env, check=False
            ).returncode
        finally:
            subprocess.run(["sh", "lab/bootstrap.sh", "down"], cwd=place, env=env, check=False)


if __name__ == "__main__":
    sys.exit(main())
