# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the playbooks by ansible-navigator, without an execution environment: each one's syntax, then a set-up and a planned move in a lab."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from pathlib import Path

from places import BIN, JUDGES, ROOT, copied, environment, plain, run

STAGES = (
    ("initial_setup", {"initial_setup_source": "north_america", "initial_setup_target": "europe"}),
    ("backup_status", {"backup_status_region": "north_america", "backup_status_backup": "europe", "backup_status_fail": False}),
    ("failover", {"failover_source": "north_america", "failover_target": "europe", "failover_planned": True}),
)


def main() -> int:
    tools = environment("navigator", JUDGES / "requirements-navigator.txt")
    with tempfile.TemporaryDirectory(prefix="kdr-") as place:
        base = Path(place)
        copied(base)
        # Navigator finds Ansible by the path: the checkout's, with the libraries that the modules need.
        env = {**plain(), "PATH": f"{BIN}{os.pathsep}{tools}{os.pathsep}{os.environ['PATH']}", "HOME": place, "ANSIBLE_COLLECTIONS_PATH": place,
               "ANSIBLE_STDOUT_CALLBACK": "streamsafe.kafka_dr.stage", "TERM": "dumb"}

        def navigate(name: str, *words: str | Path) -> int:
            fixed = ("--mode", "stdout", "--ee", "false", "--pae", "false", "--lf", base / "navigator.log")
            return run(tools / "ansible-navigator", "run", f"streamsafe.kafka_dr.{name}", *fixed, *words, env=env, cwd=base)

        failed = [one.stem for one in sorted((ROOT / "playbooks").glob("*.yml")) if navigate(one.stem, "--syntax-check")]
        lab = [str(BIN / "python"), str(ROOT / "lab" / "main.py"), "--lab", str(base / "lab")]
        try:
            if run(*lab, "up", "--history", "3000", "--records", "6000", env=env):
                return 1
            inventory = base / "lab" / "inventory"
            vault = ("--vault-password-file", str(base / "lab" / ".vault_password"))
            failed += [name for name, answers in STAGES if navigate(name, "-i", inventory, *vault, "-e", json.dumps(answers))]
        finally:
            run(*lab, "down", env=env)
        print(f"failed: {', '.join(failed) or 'none'}", flush=True)
        return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
