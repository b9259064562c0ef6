# SPDX-License-Identifier: GPL-3.0-or-later
"""Submit target of the proof: ``python spark/main.py compare …`` or ``spark-submit spark/main.py compare …``.

Zips the job's package with the collection's module_utils, imports from that zip, and hands the same zip to executors.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
UTILS = "ansible_collections/streamsafe/kafka_dr/plugins/module_utils"


def package(directory: str) -> str:
    """Write the zip of everything that executors may import; returns its path."""
    target = os.path.join(directory, "kafka_dr_spark.zip")
    with zipfile.ZipFile(target, "w") as archive:
        for file in sorted((HERE / "kafka_dr_spark").glob("*.py")):
            archive.write(file, f"kafka_dr_spark/{file.name}")
        parts = UTILS.split("/")
        for depth in range(1, len(parts) + 1):
            archive.writestr("/".join(parts[:depth]) + "/__init__.py", "")
        utils = HERE.parent / "plugins" / "module_utils"
        for file in sorted(utils.rglob("*.py")):
            archive.write(file, f"{UTILS}/{file.relative_to(utils)}")
    shutil.copy(HERE / "log4j2.properties", directory)
    return target


def start() -> int:
    """Put the package first on the path and run the command line."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if os.environ.get("KAFKA_DR_SPARK_PACKAGE"):
        from kafka_dr_spark.cli import main

        return main(sys.argv[1:], os.environ["KAFKA_DR_SPARK_PACKAGE"])
    with tempfile.TemporaryDirectory(prefix="kafka-dr-spark-") as directory:
        path = package(directory)
        sys.path.insert(0, path)
        from kafka_dr_spark.cli import main

        return main(sys.argv[1:], path)


if __name__ == "__main__":
    sys.exit(start())
