# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the playbooks by ansible-navigator and ansible-runner, without an execution environment: each one's syntax, then
every stage in a lab.

The region is lost, made again from its backup, resumed, backed up again and left by a planned move. One of the two
tools looks at what a stage would do, the other one runs it, in turn. Before each stage the work directory is deleted,
as a controller's job finds it: what the stages have to remember is in the ledger.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

from places import BIN, JUDGES, ROOT, copied, environment, plain, run

REGION, BACKUP = "north_america", "europe"
LOSS = "the loss of the region"
STORY: tuple[tuple[str, dict], ...] = (
    ("initial_setup", {"initial_setup_source": REGION, "initial_setup_target": BACKUP, "initial_setup_backup": True}),
    ("backup_status", {"backup_status_region": REGION, "backup_status_backup": BACKUP, "backup_status_fail": False}),
    (LOSS, {}),
    ("recreate_from_backup", {"recreate_from_backup_region": REGION, "recreate_from_backup_from": BACKUP}),
    ("resume", {"resume_region": REGION, "resume_from": BACKUP}),
    # The proof's report went with the work directory.
    ("new_backup", {"new_backup_region": REGION, "new_backup_to": BACKUP, "new_backup_accept_no_offset_map": True}),
    ("failover", {"failover_source": REGION, "failover_target": BACKUP, "failover_planned": True}),
)


class Runs:
    """The two tools, over one lab."""

    def __init__(self, base: Path, tools: Path):
        self.base, self.tools = base, tools
        self.inventory, self.password = base / "lab" / "inventory", base / "lab" / ".vault_password"
        # Both find Ansible by the path: the checkout's, with the libraries that the modules need.
        self.env = {
            **plain(),
            "PATH": f"{BIN}{os.pathsep}{tools}{os.pathsep}{os.environ['PATH']}",
            "HOME": str(base),
            "ANSIBLE_COLLECTIONS_PATH": str(base),
            # A home of their own, and yet Kafka from where it is kept.
            "XDG_CACHE_HOME": os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache"),
            "ANSIBLE_STDOUT_CALLBACK": "streamsafe.kafka_dr.stage",
            "TERM": "dumb",
        }

    def navigator(self, name: str, *words: str | Path) -> int:
        fixed = ("--mode", "stdout", "--ee", "false", "--pae", "false", "--lf", self.base / "navigator.log")
        return run(
            self.tools / "ansible-navigator",
            "run",
            f"streamsafe.kafka_dr.{name}",
            *fixed,
            *words,
            env=self.env,
            cwd=self.base,
        )

    def by_navigator(self, name: str, answers: dict, *words: str) -> int:
        return self.navigator(
            name, "-i", self.inventory, "--vault-password-file", self.password, "-e", json.dumps(answers), *words
        )

    def by_runner(self, name: str, answers: dict, *words: str) -> int:
        place = self.base / "runner"
        shutil.rmtree(place, ignore_errors=True)
        (place / "env").mkdir(parents=True)
        (place / "env" / "extravars").write_text(json.dumps(answers))
        (place / "env" / "cmdline").write_text(" ".join(["--vault-password-file", str(self.password), *words]))
        return run(
            BIN / "ansible-runner",
            "run",
            place,
            "-p",
            f"streamsafe.kafka_dr.{name}",
            "--inventory",
            self.inventory,
            env=self.env,
            cwd=self.base,
        )


def main() -> int:
    tools = environment("navigator", JUDGES / "requirements-navigator.txt")
    with tempfile.TemporaryDirectory(prefix="kdr-") as place:
        base = Path(place)
        copied(base)
        runs = Runs(base, tools)
        lab = [str(BIN / "python"), str(ROOT / "lab" / "main.py"), "--lab", str(base / "lab")]
        failed = [
            one.stem for one in sorted((ROOT / "playbooks").glob("*.yml")) if runs.navigator(one.stem, "--syntax-check")
        ]
        looks, acts = runs.by_runner, runs.by_navigator
        try:
            if run(*lab, "up", "--history", "3000", "--rate", "50", env=runs.env):
                return 1
            for name, answers in STORY:
                if name == LOSS:
                    went = run(*lab, "lose", REGION, env=runs.env) == 0
                else:
                    went = looks(name, answers, "--check") == 0
                    shutil.rmtree(base / "lab" / "work", ignore_errors=True)
                    went = acts(name, answers) == 0 and went
                    looks, acts = acts, looks
                if not went:
                    failed.append(name)
                    # What follows builds on it.
                    break
        finally:
            run(*lab, "down", env=runs.env)
        print(f"failed: {', '.join(failed) or 'none'}", flush=True)
        return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
