# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""The command that runs a dedicated MirrorMaker 2. Pure."""

from __future__ import annotations

MAIN = "org.apache.kafka.connect.mirror.MirrorMaker"


def mirror_maker_command(kafka_home, properties_file, java="java", heap="1g", options=(), agent=None):
    """The command's words; Java itself expands the wildcard of the class path.

    :param options: more options of Java's.
    :param agent: what follows ``-javaagent:``.
    """
    words = [java, "-Xmx%s" % heap, *options]
    if agent:
        words.append("-javaagent:%s" % agent)
    return [*words, "-cp", "%s/libs/*" % kafka_home, MAIN, properties_file]
