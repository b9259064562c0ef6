# SPDX-License-Identifier: GPL-3.0-or-later
"""The command that runs a dedicated MirrorMaker 2. Pure."""

from __future__ import annotations

from collections.abc import Iterable

MAIN = "org.apache.kafka.connect.mirror.MirrorMaker"


def mirror_maker_command(
    kafka_home: str,
    properties_file: str,
    java: str = "java",
    heap: str = "1g",
    options: Iterable[str] = (),
    agent: str | None = None,
) -> list[str]:
    """The command's words; Java itself expands the wildcard of the class path.

    :param options: more options of Java's.
    :param agent: what follows ``-javaagent:``.
    """
    words = [java, f"-Xmx{heap}", *options]
    if agent:
        words.append(f"-javaagent:{agent}")
    return [*words, "-cp", f"{kafka_home}/libs/*", MAIN, properties_file]
