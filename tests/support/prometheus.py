# SPDX-License-Identifier: GPL-3.0-or-later
"""Prometheus, where it is installed or can be had: Debian's package is unpacked beside the other caches."""

from __future__ import annotations

import fcntl
import functools
import shutil
import subprocess
from pathlib import Path

CACHE = Path.home() / ".cache" / "streamsafe-kafka-dr" / "prometheus"


@functools.cache
def program(name: str) -> str:
    """Path of ``prometheus`` or ``promtool``; empty where it is not installed and no package can be had."""
    return shutil.which(name) or _unpacked(name)


def _unpacked(name: str) -> str:
    found = CACHE / "usr" / "bin" / name
    if not (shutil.which("apt-get") and shutil.which("dpkg-deb")):
        return ""
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / "lock", "w") as lock:
        # Several workers may ask at once.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not found.exists():
            try:
                run = functools.partial(subprocess.run, cwd=CACHE, check=True, capture_output=True, timeout=180)
                run(["apt-get", "download", "prometheus"])
                (package,) = CACHE.glob("prometheus_*.deb")
                run(["dpkg-deb", "-x", package, CACHE])
                package.unlink()
            except (OSError, ValueError, subprocess.SubprocessError):
                return ""
    return str(found) if found.exists() else ""
