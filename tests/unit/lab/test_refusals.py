# SPDX-License-Identifier: GPL-3.0-or-later
"""What the lab refuses to start on: each with what was found and the way out, and nothing started."""

from __future__ import annotations

import collections
import signal
import socket

import pytest

from kafka_dr_lab import cli, inventory, lab
from kafka_dr_lab.ports import HOST

Usage = collections.namedtuple("Usage", "total used free")


@pytest.fixture
def up(tmp_path, monkeypatch, capsys):
    """Runs ``up`` in an empty directory; returns exit code, what was said, and the directory."""
    monkeypatch.setattr(lab, "kafka_home", lambda: tmp_path)
    monkeypatch.setattr(inventory, "kafka_home", lambda: tmp_path)
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}

    def call():
        code = cli.main(["--lab", str(tmp_path / "lab"), "up"])
        return code, capsys.readouterr().err, tmp_path / "lab"

    yield call
    for number, handler in before.items():
        signal.signal(number, handler)


def nothing_left(directory):
    return not directory.exists() or not [path for path in directory.rglob("*") if path.is_file()]


def test_a_disk_that_is_full(up, monkeypatch):
    monkeypatch.setattr(lab.shutil, "disk_usage", lambda path: Usage(10**10, 10**10 - 7 * 10**6, 7 * 10**6))
    code, said, directory = up()
    assert code == 2 and f"The lab needs 3000 MB in {directory}; found 7 MB free" in said and "LAB_DIR=" in said
    assert nothing_left(directory)


def test_a_port_in_use(up, monkeypatch):
    found = inventory.free_ports
    with socket.socket() as one:
        one.bind((HOST, 0))
        one.listen()
        port = one.getsockname()[1]
        monkeypatch.setattr(inventory, "free_ports", lambda count: [port, *found(count - 1)])
        code, said, directory = up()
    assert (
        code == 2
        and f"Port {port}, which north_america's broker is to listen on, is in use" in said
        and "make lab-down" in said
    )
    assert nothing_left(directory)


def test_a_java_that_is_too_old(up, monkeypatch, tmp_path):
    script = tmp_path / "home" / "bin" / "java"
    script.parent.mkdir(parents=True)
    script.write_text("#!/bin/sh\necho 'openjdk version \"11.0.2\" 2019-01-15' >&2\n")
    script.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    code, said, directory = up()
    assert code == 2 and f"needs Java 17 or newer; found Java 11 at {script}" in said and "set JAVA_HOME" in said
    assert nothing_left(directory)


def test_a_region_that_cannot_be_lost(up, tmp_path, capsys):
    """Of a lab that is down, and of one that has no such region."""
    words = ["--lab", str(tmp_path / "lab"), "lose"]
    assert (
        cli.main([*words, "europe"]) == 2
        and f"The lab in {tmp_path / 'lab'} is down: expected it to run" in capsys.readouterr().err
    )
    inventory.Inventory(tmp_path / "lab").write({"history": 1, "rate": 1.0, "records": 1})
    assert cli.main([*words, "south_america"]) == 2
    assert "Region south_america has no cluster in the lab: expected north_america or europe" in capsys.readouterr().err
