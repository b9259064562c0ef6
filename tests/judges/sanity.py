# SPDX-License-Identifier: GPL-3.0-or-later
"""Run ``ansible-test sanity`` without a container engine, over a copy of the checkout, with no ignore file.

``ansible-test`` makes a virtual environment for each test and fetches pip for it from a host that is not always within
reach, and it passes no ``PIP_*`` variable on. So it gets a home of its own, kept between runs, with a script that takes
Python's bundled pip instead, and with pip's settings as a file.

Arguments are given on to ansible-test: ``sanity.py --test pep8``. Exit code: that of ansible-test.
"""

from __future__ import annotations

import configparser
import os
import sys
import tempfile
from pathlib import Path

from places import BIN, CACHE, copied, plain, run

TESTS = (
    "validate-modules",
    "pylint",
    "pep8",
    "import",
    "yamllint",
    "runtime-metadata",
    "compile",
    "symlinks",
    "shebang",
    "no-assert",
    "ansible-doc",
    "empty-init",
    "ignores",
    "line-endings",
    "no-get-exception",
    "no-illegal-filenames",
    "no-smart-quotes",
    "replace-urlopen",
    "use-argspec-type-path",
    "use-compat-six",
    "action-plugin-docs",
)
# Which pip ansible-test asks for depends on its version; each finds the same script.
BOOTSTRAP_NAMES = ("get_pip_24_2.py", "get_pip_25_2.py")
BOOTSTRAP = '''\
"""Install the pip that comes with Python, then what was asked for."""
import os
import subprocess
import sys

os.environ.pop("GET_PIP", None)
import ensurepip

ensurepip.bootstrap()
# ensurepip points pip at no configuration at all; the settings are wanted again.
os.environ.pop("PIP_CONFIG_FILE", None)
words = [word for word in sys.argv[1:] if word not in ("--no-setuptools", "--no-wheel")]
sys.exit(subprocess.call([sys.executable, "-m", "pip", "install"] + words))
'''


def pip_settings() -> configparser.RawConfigParser:
    """pip's settings of whoever runs this, those of the environment included."""
    settings = configparser.RawConfigParser()
    settings.read(
        [
            Path.home() / ".pip" / "pip.conf",
            Path.home() / ".config" / "pip" / "pip.conf",
            os.environ.get("PIP_CONFIG_FILE", ""),
        ]
    )
    if not settings.has_section("global"):
        settings.add_section("global")
    settings.set("global", "retries", "10")
    for name, value in os.environ.items():
        if name.startswith("PIP_") and name != "PIP_CONFIG_FILE":
            settings.set("global", name[4:].lower().replace("_", "-"), value)
    return settings


def prepared_home() -> Path:
    """A home for ansible-test with its cache, kept for the next run."""
    home = CACHE / "ansible-test"
    cache = home / ".ansible" / "test" / "cache"
    cache.mkdir(parents=True, exist_ok=True)
    for name in BOOTSTRAP_NAMES:
        (cache / name).write_text(BOOTSTRAP)
    (home / ".config" / "pip").mkdir(parents=True, exist_ok=True)
    with open(
        os.open(home / ".config" / "pip" / "pip.conf", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w"
    ) as file:
        pip_settings().write(file)
    return home


def main(words: list[str]) -> int:
    chosen = words or [word for test in TESTS for word in ("--test", test)]
    with tempfile.TemporaryDirectory(prefix="kafka-dr-sanity-") as base:
        place = copied(Path(base))
        env = {**plain(), "HOME": str(prepared_home()), "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
        return run(
            BIN / "ansible-test",
            "sanity",
            "--local",
            "--python",
            f"{sys.version_info.major}.{sys.version_info.minor}",
            "--color",
            "no",
            *chosen,
            cwd=place,
            env=env,
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
