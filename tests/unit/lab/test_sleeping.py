# SPDX-License-Identifier: GPL-3.0-or-later
"""A region that was only asleep: where its drill is refused, what sleeps, when it goes on, and how it is judged."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from kafka_dr_lab import cli, inventory, lab, sleeping
from kafka_dr_lab.drill import SOURCE, TARGET
from kafka_dr_lab.errors import LabError
from kafka_dr_lab.journals import Held, Journals
from kafka_dr_lab.landscape import APPLICATIONS_MACHINE, SLEEPER
from kafka_dr_lab.report import Report
from kafka_dr_lab.returning import STRAY

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "lab" / "apps"))
from departures import departures
from journal import PROCESSED, PRODUCED, open_journal

PLACE = ("orders", 0)
LOST, WOKEN, HOME = 10.0, 20.0, 40.0
# What the target holds: copied a, its own b, and s and the stray record, which the salvage wrote.
LOG = [Held(0, "a", False), Held(1, "b", False), Held(2, "s", True), Held(3, STRAY, True)]


@pytest.mark.parametrize("words", [["--scenario", "failover"], ["--scenario", "failback", "--platform", "kubernetes"]])
def test_what_has_no_region_to_wake_is_refused(words, tmp_path, capsys):
    assert cli.main(["--lab", str(tmp_path / "lab"), "drill", *words, "--returns", "asleep"]) == 2
    assert "--returns asleep" in (said := capsys.readouterr().err) and " ".join(words[-2:]) in said
    assert not (tmp_path / "lab").exists()


def written(tmp_path, monkeypatch, **options):
    monkeypatch.setattr(inventory, "kafka_home", lambda: tmp_path)
    made = lab.Lab(tmp_path / "lab")
    made.inventory.write({"history": 1, "rate": 1.0, "records": 1, **options})
    return made


def test_the_application_of_the_region_is_a_producer_only_where_it_falls_asleep(tmp_path, monkeypatch):
    monkeypatch.setattr(inventory, "require_ssh", lambda: None)
    for sleeps, roles in ((True, ["producer"]), (False, ["consumer"])):
        made = written(tmp_path, monkeypatch, machines=True, sleeps=sleeps)
        found = made.inventory.load()["all"]["hosts"][APPLICATIONS_MACHINE]["kafka_dr_applications"]
        assert [one["role"] for one in found] == roles
        assert (found[0]["name"] == SLEEPER) is sleeps
    assert str(made.sleeper_files) == found[0]["directory"]


def test_programs_and_machines_of_the_region_sleep_and_go_on(tmp_path, monkeypatch):
    made = written(tmp_path, monkeypatch)
    made.supervisor.programs.mkdir(parents=True)
    for name, place in (("copier", SOURCE), ("other", TARGET)):
        (made.supervisor.programs / f"{name}.conf").write_text(f"directory={made.directory}/regions/{place}/x\n")
    told = []
    machine = SimpleNamespace(hang=lambda: told.append("hangs"), go_on=lambda: told.append("goes on"))
    monkeypatch.setattr(made.inventory, "machines", lambda: {"m": machine})
    monkeypatch.setattr(made, "signal", lambda number, *names: told.append((number, *names)))
    assert 0 < made.fall_asleep(SOURCE) <= made.wake(SOURCE)
    names = (f"{SOURCE}-kafka", "copier")
    assert told == [(signal.SIGSTOP, *names), "hangs", (signal.SIGCONT, *names), "goes on"]
    told.clear()
    made.fall_asleep(TARGET)
    assert told == [(signal.SIGSTOP, f"{TARGET}-kafka", "other")]


@pytest.fixture
def drill(tmp_path):
    """A drill whose producers' journals are in two directories."""
    produced, further = (
        open_journal(str(tmp_path / name / "producer.sqlite"), PRODUCED) for name in ("home", "machine")
    )
    query = "INSERT INTO produced (id, topic, region, state, sent_at, answered_at) VALUES (?, 'orders', ?, ?, ?, ?)"
    produced.executemany(query, [("a", SOURCE, "acknowledged", 5, 6), ("b", TARGET, "acknowledged", 25, 26)])
    further.executemany(
        query,
        [
            ("s", SOURCE, "acknowledged", 9, WOKEN + 1),
            ("u", SOURCE, "unknown", 9, None),
            ("h", SOURCE, "acknowledged", HOME + 1, HOME + 2),
        ],
    )
    journals = Journals(tmp_path / "home", tmp_path / "machine")
    yield SimpleNamespace(
        journals=journals,
        report=Report("failback", "host", {}),
        lost_at=LOST,
        woken_at=0.0,
        client=lambda region: region,
        say=lambda text: None,
    )
    produced.close()
    further.close()


