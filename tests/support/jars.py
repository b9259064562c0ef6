# SPDX-License-Identifier: GPL-3.0-or-later
"""Single jars from Maven Central, resolved once by the Ivy that PySpark ships, as the lab resolves Kafka."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from kafka_dr_lab.artifacts import verify
from kafka_dr_lab.java import require_java
from kafka_dr_lab.kafka_home import cache_dir, ivy_jar


def jar(organisation: str, name: str, revision: str) -> Path:
    """Path of one jar, without what it depends on.

    :raises RuntimeError: it could not be resolved; the message holds the end of what Ivy said.
    """
    home = cache_dir() / "jars"
    path = home / f"{name}-{revision}.jar"
    if path.exists():
        return path
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home) as aside:
        command = [
            require_java(),
            "-jar",
            ivy_jar(),
            "-dependency",
            organisation,
            name,
            revision,
            "-notransitive",
            "-cache",
            str(cache_dir() / "ivy"),
            "-types",
            "jar",
            "bundle",
            "-retrieve",
            f"{aside}/[artifact]-[revision].[ext]",
        ]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=300, check=False, stdin=subprocess.DEVNULL
        )
        found = Path(aside) / path.name
        if done.returncode or not found.exists():
            raise RuntimeError(
                f"{organisation}:{name}:{revision} could not be resolved: {done.stdout[-600:]}{done.stderr[-300:]}"
            )
        verify(Path(aside), home.name, only=path.name)
        found.rename(path)
    return path
