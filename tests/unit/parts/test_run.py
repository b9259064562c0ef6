# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of ``make test``: all that is to be run is in one, and what failed is said with where the time went."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.parts import run, timed
from tests.parts.parts import ROOT, Part, parts_of

BUSY = "import time\nend = time.process_time() + 1\nwhile time.process_time() < end: pass"


@pytest.fixture
def ran(tmp_path, monkeypatch):
    """Run parts; returns their results and whatever was printed."""
    monkeypatch.setattr(run, "OUTPUT", tmp_path)

    def go(*parts):
        everything = run.Run(list(parts))
        everything.to_the_end()
        return everything.results

    return go


def python(name, text, after=()):
    return Part(name, (sys.executable, "-c", text), after)


def test_a_part_that_fails_stops_no_other_and_its_whole_output_is_shown(ran, capsys):
    shown = "".join(f"print('line {number}')\n" for number in range(100))
    results = ran(python("bad", f"{shown}raise SystemExit(3)"), python("good", shown))
    assert {name: result["code"] for name, result in results.items()} == {"bad": 3, "good": 0}
    output = capsys.readouterr().out
    assert output.count("line 0\n") == 1 and output.count("line 99\n") == 2
    assert "bad: FAILED" in output and "good: passed" in output
    assert "FAILED (3)" in run.table(results, 1)


def test_why_a_part_failed_is_its_end_or_where_its_interpreter_died(ran, tmp_path):
    many = "".join(f"print('line {number}')\n" for number in range(100))
    dies = f"import faulthandler, os, sys\nfaulthandler.enable()\n{many}sys.stdout.flush()\nos.abort()"
    results = ran(python("dead", dies), python("bad", f"{many}raise SystemExit(3)"))
    dead = run.why(tmp_path / "dead.log", int(results["dead"]["code"]))
    assert results["dead"]["code"] == 134 and dead[3:5] == ["line 99", "Fatal Python error: Aborted"], dead
    short = run.in_short(tmp_path / "dead.log", int(results["dead"]["code"]))
    assert short[4] == "Fatal Python error: Aborted" and '<string>", line 104' in short[-1] and len(short) < 20, short
    assert run.why(tmp_path / "bad.log", 3)[-2:] == ["line 98", "line 99"]
    assert run.in_short(tmp_path / "bad.log", 3)[-1] == "line 99" and not run.in_short(tmp_path / "bad.log", 0)


def test_below_the_table_stands_which_test_and_which_check_failed(tmp_path):
    log = tmp_path / "part.log"
    tail = "".join(f"line {number}\n" for number in range(50))
    log.write_text(
        f"FAILED tests/real/test_a.py::test_b - AssertionError\n    ✘ nothing_lost: expected 0, found 3\n{tail}"
    )
    assert run.in_short(log, 1) == [
        "FAILED tests/real/test_a.py::test_b - AssertionError",
        "✘ nothing_lost: expected 0, found 3",
    ]


def test_a_part_begins_after_those_it_needs(ran, tmp_path):
    results = ran(
        python("second", f"open({str(tmp_path / 'made')!r})", ("first",)),
        python("first", f"import time; time.sleep(1); open({str(tmp_path / 'made')!r}, 'w')"),
    )
    assert [result["code"] for result in results.values()] == [0, 0]


def test_the_time_of_a_program_that_outlives_its_parent_counts(tmp_path):
    script, child, pid = tmp_path / "parent.py", tmp_path / "child.py", tmp_path / "pid"
    child.write_text(f"import os\n{BUSY}\nopen({str(pid)!r}, 'w').write(str(os.getpid()))")
    between = f"import subprocess; subprocess.Popen([{sys.executable!r}, {str(child)!r}], start_new_session=True)"
    script.write_text(
        f"import os, subprocess, time\n"
        f"subprocess.run([{sys.executable!r}, '-c', {between!r}])\n"
        f"while not os.path.exists({str(pid)!r}) or not open({str(pid)!r}).read(): time.sleep(0.05)\n"
        f"while os.path.exists('/proc/' + open({str(pid)!r}).read()): time.sleep(0.05)\n"
    )
    report = tmp_path / "report.json"
    done = subprocess.run([sys.executable, timed.__file__, report, sys.executable, script], check=False, timeout=120)
    measured = json.loads(report.read_text())
    assert done.returncode == measured["code"] == 0
    assert measured["cpu"] >= 1


def test_an_exit_code_and_a_signal_are_passed_on(tmp_path):
    for text, code in (("raise SystemExit(5)", 5), ("import os; os.kill(os.getpid(), 9)", 137)):
        command = [sys.executable, timed.__file__, tmp_path / "report.json", sys.executable, "-c", text]
        assert subprocess.run(command, check=False, timeout=60).returncode == code


@pytest.mark.parametrize("which", ["test", "full"])
def test_every_directory_of_real_tests_is_a_part(which):
    """Those that have none but long tests are parts of the long command alone."""
    run_by = {word for part in parts_of(which, []) for word in part.command if word.startswith("tests/real/")}
    # Of a directory in two parts, each file is in one of them.
    files = [word for part in parts_of(which, []) for word in part.command if word.startswith("tests/real/hosts/")]
    assert sorted(files) == sorted(str(path.relative_to(ROOT)) for path in ROOT.glob("tests/real/hosts/test_*.py"))
    run_by = run_by - set(files) | {"tests/real/hosts"}
    long = {"tests/real/eda", "tests/real/failback"} if which == "test" else set()
    there = {str(path.parent.relative_to(ROOT)) for path in ROOT.glob("tests/real/*/test_*.py")}
    assert run_by == there - long


def test_names_are_parts_and_those_left_out_are_not_waited_for():
    (part,) = parts_of("test", ["ledger"])
    assert part.after == ()
    with pytest.raises(SystemExit, match="No part nope: expected archive"):
        parts_of("test", ["nope"])


def test_no_two_parts_share_a_name_or_a_lab():
    parts = parts_of("full", [])
    labs = [part.command[part.command.index("--lab") + 1] for part in parts if "--lab" in part.command]
    assert len({part.name for part in parts}) == len(parts)
    assert len(set(labs)) == len(labs) > 5
