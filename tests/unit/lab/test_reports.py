# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of a drill's report, how many are kept, and the page over them."""

from __future__ import annotations

import json
import sqlite3

import pytest

from kafka_dr_lab import cli, drill
from kafka_dr_lab.journals import Journals
from kafka_dr_lab.report import Report, prune

NOW = 1795285300.0


@pytest.fixture(autouse=True)
def signals():
    """The command line sets handlers of its own."""
    import signal

    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def report(began=NOW, passed=True):
    made = Report("failover", "host", {"kafka": "4.3.1"})
    made.data.update(began=began, rto_seconds=40.5, rpo={"records": 3, "seconds": 0.1})
    made.check("nothing_skipped", passed, 0, 0 if passed else 7)
    return made


def test_page_and_junit_stand_beside_the_report(tmp_path):
    assert report(passed=False).write(tmp_path) == tmp_path / "report.json"
    assert "FAILED" in (tmp_path / "report.html").read_text()
    assert "expected 0, found 7" in (tmp_path / "junit.xml").read_text()
    assert not (tmp_path / "history").exists()


def test_proofs_and_ledger_outlive_the_lab(tmp_path):
    proof = tmp_path / "lab" / "report.json"
    proof.parent.mkdir()
    proof.write_text(
        json.dumps(
            {
                "verdict": "PROVEN",
                "totals": {"records_source": 5, "records_target": 5},
                "topics": [],
                "source": "a",
                "target": "b",
            }
        )
    )
    made = report()
    made.data["proofs"] = [{"stage": "failover", "verdict": "PROVEN", "report": str(proof)}]
    made.ledger = [{"stage": "failover"}]
    made.write(tmp_path / "out", retain=3)
    proof.unlink()
    for place in (tmp_path / "out", next((tmp_path / "out" / "history").iterdir())):
        told = json.loads((place / "report.json").read_text())["proofs"][0]["report"]
        assert told == "proofs/1-failover.json" and json.loads((place / told).read_text())["verdict"] == "PROVEN"
        assert json.loads((place / "ledger.json").read_text()) == [{"stage": "failover"}]
    assert "holds every one of the 5 records" in (tmp_path / "out" / "report.html").read_text()
    report().write(tmp_path / "out")
    assert not (tmp_path / "out" / "proofs").exists() and not (tmp_path / "out" / "ledger.json").exists(), (
        "those of an earlier drill"
    )


def test_the_last_n_are_kept_and_nothing_else_is_touched(tmp_path):
    mine = tmp_path / "history" / "20200101T000000Z-mine"
    mine.mkdir(parents=True)
    (tmp_path / "history" / "notes").mkdir()
    for number in range(5):
        report(NOW + number).write(tmp_path, retain=3)
    kept = sorted(one.name for one in (tmp_path / "history").iterdir())
    assert kept == [
        "20200101T000000Z-mine",
        "20261121T182142Z-failover",
        "20261121T182143Z-failover",
        "20261121T182144Z-failover",
        "notes",
    ]
    assert prune(tmp_path / "history", 0) == kept[1:4]
    assert prune(tmp_path / "nowhere", 3) == []


def test_history_command(tmp_path, capsys):
    for number in range(3):
        report(NOW + number, passed=number != 1).write(tmp_path, retain=5)
    assert cli.main(["history", "--report", str(tmp_path)]) == 0
    assert f"3 drills: {tmp_path}/history.html" in capsys.readouterr().out
    assert "2 of 3 drills passed" in (tmp_path / "history.html").read_text()


def test_history_of_nothing_says_what_to_do(tmp_path, capsys):
    assert cli.main(["history", "--report", str(tmp_path)]) == 2
    assert "Run a drill first" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--scenario", "restore", "--new-backup", "before", "--rate", "50.0"],
        ["--freeze", "8.0", "--sabotage", "mirror"],
        ["--watch"],
        ["--no-watch"],
    ],
)
def test_command_of_the_report_runs_the_same_drill(words, tmp_path):
    asked = cli.parser().parse_args(["drill", *words, "--report", str(tmp_path), "--keep"])
    said = drill.command(asked).removeprefix("sh lab/bootstrap.sh ").split()
    again = cli.parser().parse_args(said)
    for name in ("scenario", "new_backup", "rate", "freeze", "sabotage", "history", "live", "watch"):
        assert getattr(again, name) == getattr(asked, name)


@pytest.mark.parametrize("word", ["-1", "many"])
def test_retain_is_a_count(word, capsys):
    with pytest.raises(SystemExit):
        cli.parser().parse_args(["drill", "--retain", word])


def test_flow_counts_seconds_also_the_silent_ones(tmp_path):
    produced = [("acknowledged", 10.1), ("acknowledged", 10.9), ("failed", 11.0), ("acknowledged", 12.5)]
    tables = (
        ("producer", "produced (state TEXT, answered_at REAL)", produced),
        ("consumer", "processed (at REAL, dummy TEXT)", [(11.2, "")]),
    )
    for name, table, rows in tables:
        with sqlite3.connect(tmp_path / f"{name}.sqlite") as made:
            made.execute(f"CREATE TABLE {table}")
            made.executemany(f"INSERT INTO {table.split()[0]} VALUES (?, ?)", rows)
    assert Journals(tmp_path).flow(10.0, 13.0) == {
        "acknowledged": [[10, 2], [11, 0], [12, 1]],
        "processed": [[10, 0], [11, 1], [12, 0]],
    }
