# SPDX-License-Identifier: GPL-3.0-or-later
"""The way out of a transaction that hangs. A broker that is killed while it ends a transaction may call it complete
once it is back, and one partition has no marker of it (seen with Kafka 4.3.1). Whoever reads committed records waits
there for ever, such as MirrorMaker 2 as it starts.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

from kafka_dr_lab.java import require_java
from kafka_dr_lab.kafka_home import kafka_home
from tests.support.names_oracle import compiled


def abort_hanging(directory: Path, bootstrap: str) -> list[str]:
    """Abort what hangs in a cluster: which partitions, and from which offset."""
    jars = f"{kafka_home()}/libs/*"
    if not (directory / "HangingTransactions.class").exists():
        compiled("HangingTransactions", directory, jars)
    command = [require_java(), "-Xmx128m", "-cp", f"{directory}:{jars}", "HangingTransactions", bootstrap]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    return done.stdout.splitlines()
