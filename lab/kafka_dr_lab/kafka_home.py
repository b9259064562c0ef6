# SPDX-License-Identifier: GPL-3.0-or-later
"""Download Apache Kafka and MirrorMaker 2 once, into a cache outside the work tree."""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from .artifacts import verify
from .errors import LabError
from .java import require_java

# The oldest one that the drills pass with is 3.9.1.
KAFKA_VERSION = os.environ.get("KAFKA_DR_KAFKA_VERSION") or "4.3.1"
ATTEMPTS = 3
ATTEMPT_SECONDS = 600
# Parts of the names of jars without which the download is incomplete.
JARS = ("kafka_2.13", "connect-mirror-", "kafka-tools", "slf4j-simple")

# Prints a line of progress.
Say = Callable[[str], None]


def cache_dir() -> Path:
    """Where downloads are kept: ``KAFKA_DR_CACHE``, else the user's cache directory."""
    named = os.environ.get("KAFKA_DR_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(named) if named else Path(base) / "streamsafe-kafka-dr"


def ivy_jar() -> str:
    """Path of the Ivy jar that PySpark ships.

    :raises LabError: PySpark has none.
    """
    import pyspark

    found = glob.glob(os.path.join(os.path.dirname(pyspark.__file__), "jars", "ivy-*.jar"))
    if not found:
        raise LabError("PySpark ships no ivy-*.jar here; reinstall it with: pip install --force-reinstall pyspark")
    return found[0]


def kafka_home(version: str = KAFKA_VERSION, say: Say = print) -> Path:
    """Directory with Kafka's ``libs``, resolved from Maven Central when it is not there yet.

    The directory appears whole or not at all: it is filled under another name and renamed.

    :param say: prints a line of progress.
    :raises LabError: resolution failed after three attempts, or a file is not the recorded one.
    """
    home = cache_dir() / f"kafka-{version}"
    if (home / "libs").is_dir():
        return home
    java = require_java()
    home.parent.mkdir(parents=True, exist_ok=True)
    failure = ""
    for attempt in range(1, ATTEMPTS + 1):
        with tempfile.TemporaryDirectory(dir=home.parent, prefix="resolving-") as aside:
            say(f"Downloading Apache Kafka {version} (about 55 MB, once) into {home}, attempt {attempt} of {ATTEMPTS}")
            failure = run_with_progress(_ivy_command(java, version, home.parent, aside), say)
            jars = " ".join(os.path.basename(jar) for jar in glob.glob(f"{aside}/libs/*.jar"))
            if failure or not all(name in jars for name in JARS):
                continue
            verify(Path(aside), home.name)
            try:
                os.rename(aside, home)
            except OSError:
                if not (home / "libs").is_dir():  # another process resolved it meanwhile
                    raise
                shutil.rmtree(aside, ignore_errors=True)
            os.makedirs(aside, exist_ok=True)
            return home
    raise LabError(
        f"Apache Kafka {version} could not be downloaded in {ATTEMPTS} attempts: {failure or 'jars were missing'}. "
        "Check the connection to Maven Central and run the same command again; finished downloads are kept."
    )


def _ivy_command(java: str, version: str, cache: Path, target: str) -> list[str]:
    descriptor = Path(__file__).resolve().parent.parent / "ivy" / "ivy.xml"
    options = {
        "-ivy": str(descriptor),
        "-cache": str(cache / "ivy"),
        "-retrieve": f"{target}/libs/[artifact]-[revision].[ext]",
    }
    words = [word for option in options.items() for word in option]
    return [java, f"-Dkafka.version={version}", "-jar", ivy_jar(), *words, "-types", "jar", "bundle"]


def run_with_progress(
    command: list[str],
    say: Say,
    environment: dict[str, str] | None = None,
    limit: float = ATTEMPT_SECONDS,
    action: str = "downloading",
) -> str:
    """Run a download or a build, and print every 20 s that it is still running.

    :param limit: seconds after which it is killed.
    :returns: empty on success, else the last lines of its output.
    """
    began = printed = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    lines: list[str] = []
    reader = threading.Thread(target=lambda: lines.extend(process.stdout or ()), daemon=True)
    reader.start()
    while process.poll() is None:
        time.sleep(0.2)
        now = time.monotonic()
        if now - printed >= 20:
            printed = now
            say(f"  still {action}, {now - began:.0f} s")
        if now - began > limit:
            process.kill()
            return f"not finished after {limit:.0f} s"
    reader.join(5)
    return "" if process.returncode == 0 else " | ".join(line.strip() for line in lines[-3:])
