# SPDX-License-Identifier: GPL-3.0-or-later
"""Programs kept by supervisord, over its XML-RPC interface on a Unix socket."""

from __future__ import annotations

import os
import re
import shlex
import time
from collections.abc import Callable
from functools import partial
from typing import Any
from xmlrpc.client import Fault, ServerProxy

try:
    from supervisor.xmlrpc import SupervisorTransport
except ImportError:
    pass

from .._errors import KafkaDrError, TimedOutError, UnreachableError, UsageError
from .._values.safe import file_name, one_line, shown
from .._values.setting import setting
from .files import FILE_MODE, replace

RUNNING = ("RUNNING",)
ENDED = ("STOPPED", "EXITED", "FATAL")
# What supervisord takes for a comment, within quotes too.
COMMENT = re.compile(r"(^|\s)[;#]")
NO_SUCH_NAME = 10  # supervisor.xmlrpc.Faults.BAD_NAME


def server(socket: str) -> Any:
    """The supervisor's interface at this Unix socket.

    :raises UnreachableError: nobody answers there.
    """
    proxy = ServerProxy("http://127.0.0.1", transport=SupervisorTransport(None, None, "unix://" + socket))
    try:
        proxy.supervisor.getState()
    except (OSError, Fault) as error:
        raise UnreachableError(
            "supervisord does not answer",
            expected=f"a supervisord at {socket}",
            found=str(error),
            remedy="Start it, then run this again",
        ) from error
    return proxy.supervisor


def section(service: dict[str, Any]) -> dict[str, Any]:
    """What supervisord's ``[program:x]`` section holds for a service.

    :param service: ``command``, ``environment_file``, ``directory``, ``user``, ``log``, ``restart``, ``stop_seconds``.
    """
    command = service["command"]
    if service.get("environment_file"):
        # Read by a shell, as systemd's EnvironmentFile would be, so that no secret is in a command line.
        command = f'/bin/sh -c \'set -a; . "$0"; exec "$@"\' {shlex.quote(service["environment_file"])} {command}'
    log = service.get("log") or "AUTO"
    if service.get("user") and service.get("log"):
        # supervisord opens a log as who runs it, such as root, through a link that the user may have put there.
        command, log = f'/bin/sh -c \'exec "$@" >>"$0" 2>&1\' {shlex.quote(log)} {command}', "NONE"
    return {
        "command": command,
        "directory": service.get("directory") or None,
        "user": service.get("user") or None,
        "autorestart": "unexpected" if service.get("restart", True) else "false",
        "stopwaitsecs": service.get("stop_seconds", 20),
        "startsecs": 1,
        "startretries": 2,
        "stopasgroup": True,
        "killasgroup": True,
        "redirect_stderr": True,
        "stdout_logfile": log,
        "stdout_logfile_maxbytes": "50MB",
        "stdout_logfile_backups": 1,
    }


def render(name: str, program: dict[str, Any], autostart: bool, description: str | None = None) -> str:
    """A program's section; values are written as they are, with ``%`` doubled as supervisord expects.

    :raises UsageError: the name is none, or a value is more than one line, which would be another setting or another
        program, or supervisord would cut it off.
    """
    what = f"program {file_name('a program', name)}"
    about = one_line(f"The description of {what}", " ".join((description or name).split()))
    lines = [
        f"; {about}. Written by streamsafe.kafka_dr.supervisor_programs",
        f"[program:{name}]",
        f"autostart={str(autostart).lower()}",
    ]
    for key, value in program.items():
        if value is None:
            continue
        lines.append("%s=%s" % (key, _value(f"{key} of {what}", setting(value))))
    return "\n".join(lines) + "\n"


def _value(what: str, value: str) -> str:
    text = one_line(what, value)
    if COMMENT.search(text):
        raise UsageError(
            f"{what} has ';' or '#' after a blank",
            expected="none: supervisord would leave out the rest as a comment, and knows no way to write it",
            found=shown(text),
            remedy="Write it without the blank, or put the command into a file",
        )
    return text.replace("%", "%%")


class _Program:
    """One program on its way to a state: its current state, and what has to be done."""

    def __init__(self, api: Any, directory: str, service: dict[str, Any], state: str) -> None:
        self.api, self.name, self.state = api, file_name("a program", service["name"]), state
        self.path = os.path.join(directory, self.name + ".conf")
        self.before = _read(self.path)
        self.status = _status(api, self.name) if api is not None else None
        self.runs = self.status["statename"] if self.status else "ABSENT"
        self.wanted = {"started": "RUNNING", "restarted": "RUNNING", "absent": "ABSENT"}.get(state, "STOPPED")
        self.described = self._described(service)
        redescribed = _changed(self.before, self.described)
        self.restart = state == "restarted" or (redescribed and self.wanted == "RUNNING" and self.runs in RUNNING)
        self.changed = (
            redescribed
            or self.described != self.before
            or self.restart
            or (self.wanted == "RUNNING") != (self.runs in RUNNING + ("STARTING",))
        )
        self.ends = (
            self.changed
            and self.runs in RUNNING + ("STARTING", "BACKOFF")
            and (self.wanted != "RUNNING" or self.restart)
        )

    def _described(self, service: dict[str, Any]) -> str | None:
        if self.state == "absent":
            return None
        autostart = self.wanted == "RUNNING"
        if service.get("command"):
            return render(self.name, section(service), autostart, service.get("description"))
        if self.before is None:
            raise KafkaDrError(
                f"Program '{self.name}' is not known to supervisord",
                expected=f"{self.path} to exist",
                remedy="Give its command",
            )
        line = f"autostart={str(autostart).lower()}"
        old_lines = self.before.splitlines()
        return "\n".join(line if old_line.startswith("autostart=") else old_line for old_line in old_lines) + "\n"

    def start(self) -> None:
        if (_status(self.api, self.name) or {}).get("statename") not in RUNNING + ("STARTING",):
            _ignoring_state(lambda: self.api.startProcess(self.name, False))

    def answer(self, final: Any) -> dict[str, Any]:
        return {
            "changed": self.changed,
            "ran": self.runs in RUNNING + ("STARTING",),
            "status": final["statename"] if final else "ABSENT",
            "pid": final["pid"] if final else 0,
        }


