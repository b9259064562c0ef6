# SPDX-License-Identifier: GPL-3.0-or-later
"""Build the collection's tarball, install it beside the oldest Ansible that is promised, and drill from there, with
nothing of the checkout.

Arguments are given on to the drill in place of a short one: ``install.py --scenario restore --history 5000``.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

from places import JUDGES, ROOT, copied, environment, plain, run

SHORT = ("--scenario", "failover", "--history", "5000", "--live", "5", "--retain", "0")
REPORT = ROOT / "build" / "judges" / "install"
TOLD = ("tests/unit/plugins/callback", "tests/unit/test_missing_variables.py")
PLAYBOOKS = sorted(one.stem for one in (ROOT / "playbooks").glob("*.yml"))


def main(words: list[str]) -> int:
    tools = environment("oldest", JUDGES / "requirements-oldest.txt")
    with tempfile.TemporaryDirectory(prefix="kdr-") as place:
        base = Path(place)
        env = _environment(tools, base)
        source = copied(base / "source")
        if _install(tools, base, source, env):
            return 1
        playbooks = [f"streamsafe.kafka_dr.{name}" for name in PLAYBOOKS]
        if run(tools / "ansible-playbook", "--syntax-check", *playbooks, env=env, cwd=base):
            return 1
        # The output of a run, and the messages about missing answers, differ between versions of Ansible.
        if run(tools / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", *TOLD, env=env, cwd=source):
            return 1
        return _drill(tools, base, env, words or list(SHORT))


def _environment(tools: Path, base: Path) -> dict[str, str]:
    """The caller's environment with the oldest Ansible, and without the checkout."""
    env = {
        **plain(),
        "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
        "HOME": str(base),
        "ANSIBLE_COLLECTIONS_PATH": str(base / "c"),
        "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache"),
    }
    return {key: value for key, value in env.items() if key not in ("LAB_DIR", "VIRTUAL_ENV", "PYTHONPATH")}


def _install(tools: Path, base: Path, source: Path, env: dict[str, str]) -> int:
    """Build, install and verify the tarball; 0 where all of it succeeds."""
    galaxy = (tools / "ansible-galaxy", "collection")
    if run(*galaxy, "build", source, "--output-path", base, env=env):
        return 1
    tarball = next(base.glob("streamsafe-kafka_dr-*.tar.gz"))
    # kubernetes.core comes with the package ansible; Galaxy may be out of reach.
    if run(*galaxy, "install", "--no-deps", "-p", base / "c", tarball, env=env, cwd=base):
        return 1
    return run(*galaxy, "verify", "--offline", "streamsafe.kafka_dr", "-p", base / "c", env=env, cwd=base)


def _drill(tools: Path, base: Path, env: dict[str, str], words: list[str]) -> int:
    """Drill from the installed collection; the drill's exit code."""
    shutil.rmtree(REPORT, ignore_errors=True)
    main_py = base / "c" / "ansible_collections" / "streamsafe" / "kafka_dr" / "lab" / "main.py"
    lab: list[str | Path] = [tools / "python", main_py, "--lab", base / "lab"]
    code = run(*lab, "drill", "--report", REPORT, *words, env=env, cwd=base)
    path = REPORT / "report.json"
    report = json.loads(path.read_text()) if path.exists() else {}
    core = report.get("versions", {}).get("ansible-core")
    print(f"Drill from the tarball: {report.get('verdict')}, with ansible-core {core}: {path}", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
