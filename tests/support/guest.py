# SPDX-License-Identifier: GPL-3.0-or-later
"""A small Debian booted by systemd-nspawn, with a systemd of its own: where units are tried that this machine did not
boot with.

It shares the machine's network and sees the work tree, Java and Kafka read-only, each at its own path. What it writes
is gone when it ends. Needs root, ``systemd-nspawn`` and ``debootstrap``.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

from kafka_dr_lab.java import require_java
from kafka_dr_lab.kafka_home import cache_dir, kafka_home
from tests.support.kafka import ROOT

PACKAGES = "systemd,systemd-sysv,dbus,python3,iproute2"
RELEASE = "bookworm"


def why_not() -> str:
    """Why no guest can be booted here; empty where it can."""
    if os.geteuid() != 0:
        return "only root can boot a guest"
    missing = [name for name in ("systemd-nspawn", "unshare", "nsenter") if shutil.which(name) is None]
    if not _kept().exists() and shutil.which("debootstrap") is None:
        missing.append("debootstrap")
    return f"no {', '.join(missing)} here" if missing else ""


def _kept() -> Path:
    return Path(os.environ.get("KAFKA_DR_GUEST") or cache_dir() / f"guest-{RELEASE}")


def guest_tree() -> Path:
    """The guest's files, made once."""
    kept = _kept()
    if not kept.exists():
        aside = kept.with_name(f"{kept.name}.{os.getpid()}")
        subprocess.run(
            ["debootstrap", "--variant=minbase", f"--include={PACKAGES}", RELEASE, str(aside)],
            check=True,
            stdout=subprocess.DEVNULL,
            timeout=1200,
        )
        aside.rename(kept)
    return kept


class Guest:
    """One booted guest.

    :param writable: directories of this machine that the guest may write into; they outlast it.
    """

    def __init__(self, directory: Path, *writable: Path):
        self.directory, self.writable = directory, writable
        self.console = directory / "console.log"
        self.process: subprocess.Popen | None = None

    def boot(self, seconds: float = 60) -> Guest:
        java = Path(require_java()).resolve().parents[1]
        seen = [ROOT, Path(sys.prefix), Path(sys.base_prefix), java, kafka_home(), *Path("/etc").glob("java-*-openjdk")]
        binds = [f"--bind-ro={path}" for path in seen] + [f"--bind={path}" for path in self.writable]
        words = [
            "systemd-nspawn",
            f"--directory={guest_tree()}",
            "--volatile=overlay",
            "--machine=kafka-dr-guest",
            "--register=no",
            "--keep-unit",
            "--console=pipe",
            "--resolv-conf=off",
            *binds,
            "--boot",
        ]
        # nspawn wants a /run that is no disk; without a systemd on this machine there may be none.
        prepare = 'mount --make-rprivate / && mount -t tmpfs tmpfs /run && exec "$@"'
        with open(self.console, "ab") as console:
            self.process = subprocess.Popen(
                ["unshare", "--mount", "sh", "-c", prepare, "sh", *words],
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=console,
                start_new_session=True,
            )
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if self.process.poll() is not None:
                break
            if self._leader() and self.run("systemctl", "is-system-running", check=False).stdout.strip() in (
                "running",
                "degraded",
            ):
                return self
            time.sleep(0.3)
        raise RuntimeError(f"the guest is not up after {seconds} s: {self.console.read_text(errors='replace')[-600:]}")

    def _leader(self) -> str:
        """Process id, on this machine, of the guest's first process."""
        path = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return path.read_text().split()[0] if path.exists() and path.read_text().strip() else ""

    def run(
        self, *words: str, check: bool = True, timeout: float = 120, environment: dict | None = None
    ) -> subprocess.CompletedProcess:
        """Run a command in the guest."""
        variables = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LANG": "C.UTF-8", **(environment or {})}
        inside = ["env", "-i", *[f"{key}={value}" for key, value in variables.items()]]
        return subprocess.run(
            ["nsenter", "-t", self._leader(), "-m", "-u", "-i", "-n", "-p", "-C", "--", *inside, *words],
            check=check,
            capture_output=True,
            text=True,
            timeout=timeout,
            stdin=subprocess.DEVNULL,
        )

    def show(self, unit: str, what: str) -> str:
        return self.run("systemctl", "show", "--value", f"--property={what}", unit).stdout.strip()

    def stop(self, seconds: float = 30) -> None:
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait(10)
