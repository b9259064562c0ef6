# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the proof could start on this machine: ``python spark/ready.py DIRECTORY``, where its reports are to lie.

Nothing is written and Spark is not started. Prints what is missing, one sentence a line; exit 1 where anything is.
"""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

LIBRARIES = {"pyspark": "pyspark", "confluent_kafka": "confluent-kafka", "numpy": "numpy", "xxhash": "xxhash"}
# Spark 4 needs it.
JAVA = 17
JAVA_SECONDS = 30


def missing(directory: str) -> Iterator[str]:
    """What the proof lacks here, in sentences."""
    lacking = [package for name, package in LIBRARIES.items() if not importable(name)]
    if lacking:
        yield f"{sys.executable} cannot import {', '.join(lacking)}: pip install it there."
    elif not os.environ.get("SPARK_HOME"):
        yield from _java()
    yield from _directory(Path(directory))


def importable(name: str) -> bool:
    """Whether a library is there."""
    try:
        importlib.import_module(name)
    except ImportError:
        return False
    return True


def _java() -> Iterator[str]:
    home = os.environ.get("JAVA_HOME")
    java = os.path.join(home, "bin", "java") if home else shutil.which("java")
    if not java:
        yield f"No java is on the path, and JAVA_HOME names none: install Java {JAVA} or newer."
        return
    try:
        done = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=JAVA_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        yield f"{java} does not run ({error}): install Java {JAVA} or newer."
        return
    version = re.search(r'^\w+ version "(?:1\.)?(\d+)', done.stderr + done.stdout, re.M)
    if done.returncode or (version and int(version[1]) < JAVA):
        found = version[1] if version else (done.stderr.strip().splitlines() or ["nothing"])[-1]
        yield f"{java} is not the Java that Spark needs: expected {JAVA} or newer, found {found}."


def _directory(directory: Path) -> Iterator[str]:
    """The directory is made by the run; the nearest one that is there has to let it."""
    there = next((path for path in (directory, *directory.parents) if os.path.lexists(path)), directory)
    if not there.is_dir():
        yield f"{directory} cannot be made: {there} is no directory. Name another one in kafka_dr_workdir."
    elif not os.access(there, os.W_OK | os.X_OK):
        yield f"{there} cannot be written to, and reports would lie in {directory}: name another in kafka_dr_workdir."


if __name__ == "__main__":
    found = list(missing(os.path.abspath(sys.argv[1])))
    print("\n".join(found))
    sys.exit(bool(found))
