# SPDX-License-Identifier: GPL-3.0-or-later
"""What the judges share: the collection as it is installed, and virtual environments that are kept between runs."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "streamsafe-kafka-dr"
JUDGES = Path(__file__).resolve().parent

# A judge may have the name of an installed module, which others mean when they import it.
sys.path[:] = [path for path in sys.path if Path(path or ".").resolve() != JUDGES] + [str(JUDGES)]


def copied(base: Path) -> Path:
    """A copy of the files that git tracks or would add, in an ``ansible_collections`` tree. It is a repository of its
    own, since linters ask git for the files.
    """
    place = base / "ansible_collections" / "streamsafe" / "kafka_dr"
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout.split(b"\0")
    for name in filter(None, (name.decode() for name in names)):
        if (ROOT / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, place / name)
    subprocess.run(["git", "init", "-q"], cwd=place, check=True)
    subprocess.run(["git", "add", "-A"], cwd=place, check=True)
    return place


def plain() -> dict[str, str]:
    """The environment without the caller's own settings of Ansible."""
    return {key: value for key, value in os.environ.items() if not key.startswith("ANSIBLE_")}


def run(*words: str | Path, cwd: Path | None = None, env: dict[str, str] | None = None) -> int:
    """Print and run one command, its output visible, and return its exit code."""
    print("$", " ".join(str(word) for word in words), flush=True)
    return subprocess.run([str(word) for word in words], cwd=cwd, env=env, check=False).returncode


def environment(name: str, requirements: Path) -> Path:
    """The ``bin`` of a virtual environment with these requirements, made once for each content of the file and kept in
    the cache.

    :raises SystemExit: pip could not install them.
    """
    stamp = hashlib.sha256(requirements.read_bytes() + sys.version.encode()).hexdigest()[:12]
    place = CACHE / "judges" / f"{name}-{stamp}"
    if not (place / "installed").exists():
        for old in (CACHE / "judges").glob(f"{name}-*"):
            shutil.rmtree(old)
        venv.create(place, with_pip=True)
        for dummy in range(3):
            if (
                run(
                    place / "bin" / "python",
                    "-m",
                    "pip",
                    "install",
                    "-q",
                    "--disable-pip-version-check",
                    "-r",
                    requirements,
                )
                == 0
            ):
                (place / "installed").touch()
                break
        else:
            raise SystemExit(
                f"pip could not install {requirements.relative_to(ROOT)}; "
                "run it again when the package index can be reached"
            )
    return place / "bin"
