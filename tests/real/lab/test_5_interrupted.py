# SPDX-License-Identifier: GPL-3.0-or-later
"""Ctrl-C in the middle of a drill: a short message, and nothing left running."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from tests.real.lab.playing import ROOT

pytestmark = pytest.mark.full
# The step that has ended when the key is pressed: while brokers start, while the mirror copies, while Spark proves.
MOMENTS = {
    "lab_up": "Start the brokers of the regions",
    "initial_setup": "Start the applications",
    "failover": "Wait until applications work in the target",
}


def steps(directory) -> list[str]:
    try:
        return [json.loads(line)["step"] for line in (directory / "work" / "steps.jsonl").read_text().splitlines()]
    except FileNotFoundError:
        return []


def running(directory) -> list[str]:
    """What runs in, from or for this lab, by working directory, arguments and environment."""
    found = []
    for process in psutil.process_iter():
        try:
            told = [process.cwd(), *process.cmdline(), *process.environ().values()]
        except psutil.Error:
            continue
        if process.pid != os.getpid() and any(str(directory) in one for one in told):
            found.append(" ".join(process.cmdline())[:120] or process.name())
    return found


@pytest.mark.parametrize("moment", MOMENTS)
def test_interrupted(moment, tmp_path):
    directory = tmp_path / "lab"
    short = ("--history", "2000", "--rate", "50", "--live", "2", "--report", str(tmp_path / "report"))
    command = [sys.executable, str(ROOT / "lab" / "main.py"), "--lab", str(directory), "drill", *short]
    with open(tmp_path / "output", "w+") as output:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            end = time.monotonic() + 300
            while MOMENTS[moment] not in steps(directory):
                assert process.poll() is None and time.monotonic() < end, (tmp_path / "output").read_text()
                time.sleep(0.1)
            time.sleep(3)
            assert len(running(directory)) > 2, "nothing was running that could have been left"
            # As a terminal does: to the whole process group.
            os.killpg(process.pid, signal.SIGINT)
            code = process.wait(60)
        finally:
            if process.poll() is None:
                process.kill()
    said = (tmp_path / "output").read_text()
    assert code == 130, said
    assert said.rstrip().splitlines()[-1] == "Interrupted; everything the lab started has been ended.", said
    assert "Traceback" not in said and "KeyboardInterrupt" not in said
    end = time.monotonic() + 10
    while (left := running(directory)) and time.monotonic() < end:
        time.sleep(0.2)
    assert left == []
    assert not (directory / "regions").exists() and not (directory / "inventory").exists()
