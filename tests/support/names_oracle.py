# SPDX-License-Identifier: GPL-3.0-or-later
"""MirrorMaker 2's own classes, asked which topics they copy and how they name them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from kafka_dr_lab.errors import LabError
from kafka_dr_lab.java import require_java
from kafka_dr_lab.kafka_home import kafka_home

SOURCE = Path(__file__).parent / "java" / "NamesOracle.java"


class Question(NamedTuple):
    """A name as a mirror's source holds it. ``exclude`` None leaves MirrorMaker 2's own exclusions in force."""

    policy: str
    source: str
    target: str
    separator: str
    internal_separator: bool
    topics: str
    exclude: str | None
    name: str


class Answer(NamedTuple):
    """What the classes said; ``copied`` is the source connector's word, which counts filter, policy and cycles
    together.
    """

    internal: bool
    heartbeats: bool
    matches: bool
    copied: bool
    cycle: bool
    remote: str
    topic_source: str | None
    upstream: str | None


def javac() -> str:
    """The compiler beside the Java that runs Kafka, or on the path.

    :raises LabError: there is none. A test that is left out for want of it would show nothing, and look as if it had.
    """
    java = require_java()
    beside = Path(java).resolve().parent / "javac"
    found = str(beside) if beside.exists() else shutil.which("javac")
    if found is None:
        raise LabError(
            f"This test compiles Java: expected javac beside {java} or on the search path, found none. "
            "Install a JDK 17, such as openjdk-17-jdk-headless, or set JAVA_HOME to one."
        )
    return found


def ask(questions: list[Question], directory: Path) -> list[Answer]:
    """An answer for each question.

    :param directory: where the compiled class goes.
    """
    libs = kafka_home() / "libs"
    subprocess.run([javac(), "-d", directory, "-cp", f"{libs}/*", SOURCE], check=True, timeout=120)
    lines = "".join(
        "\t".join("-" if part is None else str(part).lower() if isinstance(part, bool) else part for part in one) + "\n"
        for one in questions
    )
    command = [
        require_java(),
        "-cp",
        f"{directory}:{libs}/*",
        "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
        "org.apache.kafka.connect.mirror.NamesOracle",
    ]
    done = subprocess.run(command, input=lines, capture_output=True, text=True, check=True, timeout=120)
    return [_answer(line.split("\t")) for line in done.stdout.splitlines()]


def _answer(words: list[str]) -> Answer:
    texts = [None if word == "null" else word for word in words[5:]]
    return Answer(*(word == "true" for word in words[:5]), *texts)
