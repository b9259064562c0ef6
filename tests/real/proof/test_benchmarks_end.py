# SPDX-License-Identifier: GPL-3.0-or-later
"""A benchmark that is terminated while its brokers run leaves none behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import psutil
import pytest

from tests.support.kafka import ROOT

pytestmark = [pytest.mark.real, pytest.mark.full]


def brokers(place) -> list[int]:
    """Brokers that write below a directory."""
    found = []
    for one in psutil.process_iter(["pid", "cmdline"]):
        words = one.info["cmdline"] or []
        if "kafka.Kafka" in words and any(str(place) in word for word in words):
            found.append(one.info["pid"])
    return found


@pytest.mark.parametrize(
    ("name", "number"),
    [
        ("proof", signal.SIGTERM),
        ("offsets", signal.SIGINT),
        ("restore", signal.SIGTERM),
        ("failback", signal.SIGTERM),
        ("watch", signal.SIGHUP),
        ("rto", signal.SIGTERM),
        ("scale", signal.SIGHUP),
    ],
)
def test_no_broker_is_left(tmp_path, name, number):
    place = tmp_path / "temporary"
    place.mkdir()
    with open(tmp_path / "output", "w") as output:
        process = subprocess.Popen(
            [sys.executable, str(ROOT / "tests" / "bench" / f"{name}.py")],
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            start_new_session=True,
            env={**os.environ, "TMPDIR": str(place)},
        )
    try:
        end = time.monotonic() + 180
        while len(brokers(place)) < 2:
            assert process.poll() is None and time.monotonic() < end, (tmp_path / "output").read_text()[-2000:]
            time.sleep(0.2)
        time.sleep(3)
        # To the one process, as a service manager or a timeout does.
        process.send_signal(number)
        process.wait(90)
        end = time.monotonic() + 20
        while (left := brokers(place)) and time.monotonic() < end:
            time.sleep(0.2)
        assert left == []
    finally:
        if process.poll() is None:
            process.kill()
        for pid in brokers(place):
            psutil.Process(pid).kill()
