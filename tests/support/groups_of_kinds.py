# SPDX-License-Identifier: GPL-3.0-or-later
"""Members of a share group and of a group of the streams protocol, and an application of Kafka Streams with a store:
Java's own clients, the only ones there are.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from kafka_dr_lab.java import require_java
from kafka_dr_lab.kafka_home import KAFKA_VERSION, kafka_home
from tests.support.jars import jar
from tests.support.names_oracle import compiled


class Members:
    """All of them, as one process that runs until :meth:`stop`."""

    def __init__(self, directory: Path, cluster, topic: str, share: str, streams: str, counting: str):
        directory.mkdir(parents=True, exist_ok=True)
        jars = f"{kafka_home()}/libs/*:{jar('org.apache.kafka', 'kafka-streams', KAFKA_VERSION)}"
        compiled("GroupsOfKinds", directory, jars)
        self.log = directory / "members.log"
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [
                    require_java(),
                    "-Xmx256m",
                    "-cp",
                    f"{directory}:{jars}",
                    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
                    "GroupsOfKinds",
                    cluster.bootstrap,
                    topic,
                    share,
                    streams,
                    counting,
                    str(directory / "state"),
                ],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                cwd=directory,
            )

    def stop(self) -> None:
        """Let them leave their groups."""
        try:
            self.process.communicate(b"\n", timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)
