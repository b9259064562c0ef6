# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs kept by a real supervisord."""

from __future__ import annotations

import contextlib
import os
import pwd
import signal
import stat
import sys
import tempfile
import time
from pathlib import Path

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError, UnreachableError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._host.supervisor import (
    _changed,
    ensure_programs,
    render,
    section,
)
from kafka_dr_lab.supervisor import Supervisor

pytestmark = pytest.mark.slow

SLEEPER = {"command": f"{sys.executable} -c 'import time; time.sleep(600)'"}


def scope(fixture_name, config):
    """One for all tests of the file; under ansible-test one for each, since that runs each in a process that never ends
    what is the file's.
    """
    return "function" if config.pluginmanager.hasplugin("ansible_forked") else "module"


@pytest.fixture(scope=scope)
def supervisord(tmp_path_factory):
    made = Supervisor(tmp_path_factory.mktemp("services"))
    made.start()
    yield made
    made.stop()


@pytest.fixture
def ensure(supervisord, request):
    name = request.node.name[:40]

    def call(state="started", program=None, check_mode=False, name=name):
        told = ensure_programs(
            {
                "socket": supervisord.socket,
                "directory": str(supervisord.programs),
                "programs": [{"name": name, **(program or {})}],
                "state": state,
                "timeout": 60,
            },
            check_mode,
        )
        return {**told.pop("programs")[name], **told}

    yield call
    call("absent")


def test_render_keeps_values_as_they_are():
    text = render("x", {"command": "a 100%", "user": None, "redirect_stderr": True}, True)
    assert text.splitlines()[1:] == ["[program:x]", "autostart=true", "command=a 100%%", "redirect_stderr=true"]


def test_an_environment_file_is_read_by_a_shell():
    assert (
        section({"command": "run x", "environment_file": "/e"})["command"]
        == """/bin/sh -c 'set -a; . "$0"; exec "$@"' /e run x"""
    )


def test_the_autostart_flag_alone_is_no_change_of_the_program():
    assert not _changed("a\nautostart=true\n", "a\nautostart=false\n")
    assert _changed("a\nautostart=true\n", "b\nautostart=true\n") and _changed(None, "a\n")


def test_started_then_the_same_again(ensure, supervisord):
    first = ensure(program=SLEEPER)
    assert first["changed"] and first["status"] == "RUNNING" and first["pid"] > 0
    again = ensure(program=SLEEPER)
    assert not again["changed"] and again["pid"] == first["pid"]


def test_a_percent_sign_reaches_the_program(ensure, tmp_path):
    out = tmp_path / "out"
    ensure(program={"command": f"/bin/sh -c 'echo 100% > {out}; sleep 600'"})
    end = time.monotonic() + 20
    while not out.exists() or not out.read_text():
        assert time.monotonic() < end
        time.sleep(0.05)
    assert out.read_text() == "100%\n"


@pytest.mark.skipif(os.geteuid() != 0, reason="needs a supervisord of root")
def test_a_user_does_not_choose_the_file_that_root_writes_its_log_to(ensure, tmp_path):
    victim, nobody = tmp_path / "victim", pwd.getpwnam("nobody")
    victim.write_text("root's")
    with tempfile.TemporaryDirectory() as place:
        os.chown(place, nobody.pw_uid, nobody.pw_gid)
        log = Path(place, "the log")
        log.symlink_to(victim)
        program = {"command": "/bin/sh -c 'echo written by nobody; exec sleep 600'", "user": "nobody", "log": str(log)}
        with contextlib.suppress(KafkaDrError):
            ensure(program=program)
            await_text(victim, "nobody")
        assert victim.read_text() == "root's"
        log.unlink()
        ensure(program=program)
        await_text(log, "written by nobody")
        assert (log.read_text(), log.stat().st_uid) == ("written by nobody\n", nobody.pw_uid)
        ensure("absent")


def await_text(path, text):
    end = time.monotonic() + 5
    while text not in path.read_text() and time.monotonic() < end:
        time.sleep(0.05)


