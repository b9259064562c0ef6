# SPDX-License-Identifier: GPL-3.0-or-later
"""What a run was told with ``-e``: names that begin as a role's do, and that the role does not know. Ansible itself
passes them over in silence.
"""

from __future__ import annotations

import difflib
from pathlib import Path

import yaml
from ansible.utils.vars import load_extra_vars

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory.check_value import shown
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages.about import STAGES

ROLES = Path(__file__).resolve().parents[2] / "roles"
# Roles that people run; the others are run by these.
RUN = (*STAGES, "backup_status", "doctor", "probe", "proof", "ledger")
# A playbook of another name, whose variables begin as a role's do.
OTHERS = ("proof_job_",)


def mistaken_names() -> list[str]:
    """A sentence for each extra variable that is meant for a role and is none of its."""
    # Ansible keeps there what it has read; a file of them is not opened, or decrypted, a second time.
    given = getattr(load_extra_vars, "extra_vars", None) or {}
    return [sentence for role in RUN for sentence in _mistaken(role, [str(name) for name in given])]


def _mistaken(role: str, given: list[str]) -> list[str]:
    # A dash where an underscore belongs is one of the slips.
    mine = [name for name in given if name.replace("-", "_").startswith(role + "_") and not name.startswith(OTHERS)]
    known = _options(role) if mine else []
    sentences = []
    for name in mine:
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            remedy = (
                f"Did you mean {near[0]}?"
                if near
                else "See docs/variables.md, or leave it out; give a variable of your own another beginning."
            )
            sentences.append(
                f"-e {shown(name)}: expected a variable of {role}, found none of this name: it would have no effect. "
                f"{remedy}"
            )
    return sentences


def _options(role: str) -> list[str]:
    specs = yaml.safe_load((ROLES / role / "meta" / "argument_specs.yml").read_text())["argument_specs"]
    return [name for spec in specs.values() for name in spec.get("options") or {}]
