# SPDX-License-Identifier: GPL-3.0-or-later
"""Run ``ansible-test units`` without a container engine, over a copy of the checkout: the unit tests of everything in
``plugins``.

The other unit tests are about the repository (the lab, the documentation, the tarball) and are run by pytest alone.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from places import BIN, copied, plain, run


def main(words: list[str]) -> int:
    with tempfile.TemporaryDirectory(prefix="kafka-dr-units-") as base:
        place = copied(Path(base))
        env = {**plain(), "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
        python = f"{sys.version_info.major}.{sys.version_info.minor}"
        return run(
            BIN / "ansible-test",
            "units",
            "--local",
            "--python",
            python,
            "--color",
            "no",
            "--num-workers",
            "2",
            *(words or ["tests/unit/plugins/"]),
            cwd=place,
            env=env,
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
