# SPDX-License-Identifier: GPL-3.0-or-later
"""Build the collection's tarball, install it beside the oldest Ansible that is promised, and drill from there, with nothing of the checkout.

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
        installed = base / "c" / "ansible_collections" / "streamsafe" / "kafka_dr"
        env = {**plain(), "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "HOME": place, "ANSIBLE_COLLECTIONS_PATH": str(base / "c"),
               "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")}
        for name in ("LAB_DIR", "VIRTUAL_ENV", "PYTHONPATH"):
            env.pop(name, None)
        galaxy = tools / "ansible-galaxy"
        source = copied(base / "source")
        if run(galaxy, "collection", "build", source, "--output-path", base, env=env):
            return 1
        # kubernetes.core comes with the package ansible; Galaxy may be out of reach.
        if run(galaxy, "collection", "install", "--no-deps", "-p", base / "c", next(base.glob("streamsafe-kafka_dr-*.tar.gz")), env=env, cwd=base):
            return 1
        if run(galaxy, "collection", "verify", "--offline", "streamsafe.kafka_dr", "-p", base / "c", env=env, cwd=base):
            return 1
        if run(tools / "ansible-playbook", "--syntax-check", *(f"streamsafe.kafka_dr.{one}" for one in PLAYBOOKS), env=env, cwd=base):
            return 1
        # What a person sees, and what is told of missing answers, is not alike in all versions of Ansible.
        if run(tools / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", *TOLD, env=env, cwd=source):
            return 1
        shutil.rmtree(REPORT, ignore_errors=True)
        command = [tools / "python", installed / "lab" / "main.py", "--lab", base / "lab", "drill", "--report", REPORT, *(words or SHORT)]
        code = run(*command, env=env, cwd=base)
        path = REPORT / "report.json"
        found = json.loads(path.read_text()) if path.exists() else {}
        print(f"Drill from the tarball: {found.get('verdict')}, with ansible-core {found.get('versions', {}).get('ansible-core')}: {path}", flush=True)
        return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
