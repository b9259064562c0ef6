# SPDX-License-Identifier: GPL-3.0-or-later
"""Resolve Apache Kafka and MirrorMaker 2 once, into a cache outside the work tree."""

from __future__ import annotations

import glob
import os
import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path

from .artifacts import verify
from .errors import LabError
from .java import require_java

KAFKA_VERSION = "4.3.1"
ATTEMPTS = 3
ATTEMPT_SECONDS = 600


def cache_dir() -> Path:
    """Where downloads are kept: ``KAFKA_DR_CACHE``, else the user's cache directory."""
    named = os.environ.get("KAFKA_DR_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(named) if named else Path(base) / "streamsafe-kafka-dr"


def ivy_jar() -> str:
    """The Ivy that PySpark ships."""
    import pyspark

    found = glob.glob(os.path.join(os.path.dirname(pyspark.__file__), "jars", "ivy-*.jar"))
    if not found:
        raise LabError("PySpark ships no ivy-*.jar here; reinstall it with: pip install --force-reinstall pyspark")
    return found[0]


def kafka_home(version: str = KAFKA_VERSION, say=print) -> Path:
    """Directory with Kafka's ``libs``, resolved from Maven Central when it is not there yet.

    The directory appears whole or not at all: it is filled aside and renamed.

    :raises LabError: resolution failed after three tries, or a file is not the recorded one.
    """
    home = cache_dir() / f"kafka-{version}"
    if (home / "libs").is_dir():
        return home
    java = require_java()
    home.parent.mkdir(parents=True, exist_ok=True)
    descriptor = Path(__file__).resolve().parent.parent / "ivy" / "ivy.xml"
    last = ""
    for attempt in range(1, ATTEMPTS + 1):
        with tempfile.TemporaryDirectory(dir=home.parent, prefix="resolving-") as aside:
            say(f"Resolving Apache Kafka {version} (about 55 MB, once) into {home}, attempt {attempt} of {ATTEMPTS}")
            command = [
                java, f"-Dkafka.version={version}", "-jar", ivy_jar(), "-ivy", str(descriptor),
                "-cache", str(home.parent / "ivy"), "-types", "jar", "bundle",
                "-retrieve", f"{aside}/libs/[artifact]-[revision].[ext]",
            ]
            last = _run_talking(command, say)
            jars = glob.glob(f"{aside}/libs/*.jar")
            names = " ".join(os.path.basename(jar) for jar in jars)
            if last == "" and all(part in names for part in ("kafka_2.13", "connect-mirror-", "kafka-tools", "slf4j-simple")):
                verify(Path(aside), home.name)
                try:
                    os.rename(aside, home)
                except OSError:
                    if not (home / "libs").is_dir():  # somebody else resolved it meanwhile
                        raise
                    shutil.rmtree(aside, ignore_errors=True)
                os.makedirs(aside, exist_ok=True)
                return home
    raise LabError(
        f"Apache Kafka {version} could not be resolved after {ATTEMPTS} attempts: {last or 'jars were missing'}. "
        "Check the connection to Maven Central and run the same command again; what was fetched is kept."
    )


def _run_talking(command: list[str], say, environment: dict | None = None, limit: float = ATTEMPT_SECONDS, what: str = "resolving") -> str:
    """Run a download or a build, saying every 20 s that it still goes on; the last lines of its output on failure, else empty."""
    began = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    lines: list[str] = []
    reader = threading.Thread(target=lambda: lines.extend(process.stdout or ()), daemon=True)
    reader.start()
    spoken = began
    while process.poll() is None:
        time.sleep(0.2)
        now = time.monotonic()
        if now - spoken >= 20:
            spoken = now
            say(f"  still {what}, {now - began:.0f} s")
        if now - began > limit:
            process.kill()
            return f"no answer for {limit:.0f} s"
    reader.join(5)
    return "" if process.returncode == 0 else " | ".join(line.strip() for line in lines[-3:])
