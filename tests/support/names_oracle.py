# SPDX-License-Identifier: GPL-3.0-or-later
"""MirrorMaker 2's own classes, asked which topics they copy and how they name them, and what they make of groups."""

from __future__ import annotations

import base64
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

from kafka_dr_lab.errors import LabError
from kafka_dr_lab.java import require_java
from kafka_dr_lab.kafka_home import kafka_home

SOURCES = Path(__file__).parent / "java"


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


def compiled(source: str, directory: Path, jars: str) -> None:
    """Compile one of the Java sources here, by its class's name, into a directory."""
    subprocess.run([javac(), "-d", directory, "-cp", jars, SOURCES / f"{source}.java"], check=True, timeout=120)


def ask(questions: list[Question], directory: Path) -> list[Answer]:
    """An answer for each question.

    :param directory: where the compiled class goes.
    """
    lines = [
        "\t".join("-" if part is None else str(part).lower() if isinstance(part, bool) else part for part in one)
        for one in questions
    ]
    return [_answer(words) for words in _answers("NamesOracle", [], lines, directory)]


def ask_of_groups(groups: str, exclude: str, names: list[str], directory: Path) -> dict[str, tuple[bool, bool]]:
    """For each name whether MirrorMaker 2's filter lets the group through, and whether a task that is told of it reads
    that name.
    """
    lines = [base64.b64encode(name.encode()).decode() for name in names]
    found = _answers("GroupsOracle", [groups, exclude], lines, directory)
    return {name: (told == "true", read == "true") for name, (told, read) in zip(names, found, strict=True)}


def _answers(oracle: str, arguments: list[str], lines: list[str], directory: Path) -> list[list[str]]:
    jars = f"{kafka_home()}/libs/*"
    compiled(oracle, directory, jars)
    command = [
        require_java(),
        "-cp",
        f"{directory}:{jars}",
        "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
        f"org.apache.kafka.connect.mirror.{oracle}",
        *arguments,
    ]
    asked = "".join(line + "\n" for line in lines)
    done = subprocess.run(command, input=asked, capture_output=True, text=True, check=True, timeout=120)
    return [line.split("\t") for line in done.stdout.splitlines()]


def _answer(words: list[str]) -> Answer:
    texts = [None if word == "null" else word for word in words[5:]]
    return Answer(*(word == "true" for word in words[:5]), *texts)
