# SPDX-License-Identifier: GPL-3.0-or-later
"""Ports that programs are started on one after the other."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from kafka_dr_lab import ports
from kafka_dr_lab.errors import LabError
from kafka_dr_lab.ports import free_ports


def test_no_port_is_given_twice_whoever_seeds_the_shared_generator():
    """A broker's format failed on a controller and a listener of one port, and a stage waited for it in vain."""
    given = []
    for dummy in range(20):
        random.seed(0)
        given += free_ports(3)
    assert len(set(given)) == len(given) == 60


GIVES = "import sys; from kafka_dr_lab.ports import free_ports; print(*free_ports(1), flush=True); sys.stdin.read()"


def test_a_port_another_living_process_was_given_is_given_to_nobody(monkeypatch):
    """An API server found the port taken that another test's lab had been given in the same second."""
    other = subprocess.Popen(
        [sys.executable, "-c", GIVES],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(ports.__file__).parents[1],
    )
    port = int(other.stdout.readline())
    monkeypatch.setattr(ports, "_lasting_ports", lambda: range(port, port + 1))
    monkeypatch.setattr(ports, "ATTEMPTS", 1)
    try:
        with pytest.raises(LabError, match="found 0 in 1 attempts"):
            free_ports(1)
    finally:
        other.communicate(timeout=60)
    assert free_ports(1) == [port]
