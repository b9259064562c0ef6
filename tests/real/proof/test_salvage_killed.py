# SPDX-License-Identifier: GPL-3.0-or-later
"""Killed at any moment and run again, a salvage writes no record twice and leaves none out."""

from __future__ import annotations

import concurrent.futures
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from . import support
from .salvaging import HEADER, Salvaging, fields, held

COUNT, PARTITIONS, COPIED = 120000, 3, 15000


def written(cluster, topic):
    """How many records the salvage has committed there."""
    return sum(1 for rows in held(cluster, topic, PARTITIONS).values() for row in rows if HEADER in dict(row[4]))


def killed(words, moment, whole_group):
    """Start the job and kill it at a moment; its exit code where it ended before."""
    process = subprocess.Popen(
        [sys.executable, str(support.MAIN), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=support.environment(),
        start_new_session=True,
    )
    try:
        told, dummy = process.communicate(timeout=moment)
    except subprocess.TimeoutExpired:
        # Without their driver, executors may go on writing for a moment, beside the next run.
        (os.killpg if whole_group else os.kill)(process.pid, signal.SIGKILL)
        process.communicate()
        return None, ""
    return process.returncode, told


def exactly_once(pair, directory, name, disturb):
    """What a salvage leaves after it was disturbed, and run again until it ends; what ``disturb`` returns."""
    rows = [row.but(partition=at % PARTITIONS) for at, row in enumerate(support.some(COUNT, headers=()))]
    for cluster, count in ((pair["source"], COUNT), (pair["target"], COPIED)):
        support.create(cluster, {name: (PARTITIONS, {})})
        support.write(cluster, {name: rows[:count]})
    salvaging = Salvaging(support.Job(directory, pair["source"], pair["target"]))
    end = {str(number): COPIED // PARTITIONS for number in range(PARTITIONS)}
    replay = [{"topics": ".*", "action": "replay"}]
    words = salvaging.words(name, {"target": {name: end}}, replay, more=["--master", "local[2]"])
    told_of = disturb(words)
    until = time.monotonic() + 300
    while True:
        code, told = killed(words, 200, False)
        if code == 0:
            break
        # The workers of a killed run may take over once more.
        assert time.monotonic() < until, told
    found = held(pair["target"], name, PARTITIONS)
    first = COPIED // PARTITIONS
    for number in range(PARTITIONS):
        assert [row[1:4] for row in found[number]] == [row[:3] for row in fields(rows[number::PARTITIONS])]
        origins = [dict(row[4]).get(HEADER) for row in found[number]][first:]
        assert origins == [f"north/{name}-{number}@{offset}".encode() for offset in range(first, COUNT // PARTITIONS)]
    return told_of


def kills(pair, name, count, begin):
    """Kill as many runs, each later than the one before; how many of them had written something, and not all."""
    chance = random.Random(count)

    def disturb(words):
        partly = 0
        for number in range(count):
            code, told = killed(words, begin + number + chance.random() * 8, number % 2)
            assert code in (None, 0), told
            partly += 0 < written(pair["target"], name) < COUNT - COPIED
        return partly

    return disturb


@pytest.mark.real
def test_killed_and_run_again_every_record_is_there_once(pair, tmp_path):
    exactly_once(pair, tmp_path, "killed.twice", kills(pair, "killed.twice", 2, 6))


@pytest.mark.full
def test_killed_many_times_every_record_is_there_once(pair, tmp_path):
    assert exactly_once(pair, tmp_path, "killed.often", kills(pair, "killed.often", 14, 5)), "no kill met the writing"


@pytest.mark.full
def test_two_runs_at_once_write_every_record_once(pair, tmp_path):
    def disturb(words):
        with concurrent.futures.ThreadPoolExecutor() as pool:
            return [one.result() for one in [pool.submit(killed, words, 200, False) for dummy in range(2)]]

    codes = [code for code, dummy in exactly_once(pair, tmp_path, "killed.both", disturb)]
    assert set(codes) <= {0, 2}
