# SPDX-License-Identifier: GPL-3.0-or-later
"""Kafka's classes as an archive that Java maps instead of reading, checking and linking them anew (class data sharing).

A broker then starts with about half of the processor's time. The archive fits one Java and one directory of jars; one
that does not fit is never named to it.
"""

from __future__ import annotations

import fcntl
import functools
import hashlib
import subprocess
import tempfile
from pathlib import Path

from .java import find_java
from .kafka_home import KAFKA_VERSION, Say, cache_dir, kafka_home

DUMP_SECONDS = 300


def options() -> list[str]:
    """Words for a Java that runs Kafka's classes; empty where there is no archive."""
    archive = _place()
    return [f"-XX:SharedArchiveFile={archive}"] if archive and archive.exists() else []


@functools.cache
def _place() -> Path | None:
    """Where the archive for this Java and these jars is, or would be; None without Java."""
    java = find_java()
    if java is None:
        return None
    binary, jars = Path(java).resolve(), cache_dir() / f"kafka-{KAFKA_VERSION}" / "libs"
    facts = [str(binary), str(jars)]
    # The whole runtime is one file; Java itself compares size and time of each jar.
    for path in [binary.parent.parent / "lib" / "modules", *sorted(jars.glob("*.jar"))]:
        if path.exists():
            status = path.stat()
            facts.append(f"{path} {status.st_size} {status.st_mtime_ns}")
    return cache_dir() / f"kafka-{KAFKA_VERSION}-{hashlib.sha256(chr(10).join(facts).encode()).hexdigest()[:16]}.jsa"


def make(say: Say = print) -> None:
    """Make the archive unless it is there: run a broker and a mirror once, note their classes, and archive them.

    Where another process is making it, nothing is done: everything works without an archive.

    :param say: prints a line of progress.
    :raises LabError: the broker or the mirror did not start.
    """
    from .class_list import loaded_classes

    home = kafka_home(say=say)
    _place.cache_clear()
    archive = _place()
    if archive is None or archive.exists():
        return
    with open(archive.with_suffix(".lock"), "w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
        say("Archiving Kafka's classes, once (half a minute)")
        with tempfile.TemporaryDirectory(dir=archive.parent, prefix="archiving-") as aside:
            classes = loaded_classes(Path(aside))
            made = Path(aside) / archive.name
            _archive(classes, made, home)
            made.rename(archive)


def _archive(classes: Path, archive: Path, home: Path) -> None:
    """Have Java archive the classes of a list. Its heap is that of one collector: the brokers' own."""
    words = ["-Xshare:dump", "-XX:+UseSerialGC", f"-XX:SharedClassListFile={classes}"]
    subprocess.run(
        [find_java() or "java", *words, f"-XX:SharedArchiveFile={archive}", "-cp", f"{home}/libs/*"],
        check=True,
        timeout=DUMP_SECONDS,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
