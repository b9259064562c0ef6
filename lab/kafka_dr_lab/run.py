# SPDX-License-Identifier: GPL-3.0-or-later
"""Run a drill from its beginning to the end of the lab."""

from __future__ import annotations

import argparse
import shutil
import time
from pathlib import Path
from typing import Any

from . import scenarios
from .drill import Drill
from .errors import LabError
from .lab import Lab, undisturbed
from .playbook import PlaybookFailed


def run_drill(lab: Lab, arguments: argparse.Namespace, options: dict[str, Any]) -> int:
    """Run one scenario, and end the lab whatever happens.

    :returns: 0 where every check passed, else 1.
    """
    drill = Drill(lab, arguments, options)
    began = time.monotonic()
    shutil.rmtree(Path(arguments.report) / "logs", ignore_errors=True)
    try:
        lab.down()
        try:
            getattr(scenarios, arguments.scenario)(drill)
        except PlaybookFailed as error:
            drill.report.check("stage_succeeded", False, "exit code 0", _cause(lab, error))
        except (LabError, TimeoutError) as error:
            drill.report.check("drill_went_through", False, "no error", str(error))
        if not drill.report.passed:
            drill.keep_logs()
        drill.report.data["seconds"] = round(time.monotonic() - began, 1)
        return drill.finish()
    finally:
        drill.sampler.stop()
        if not arguments.keep:
            undisturbed()
            lab.down()


def _cause(lab: Lab, error: PlaybookFailed) -> str:
    """Which playbook failed, and the message of the step that failed last."""
    steps = [step for stage in lab.playbooks.steps() for step in stage["steps"] if step.get("failed")]
    messages = [step.get("said", "") for step in steps]
    return ": ".join(filter(None, [str(error), *messages[-1:]]))