def named(monkeypatch, answers):
    """The ledger's folded state, look after look; an error is raised."""
    left = iter(answers)

    def look(drill):
        answer = next(left)
        if isinstance(answer, Exception):
            raise answer
        return [answer]

    monkeypatch.setattr(sleeping, "read_ledger", look)
    fold = SimpleNamespace(fold=lambda entries: {"active_region": entries[0]})
    monkeypatch.setattr(sleeping, "collection", lambda name: fold)
    monkeypatch.setattr(sleeping, "POLL_SECONDS", 0.01)


def test_it_goes_on_once_the_target_is_named_and_not_before(drill, monkeypatch):
    looks = [SOURCE, LabError("not read to its end"), SOURCE, TARGET]
    named(monkeypatch, looks)
    awake = sleeping.threading.Event()
    drill.lab = SimpleNamespace(wake=lambda region: awake.set() or WOKEN)
    with sleeping.waking(drill):
        assert awake.wait(10)
    assert drill.woken_at == WOKEN


def test_a_failover_that_names_nobody_is_told(drill, monkeypatch):
    named(monkeypatch, [SOURCE] * 1000)
    with pytest.raises(LabError, match=f"{SOURCE} slept through the failover"), sleeping.waking(drill):
        pass
    with pytest.raises(ZeroDivisionError), sleeping.waking(drill):
        raise ZeroDivisionError


@pytest.fixture
def judged(drill, monkeypatch):
    """Run the check of what was written beside the target; what only the region has, and ``{name: passed}``."""
    drill.woken_at = WOKEN
    entry = {"step": "active_region", "at": "1970-01-01T00:00:40+00:00"}
    monkeypatch.setattr(sleeping, "read_ledger", lambda drill, region: [entry])

    def judge(log):
        monkeypatch.setattr(sleeping, "topic_logs", lambda client, topics: {PLACE: log})
        drill.report = Report("failback", "host", {})
        found = sleeping.check_strays(drill)
        return found, {one["name"] for one in drill.report.data["checks"] if not one["passed"]}

    return judge


def test_what_only_the_region_has_is_what_it_took_until_the_applications_were_home(judged, drill):
    assert judged(LOG) == ({"s", STRAY}, set())
    assert drill.report.data["strays"] == 1
    # Nobody was told what became of u.
    assert judged([*LOG, Held(4, "u", True)])[1] == set()


@pytest.mark.parametrize(
    ("log", "failed"),
    [
        (LOG[:3], {"salvaged_what_only_it_had"}),
        ([*LOG, Held(4, "a", True)], {"salvaged_what_only_it_had"}),
        ([*LOG[:2], Held(2, "s", False), LOG[3]], {"woken_region_copies_nothing"}),
    ],
    ids=["not salvaged", "salvaged though it was copied", "copied after the move"],
)
def test_what_was_not_salvaged_or_was_copied_late_is_found(judged, log, failed):
    assert judged(log)[1] == failed


def test_a_region_that_took_nothing_after_it_woke_up_shows_nothing(judged, drill):
    drill.woken_at = HOME
    assert judged(LOG)[1] == {"written_after_waking"}


def test_two_producers_are_one_truth(drill, tmp_path):
    journals = drill.journals
    assert journals.counts() == {"acknowledged": 4, "unknown": 1} and set(journals.acknowledged()) == {*"absh"}
    assert journals.unanswered(SOURCE) == {"u"} and set(journals.acknowledged(SOURCE)) == {*"ash"}
    assert [sorted(sent) for sent in journals.sent_once()] == [["a", "b"], ["h", "s", "u"]]
    assert [count for _second, count in journals.flow(5, 8)["acknowledged"]] == [0, 1, 0]
    processed = open_journal(str(tmp_path / "home" / "consumer.sqlite"), PROCESSED)
    processed.execute("INSERT INTO processed (id, topic, region, at) VALUES ('h', 'orders', ?, 50.0)", (SOURCE,))
    processed.close()
    assert journals.first_new(SOURCE, WOKEN) == 50.0


def test_ids_of_two_producers_differ():
    assert next(departures(mark="x-")).id == f"x-{next(departures()).id}"
