# SPDX-License-Identifier: GPL-3.0-or-later
"""Classes of Kafka and of Spark as archives that Java maps instead of reading, checking and linking them anew (class
data sharing).

A broker then starts with half of the processor's time, and a proof's Spark with two thirds. An archive fits one Java
and one directory of jars; one that does not fit is never named to it.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .java import find_java
from .kafka_home import KAFKA_VERSION, Say, cache_dir, kafka_home

DUMP_SECONDS = 300


@dataclass(frozen=True)
class Archive:
    """One archive, in the cache.

    :param name: the first part of its file's name.
    :param jars: the directory of its jars.
    """

    name: str
    jars: Path

    def options(self) -> list[str]:
        """Words for a Java that runs these jars; empty where there is no archive."""
        archive = self.place()
        # The words are split at spaces on their way to Java.
        there = archive is not None and archive.exists() and not any(letter.isspace() for letter in str(archive))
        return [f"-XX:SharedArchiveFile={archive}"] if there else []

    def place(self) -> Path | None:
        """Where the archive for this Java and these jars is, or would be; None without Java."""
        java = find_java()
        if java is None:
            return None
        binary = Path(java).resolve()
        facts = [str(binary), str(self.jars)]
        # The whole runtime is one file; Java itself compares size and time of each jar.
        for path in [binary.parent.parent / "lib" / "modules", *sorted(self.jars.glob("*.jar"))]:
            if path.exists():
                status = path.stat()
                facts.append(f"{path} {status.st_size} {status.st_mtime_ns}")
        return cache_dir() / f"{self.name}-{hashlib.sha256(chr(10).join(facts).encode()).hexdigest()[:16]}.jsa"

    def make(self, run: Callable[[Path], tuple[Path, str]], say: Say) -> None:
        """Make the archive unless it is there, or another process makes it: everything works without.

        :param run: runs the programs in an empty directory, and returns the list of their classes and their class path.
        :param say: prints a line of progress.
        """
        archive = self.place()
        if archive is None or archive.exists():
            return
        with open(archive.with_suffix(".lock"), "w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return
            say(f"Archiving the classes of {self.name}, once (half a minute)")
            with tempfile.TemporaryDirectory(dir=archive.parent, prefix="archiving-") as aside:
                classes, class_path = run(Path(aside))
                new = Path(aside) / archive.name
                _archive(classes, new, class_path)
                new.rename(archive)


def kafka() -> Archive:
    """That of brokers, mirrors and Connect workers."""
    return Archive(f"kafka-{KAFKA_VERSION}", cache_dir() / f"kafka-{KAFKA_VERSION}" / "libs")


def spark() -> Archive:
    """That of the proof's Spark, which comes with PySpark."""
    found = importlib.util.find_spec("pyspark")
    return Archive("spark", Path(found.origin if found and found.origin else "/nonexistent").resolve().parent / "jars")


def options() -> list[str]:
    """Words for a Java that runs Kafka's classes; empty where there is no archive."""
    return kafka().options()


def environment() -> dict[str, str]:
    """Variables for programs that start Spark as its driver; empty where there is no archive."""
    words = spark().options()
    return {"SPARK_SUBMIT_OPTS": " ".join(words)} if words else {}


def make(say: Say = print) -> None:
    """Make the archives that are not there yet: run a broker, a mirror and a small Spark job, and note their classes.

    :param say: prints a line of progress.
    :raises LabError: the broker or the mirror did not start.
    """
    from .class_list import classes_of_kafka, classes_of_spark

    kafka_home(say=say)
    kafka().make(classes_of_kafka, say)
    spark().make(classes_of_spark, say)


def _archive(classes: Path, archive: Path, class_path: str) -> None:
    """Have Java archive the classes of a list. Its heap is that of one collector: what brokers and Spark run with."""
    words = ["-Xshare:dump", "-XX:+UseSerialGC", f"-XX:SharedClassListFile={classes}"]
    subprocess.run(
        [find_java() or "java", *words, f"-XX:SharedArchiveFile={archive}", "-cp", class_path],
        check=True,
        timeout=DUMP_SECONDS,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