def test_another_description_restarts_it(ensure):
    first = ensure(program=SLEEPER)
    other = ensure(program=dict(SLEEPER, stop_seconds=3))
    assert other["changed"] and other["pid"] != first["pid"] and other["status"] == "RUNNING"


def test_stopped_stays_stopped_also_in_its_description(ensure, supervisord, request):
    ensure(program=SLEEPER)
    assert ensure("stopped")["status"] == "STOPPED"
    assert not ensure("stopped")["changed"]
    assert "autostart=false" in (supervisord.programs / f"{request.node.name[:40]}.conf").read_text()
    assert ensure("started")["status"] == "RUNNING"


def test_restarted_is_always_a_change(ensure):
    first = ensure(program=SLEEPER)
    again = ensure("restarted", SLEEPER)
    assert again["changed"] and again["pid"] != first["pid"]


def test_check_mode_says_and_does_nothing(ensure, supervisord, request):
    told = ensure(program=SLEEPER, check_mode=True)
    assert told["changed"] and told["diff"] == {
        "before": f"{request.node.name[:40]} ABSENT\n",
        "after": f"{request.node.name[:40]} RUNNING\n",
    }
    assert supervisord.info(request.node.name[:40]) is None and not list(
        supervisord.programs.glob(request.node.name[:40] + "*")
    )


def test_absent_removes_process_and_description(ensure, supervisord, request):
    pid = ensure(program=SLEEPER)["pid"]
    assert ensure("absent")["status"] == "ABSENT" and not ensure("absent")["changed"]
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert not (supervisord.programs / f"{request.node.name[:40]}.conf").exists()


def test_a_program_that_died_is_started_again(ensure):
    first = ensure(program=dict(SLEEPER, restart=False))
    os.kill(first["pid"], signal.SIGKILL)
    end = time.monotonic() + 20
    while True:
        again = ensure(program=dict(SLEEPER, restart=False))
        if again["pid"] not in (0, first["pid"]):
            return
        assert time.monotonic() < end


def test_a_program_that_does_not_stay_up_is_an_error_with_its_log(ensure):
    with pytest.raises(KafkaDrError, match=r"does not stay up.*Read /"):
        ensure(program={"command": "/bin/false"})


def test_a_program_never_described_cannot_be_stopped(ensure):
    with pytest.raises(KafkaDrError, match="is not known to supervisord"):
        ensure("stopped")


def test_descriptions_are_nobody_else_s_to_read(ensure, supervisord, request):
    ensure(program=SLEEPER)
    mode = (supervisord.programs / f"{request.node.name[:40]}.conf").stat().st_mode
    assert stat.S_IMODE(mode) == 0o600


def test_the_diff_holds_no_command(ensure):
    assert "sleep" not in str(ensure(program=SLEEPER)["diff"])


def test_many_are_started_and_stopped_together(supervisord):
    def all_of(state, **program):
        return ensure_programs(
            {
                "socket": supervisord.socket,
                "directory": str(supervisord.programs),
                "state": state,
                "timeout": 60,
                "programs": [{"name": f"many-{number}", **program} for number in range(5)],
            },
            False,
        )

    started = all_of("started", **SLEEPER)
    assert {one["status"] for one in started["programs"].values()} == {"RUNNING"} and len(
        {one["pid"] for one in started["programs"].values()}
    ) == 5
    assert {one["status"] for one in all_of("stopped")["programs"].values()} == {"STOPPED"}
    assert {one["status"] for one in all_of("absent")["programs"].values()} == {"ABSENT"}


def test_no_supervisord_is_unreachable(tmp_path):
    with pytest.raises(UnreachableError, match="supervisord does not answer"):
        ensure_programs(
            {
                "socket": str(tmp_path / "none"),
                "directory": str(tmp_path),
                "programs": [{"name": "x", **SLEEPER}],
                "state": "started",
                "timeout": 1,
            },
            False,
        )
