# SPDX-License-Identifier: GPL-3.0-or-later
"""The watch's program as one file, for a machine or a pod without the collection: the job with all that it imports."""

from __future__ import annotations

import base64
import io
import zipfile
from pathlib import Path

# Of the collection that this file is part of.
ROOT = Path(__file__).resolve().parents[3]
UTILS = "ansible_collections/streamsafe/kafka_dr/plugins/module_utils"
# A zip remembers when its files were written; the same files have to make the same program, or it is started again.
WRITTEN = (1980, 1, 1, 0, 0, 0)
# What the watch imports beside the standard library, by the names of their modules; requirements-watch.txt has their
# packages.
NEEDED = ("confluent_kafka", "numpy", "prometheus_client", "pyarrow", "xxhash")
LOGGING = "log4j2.properties"
# Arguments come from a file: patterns of topics hold characters that systemd, supervisord and shells take for theirs.
MAIN = f'''\
"""Started as ``python watch.zip FILE``: FILE is JSON, ``words`` for the command line and ``begin_anew``."""

import importlib.util
import json
import os
import sys


def missing():
    """What has to be installed first, one name a line; exit code 3 where something is missing."""
    absent = [name for name in {NEEDED!r} if importlib.util.find_spec(name) is None]
    sys.stdout.write("".join(name + "\\n" for name in absent))
    return 3 if absent else 0


def main():
    if sys.argv[1:] == ["--check"]:
        return missing()
    with open(sys.argv[1], encoding="utf-8") as file:
        told = json.load(file)
    from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.beginning import is_of_others
    from kafka_dr_spark.cli import main as job

    words = told["words"] + (["--begin-anew"] if told["begin_anew"] and is_of_others(told["words"]) else [])
    return job(words, os.path.abspath(sys.argv[0]))


if __name__ == "__main__":
    sys.exit(main())
'''


def watch_program(root: Path = ROOT) -> dict[str, str]:
    """The program's files by name: ``watch.zip`` in base64, and ``log4j2.properties`` as text, which Spark reads from
    the directory of the zip.
    """
    spark, utils = root / "spark", root / "plugins" / "module_utils"
    files = {"__main__.py": MAIN}
    parts = UTILS.split("/")
    files.update({"/".join(parts[: depth + 1]) + "/__init__.py": "" for depth in range(len(parts))})
    for directory, prefix in ((spark / "kafka_dr_spark", "kafka_dr_spark"), (utils, UTILS)):
        for path in sorted(directory.rglob("*.py")):
            files[f"{prefix}/{path.relative_to(directory).as_posix()}"] = path.read_text(encoding="utf-8")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name in sorted(files):
            archive.writestr(zipfile.ZipInfo(name, WRITTEN), files[name], zipfile.ZIP_DEFLATED)
    return {
        "watch.zip": base64.b64encode(packed.getvalue()).decode("ascii"),
        LOGGING: (spark / LOGGING).read_text(encoding="utf-8"),
    }
