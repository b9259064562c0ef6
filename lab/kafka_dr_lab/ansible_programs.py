# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible's programs as the lab starts them."""

from __future__ import annotations

import os
import sys
from pathlib import Path

SETTINGS = Path(__file__).resolve().parents[1] / "ansible.cfg"


def program(name: str) -> str:
    """Path of the program that is installed beside the Python that runs the lab."""
    return str(Path(sys.executable).parent / name)


def environment() -> dict[str, str]:
    """The caller's environment without the caller's own settings of Ansible, :data:`SETTINGS` instead of any other
    ``ansible.cfg``.

    A second password of a vault would make it ambiguous which one encrypts, and a PYTHONPATH may hold another, or a
    part of, Ansible. Where collections are found is the machine's, and stays.
    """
    kept = {
        key: value
        for key, value in os.environ.items()
        if (not key.startswith("ANSIBLE_") or key == "ANSIBLE_COLLECTIONS_PATH") and key != "PYTHONPATH"
    }
    return {**kept, "ANSIBLE_CONFIG": str(SETTINGS)}
