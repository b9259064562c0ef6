# SPDX-License-Identifier: GPL-3.0-or-later
"""What is said of the lab after an interruption is what is so."""

from __future__ import annotations

import pytest

from kafka_dr_lab import cli
from kafka_dr_lab.supervisor import Supervisor


@pytest.fixture
def lab(tmp_path, monkeypatch):
    def interrupted(arguments):
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "_run", interrupted)
    monkeypatch.setattr(cli.signal, "signal", lambda *words: None)
    return tmp_path / "lab"


@pytest.mark.parametrize("words", [["drill", "--keep"], ["drill"], ["lose", "europe"]])
def test_a_lab_that_runs_on_is_said_to(lab, capsys, words):
    supervisor = Supervisor(lab / "services")
    supervisor.start()
    try:
        assert cli.main(["--lab", str(lab), *words]) == 130
    finally:
        supervisor.stop()
    said = capsys.readouterr().err
    assert f"the lab in {lab} still runs" in said and f"--lab {lab} down" in said and "stopped" not in said


@pytest.mark.parametrize("words", [["drill", "--keep"], ["drill"]])
def test_a_lab_that_ended_is_said_to_have(lab, capsys, words):
    assert cli.main(["--lab", str(lab), *words]) == 130
    assert capsys.readouterr().err.strip() == "Interrupted; everything that the lab started has been stopped."