def ensure_programs(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """Make programs described and running, stopped (also after a restart of supervisord), or absent; all at the same
    time.

    :param params: ``socket``, ``directory``, ``state``, ``timeout`` (seconds), ``programs[{name, command, …}]``.
    :returns: ``changed``, ``programs{name: {changed, ran, status, pid}}``, ``diff`` (states only: a description may
        hold secrets).
    """
    state = params["state"]
    services = [service for service in params["programs"] if not _is_missed(service, state, params["directory"])]
    if state == "absent" and not any(
        os.path.exists(os.path.join(params["directory"], service["name"] + ".conf")) for service in services
    ):
        return _result([_Program(None, params["directory"], service, state) for service in services], {})
    api = server(params["socket"])
    programs = [_Program(api, params["directory"], service, state) for service in services]
    todo = [program for program in programs if program.changed]
    if check_mode or not todo:
        return _result(programs, {program.name: program.status for program in programs})
    ending = [program for program in todo if program.ends]
    for program in ending:
        _ignoring_state(partial(api.stopProcess, program.name, False))
    _await(api, [program.name for program in ending], ENDED, params["timeout"])
    for program in todo:
        _write(program.path, program.described)
    _reload(api, {program.name: program.described is not None for program in todo})
    if state in ("started", "restarted"):
        for program in todo:
            program.start()
        _await(api, [program.name for program in todo], RUNNING, params["timeout"])
    return _result(programs, {program.name: _status(api, program.name) for program in programs})


def _is_missed(service: dict[str, Any], state: str, directory: str) -> bool:
    """Whether a program that need not be there is not, where it is only to be stopped."""
    path = os.path.join(directory, file_name("a program", service["name"]) + ".conf")
    return bool(service.get("optional")) and state == "stopped" and not os.path.exists(path)


def _result(programs: list[_Program], final: Any) -> dict[str, Any]:
    return {
        "changed": any(program.changed for program in programs),
        "programs": {program.name: program.answer(final.get(program.name)) for program in programs},
        "diff": {
            "before": "".join(f"{program.name} {program.runs}\n" for program in programs),
            "after": "".join(f"{program.name} {program.wanted}\n" for program in programs),
        },
    }


def _changed(before: str | None, after: str | None) -> bool:
    """Whether more than the autostart flag differs."""

    def strip(text: str | None) -> list[str]:
        return [line for line in (text or "").splitlines() if not line.startswith("autostart=")]

    return strip(before) != strip(after)


def _read(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _write(path: str, text: str | None) -> None:
    if text is None:
        if os.path.exists(path):
            os.unlink(path)
        return
    replace(path, text.encode("utf-8"), FILE_MODE)


def _status(api: Any, name: str) -> Any:
    try:
        return api.getProcessInfo(name)
    except Fault as fault:
        if fault.faultCode == NO_SUCH_NAME:
            return None
        raise


def _ignoring_state(call: Callable[[], object]) -> None:
    try:
        call()
    except Fault as fault:
        if fault.faultCode not in (60, 70, NO_SUCH_NAME):  # ALREADY_STARTED, NOT_RUNNING
            raise KafkaDrError("supervisord refuses", found=fault.faultString) from fault


def _reload(api: Any, wanted: dict[str, bool]) -> None:
    """Let supervisord read its descriptions anew, and act on those of ``wanted{name: whether it is to be there}``."""
    try:
        added, changed, removed = api.reloadConfig()[0]
    except Fault as fault:
        raise KafkaDrError(
            f"supervisord does not accept the description of {', '.join(sorted(wanted))}", found=fault.faultString
        ) from fault
    for name, is_wanted in wanted.items():
        if name in removed or name in changed:
            _ignoring_state(partial(api.stopProcess, name, True))
            api.removeProcessGroup(name)
        if is_wanted and (name in added or name in changed):
            api.addProcessGroup(name)


def _await(api: Any, names: list[str], states: tuple[str, ...], timeout: float) -> None:
    end = time.monotonic() + timeout
    left = list(names)
    while left:
        for name in list(left):
            status = _status(api, name)
            found = status["statename"] if status else "ABSENT"
            if found in states or (status is None and states is ENDED):
                left.remove(name)
            elif found in ("FATAL", "EXITED") and states is RUNNING:
                raise KafkaDrError(
                    f"Program '{name}' does not stay up",
                    expected="it to run",
                    found=status["spawnerr"] or found,
                    remedy=f"Read {status['stderr_logfile'] or status['stdout_logfile']}",
                )
        if left and time.monotonic() > end:
            found = (_status(api, left[0]) or {}).get("statename")
            raise TimedOutError(f"Program '{left[0]}' is not {'/'.join(states)} after {timeout} s", found=found)
        time.sleep(0.05)
