# SPDX-License-Identifier: GPL-3.0-or-later
"""The proof job as a process, for tests and benchmarks that need what it found and not how."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests.support.kafka import ROOT


def prove(base: Path, source: dict, target: dict, topics: str, bounds: dict | None = None) -> dict:
    """The summary of a proof, as the ledger keeps it.

    :param source: and ``target``: librdkafka keys. :param bounds: known ends, as the job takes them.
    :raises AssertionError: it is not PROVEN.
    """
    for side, client in (("source", source), ("target", target)):
        path = base / f"{side}.json"
        path.write_text(json.dumps(client))
        path.chmod(0o600)
    words = [
        "compare",
        "--source-config",
        str(base / "source.json"),
        "--target-config",
        str(base / "target.json"),
        "--topics",
        topics,
        "--quiet",
        "--report",
        str(base / "report.json"),
        "--summary",
        str(base / "summary.json"),
    ]
    if bounds:
        (base / "bounds.json").write_text(json.dumps(bounds))
        words += ["--bounds", str(base / "bounds.json")]
    done = subprocess.run(
        [sys.executable, str(ROOT / "spark" / "main.py"), *words],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads((base / "summary.json").read_text())
