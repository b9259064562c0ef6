# SPDX-License-Identifier: GPL-3.0-or-later
"""The progress file of the Spark job, read once, and whether the job ended before it had one."""

from __future__ import annotations

import json
import os
from typing import Any


def proof_status_info(params: dict[str, Any], check_mode: bool = False) -> dict[str, Any]:
    """The result of the module ``proof_status_info``."""
    try:
        with open(params["progress"], encoding="utf-8") as file:
            figures = json.load(file)
    except FileNotFoundError:
        if _ended(params.get("job")):
            return {"finished": True, "exit_code": 2, "waiting_for": "", "figures": {}}
        return {"finished": False, "waiting_for": "proof: it starts", "figures": {}}
    if figures.get("finished"):
        return {"finished": True, "exit_code": figures.get("exit_code", 2), "waiting_for": "", "figures": figures}
    if not _alive(figures.get("pid")):
        return {"finished": True, "exit_code": 2, "waiting_for": "", "figures": figures}
    return {"finished": False, "waiting_for": figures.get("text", ""), "figures": figures}


def _ended(job: str | None) -> bool:
    """Whether Ansible's own file of the asynchronous job says that it ended; False where there is none, or it is being
    written.
    """
    try:
        with open(job or os.devnull, encoding="utf-8") as file:
            return bool(json.load(file).get("finished"))
    except (OSError, ValueError):
        return False


def _alive(pid: int) -> bool:
    if not pid:
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
