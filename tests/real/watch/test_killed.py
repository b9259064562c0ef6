# SPDX-License-Identifier: GPL-3.0-or-later
"""Killed at any moment and started again, a watch proves what is so, names what was planted, and nothing else."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import threading
import time

import pytest

from tests.real.proof import support

from .watching import Watching

pytestmark = pytest.mark.real

COUNT, KILLS, PORTION = 24000, 4, 400


class Copying:
    """Writes a topic, and its copy a moment later with a fault in it, in a thread."""

    def __init__(self, pair, topic):
        self.pair, self.topic = pair, topic
        self.rows = support.some(COUNT, headers=())
        self.lost = {15000}
        self.thread = threading.Thread(target=self._run, daemon=True)

    def _run(self):
        for at in range(0, COUNT, PORTION):
            rows = self.rows[at : at + PORTION]
            support.write(self.pair["source"], {self.topic: rows})
            copies = [row for number, row in enumerate(rows, at) if number not in self.lost]
            # A mirror that was restarted copies its last records again.
            again = copies[-20:] if at in (4000, 8000) else []
            support.write(self.pair["target"], {self.topic: [*copies, *again]})


def test_kills(pair, tmp_path):
    topic, chance = "w.killed", random.Random(4)
    for cluster in pair.values():
        support.create(cluster, {topic: (1, {})})
    job = support.Job(tmp_path, pair["source"], pair["target"])
    words = ["watch", "--source-config", job.source, "--target-config", job.target, "--topics", topic]
    words += ["--mirror", topic, "--interval", "0.2", "--quiet"]
    copying, reached = Copying(pair, topic), []
    copying.thread.start()
    for dummy in range(KILLS):
        process = subprocess.Popen([sys.executable, str(support.MAIN), *words], env=support.environment())
        time.sleep(1.5 + 3 * chance.random())
        process.send_signal(signal.SIGKILL)
        process.wait()
        state = Watching(pair, topic).state()
        reached.append(state.partitions[topic, 0].through if state else (0, 0))
    assert reached == sorted(reached)
    copying.thread.join(120)
    code, told, errors = job.run([*words, "--once"], timeout=120)
    assert code == 0, told + errors
    watching = Watching(pair, topic)
    state = watching.state()
    part = state.partitions[topic, 0]
    assert [(found.kind, found.source_offset, found.count) for found in state.differences] == [("missing", 15000, 1)]
    assert (part.through[0], part.examined, part.waiting) == (15000, (COUNT, COUNT + 39), 0)
    assert part.duplicates == 40
    watching.check(state)


def test_a_signal_ends_it_between_rounds(pair, tmp_path):
    job = support.Job(tmp_path, pair["source"], pair["target"])
    support.create(pair["source"], {"w.signal": (1, {})})
    words = ["watch", "--source-config", job.source, "--target-config", job.target, "--topics", "w.signal"]
    process = subprocess.Popen(
        [sys.executable, str(support.MAIN), *words, "--mirror", "w.signal", "--interval", "0.2"],
        stdout=subprocess.PIPE,
        text=True,
        env=support.environment(),
    )
    assert process.stdout.readline().startswith("round 1: ")
    process.terminate()
    process.communicate(timeout=60)
    assert process.returncode == 0
