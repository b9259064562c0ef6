# SPDX-License-Identifier: GPL-3.0-or-later
"""What benchmarks say while they run, and where their figures go."""

from __future__ import annotations

import argparse
import json
import os
import platform
import time
from pathlib import Path
from typing import Any

PLACE = Path(__file__).resolve().parents[2] / "build" / "bench"


def say(text: str) -> None:
    """A line with the time of day."""
    print(time.strftime("%H:%M:%S"), text, flush=True)


def surroundings(began: float, asked: argparse.Namespace) -> dict[str, Any]:
    """The machine, how long it took, and what was asked for.

    :param began: seconds of the monotonic clock.
    """
    return {
        "machine": {"processors": os.cpu_count(), "python": platform.python_version()},
        "took_seconds": round(time.monotonic() - began),
        "arguments": vars(asked),
    }


def write(figures: dict[str, Any], path: Path) -> Path:
    """Write figures as JSON; returns the path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(figures, indent=1) + "\n")
    return path
