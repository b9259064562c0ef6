# SPDX-License-Identifier: GPL-3.0-or-later
"""A program that is terminated takes with it what it started, in sessions of their own too."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from tests.support.kafka import ROOT

PROGRAM = """\
import subprocess, sys, time
from tests.support.ending import end_with_children
end_with_children()
child = subprocess.Popen(["sh", "-c", "sleep 600 & wait"], start_new_session=True)
time.sleep(0.3)
try:
    print(child.pid, flush=True)
    time.sleep(600)
finally:
    print("cleaned up", flush=True)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_it_cleans_up_and_leaves_nothing(number):
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    child = psutil.Process(int(process.stdout.readline()))
    family = [child, *child.children(recursive=True)]
    assert len(family) > 1
    process.send_signal(number)
    assert process.wait(30) == 128 + number and process.stdout.read() == "cleaned up\n"
    end = time.monotonic() + 10
    while [one for one in family if one.is_running() and one.status() != psutil.STATUS_ZOMBIE]:
        assert time.monotonic() < end, "something outlived it"
        time.sleep(0.05)
