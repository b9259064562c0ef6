# SPDX-License-Identifier: GPL-3.0-or-later
"""What is handed to executors is all that they import."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.slow
def test_everything_can_be_imported_from_the_package_alone(tmp_path):
    described = importlib.util.spec_from_file_location("proof_main", ROOT / "spark" / "main.py")
    submitted = importlib.util.module_from_spec(described)
    described.loader.exec_module(submitted)
    package = submitted.package(str(tmp_path))
    names = [
        f"kafka_dr_spark.{file.stem}"
        for file in (ROOT / "spark" / "kafka_dr_spark").glob("*.py")
        if file.stem != "__init__"
    ]
    names += [f"{submitted.UTILS.replace('/', '.')}._manifest.{name}" for name in ("content", "side", "scan")]
    words = f"import sys; sys.path.insert(0, {package!r})\nfor name in {names!r}: __import__(name)"
    done = subprocess.run(
        [sys.executable, "-c", words],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PATH": "/usr/bin:/bin"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
