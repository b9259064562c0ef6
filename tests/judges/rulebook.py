# SPDX-License-Identifier: GPL-3.0-or-later
"""Run the event source and the rulebook, by a real ansible-rulebook, over a real mirror whose source is lost.

Arguments are given on to pytest.
"""

from __future__ import annotations

import os
import sys

from places import BIN, JUDGES, ROOT, environment, plain, run


def main(words: list[str]) -> int:
    tools = environment("rulebook", JUDGES / "requirements-rulebook.txt")
    # The playbook that the rulebook starts runs with the checkout's Ansible.
    env = {
        **plain(),
        "ANSIBLE_RULEBOOK": str(tools / "ansible-rulebook"),
        "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}",
    }
    return run(BIN / "python", "-m", "pytest", "-q", "tests/real/eda", *words, cwd=ROOT, env=env)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
