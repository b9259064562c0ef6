# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Programs kept by supervisord, over its XML-RPC interface on a Unix socket."""

from __future__ import annotations

import os
import shlex
import time
from xmlrpc.client import Fault, ServerProxy

try:
    from supervisor.xmlrpc import SupervisorTransport
except ImportError:
    pass

from .._errors import KafkaDrError, TimedOutError, UnreachableError
from .._safe import file_name, one_line
from .._setting import setting
from .files import FILE_MODE, replace

RUNNING = ("RUNNING",)
ENDED = ("STOPPED", "EXITED", "FATAL")
NO_SUCH_NAME = 10  # supervisor.xmlrpc.Faults.BAD_NAME


def server(socket):
    """The supervisor's interface at this Unix socket.

    :raises UnreachableError: nobody answers there.
    """
    proxy = ServerProxy("http://127.0.0.1", transport=SupervisorTransport(None, None, "unix://" + socket))
    try:
        proxy.supervisor.getState()
    except (OSError, Fault) as error:
        raise UnreachableError("supervisord does not answer", expected="a supervisord at %s" % socket, found=str(error),
                               remedy="Start it, then run this again") from error
    return proxy.supervisor


def section(service):
    """What supervisord's ``[program:x]`` section holds for a service.

    :param service: ``command``, ``environment_file``, ``directory``, ``user``, ``log``, ``restart``, ``stop_seconds``.
    """
    command = service["command"]
    if service.get("environment_file"):
        # Read by a shell, as systemd's EnvironmentFile would be, so that no secret is in a command line.
        command = "/bin/sh -c 'set -a; . \"$0\"; exec \"$@\"' %s %s" % (shlex.quote(service["environment_file"]), command)
    return {
        "command": command, "directory": service.get("directory") or None, "user": service.get("user") or None,
        "autorestart": "unexpected" if service.get("restart", True) else "false", "stopwaitsecs": service.get("stop_seconds", 20),
        "startsecs": 1, "startretries": 2, "stopasgroup": True, "killasgroup": True, "redirect_stderr": True,
        "stdout_logfile": service.get("log") or "AUTO", "stdout_logfile_maxbytes": "50MB", "stdout_logfile_backups": 1,
    }


def render(name, program, autostart, description=None):
    """A program's section; values are written as they are, with ``%`` doubled as supervisord expects.

    :raises UsageError: the name is none, or a value is more than one line: it would be another setting, or another program.
    """
    what = "program %s" % file_name("a program", name)
    about = one_line("The description of %s" % what, " ".join((description or name).split()))
    lines = ["; %s. Written by streamsafe.kafka_dr.supervisor_programs" % about, "[program:%s]" % name, "autostart=%s" % str(autostart).lower()]
    for key, value in program.items():
        if value is None:
            continue
        lines.append("%s=%s" % (key, one_line("%s of %s" % (key, what), setting(value)).replace("%", "%%")))
    return "\n".join(lines) + "\n"


class _Program:
    """One program on its way to a state: what is so, and what has to be done."""

    def __init__(self, api, directory, service, state):
        self.api, self.name, self.state = api, file_name("a program", service["name"]), state
        self.path = os.path.join(directory, self.name + ".conf")
        self.before = _read(self.path)
        self.status = _status(api, self.name) if api is not None else None
        self.runs = self.status["statename"] if self.status else "ABSENT"
        self.wanted = {"started": "RUNNING", "restarted": "RUNNING", "absent": "ABSENT"}.get(state, "STOPPED")
        self.described = self._described(service)
        redescribed = _changed(self.before, self.described)
        self.restart = state == "restarted" or (redescribed and self.wanted == "RUNNING" and self.runs in RUNNING)
        self.changed = (redescribed or self.described != self.before or self.restart
                        or (self.wanted == "RUNNING") != (self.runs in RUNNING + ("STARTING",)))
        self.ends = self.changed and self.runs in RUNNING + ("STARTING", "BACKOFF") and (self.wanted != "RUNNING" or self.restart)

    def _described(self, service):
        if self.state == "absent":
            return None
        autostart = self.wanted == "RUNNING"
        if service.get("command"):
            return render(self.name, section(service), autostart, service.get("description"))
        if self.before is None:
            raise KafkaDrError("Program '%s' is not known to supervisord" % self.name, expected="%s to exist" % self.path,
                               remedy="Give its command")
        line = "autostart=%s" % str(autostart).lower()
        return "\n".join(line if one.startswith("autostart=") else one for one in self.before.splitlines()) + "\n"

    def start(self):
        if (_status(self.api, self.name) or {}).get("statename") not in RUNNING + ("STARTING",):
            _ignoring_state(lambda: self.api.startProcess(self.name, False))

    def answer(self, final):
        return {"changed": self.changed, "ran": self.runs in RUNNING + ("STARTING",), "status": final["statename"] if final else "ABSENT",
                "pid": final["pid"] if final else 0}


def ensure_programs(params, check_mode):
    """Make programs described and running, stopped (also after a restart of supervisord), or absent; all at the same time.

    :param params: ``socket``, ``directory``, ``state``, ``timeout`` (seconds), ``programs[{name, command, …}]``.
    :returns: ``changed``, ``programs{name: {changed, ran, status, pid}}``, ``diff`` (states only: a description may hold secrets).
    """
    state = params["state"]
    services = params["programs"]
    if state == "absent" and not any(os.path.exists(os.path.join(params["directory"], one["name"] + ".conf")) for one in services):
        return _told([_Program(None, params["directory"], one, state) for one in services], {})
    api = server(params["socket"])
    programs = [_Program(api, params["directory"], one, state) for one in services]
    todo = [one for one in programs if one.changed]
    if check_mode or not todo:
        return _told(programs, {one.name: one.status for one in programs})
    ending = [one for one in todo if one.ends]
    for one in ending:
        _ignoring_state(lambda name=one.name: api.stopProcess(name, False))
    _await(api, [one.name for one in ending], ENDED, params["timeout"])
    for one in todo:
        _write(one.path, one.described)
    _reload(api, {one.name: one.described is not None for one in todo})
    if state in ("started", "restarted"):
        for one in todo:
            one.start()
        _await(api, [one.name for one in todo], RUNNING, params["timeout"])
    return _told(programs, {one.name: _status(api, one.name) for one in programs})


def _told(programs, final):
    return {
        "changed": any(one.changed for one in programs),
        "programs": {one.name: one.answer(final.get(one.name)) for one in programs},
        "diff": {"before": "".join("%s %s\n" % (one.name, one.runs) for one in programs),
                 "after": "".join("%s %s\n" % (one.name, one.wanted) for one in programs)},
    }


def _changed(before, after):
    """Whether more than the autostart flag differs."""
    def strip(text):
        return [line for line in (text or "").splitlines() if not line.startswith("autostart=")]
    return strip(before) != strip(after)


def _read(path):
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _write(path, text):
    if text is None:
        if os.path.exists(path):
            os.unlink(path)
        return
    replace(path, text.encode("utf-8"), FILE_MODE)


def _status(api, name):
    try:
        return api.getProcessInfo(name)
    except Fault as fault:
        if fault.faultCode == NO_SUCH_NAME:
            return None
        raise


def _ignoring_state(call):
    try:
        call()
    except Fault as fault:
        if fault.faultCode not in (60, 70, NO_SUCH_NAME):  # ALREADY_STARTED, NOT_RUNNING
            raise KafkaDrError("supervisord refuses", found=fault.faultString) from fault


def _reload(api, wanted):
    """Let supervisord read its descriptions anew, and act on those of ``wanted{name: whether it is to be there}``."""
    try:
        added, changed, removed = api.reloadConfig()[0]
    except Fault as fault:
        raise KafkaDrError("supervisord does not accept the description of %s" % ", ".join(sorted(wanted)), found=fault.faultString) from fault
    for name, there in wanted.items():
        if name in removed or name in changed:
            _ignoring_state(lambda name=name: api.stopProcess(name, True))
            api.removeProcessGroup(name)
        if there and (name in added or name in changed):
            api.addProcessGroup(name)


def _await(api, names, states, timeout):
    end = time.monotonic() + timeout
    left = list(names)
    while left:
        for name in list(left):
            status = _status(api, name)
            found = status["statename"] if status else "ABSENT"
            if found in states or (status is None and states is ENDED):
                left.remove(name)
            elif found in ("FATAL", "EXITED") and states is RUNNING:
                raise KafkaDrError("Program '%s' does not stay up" % name, expected="it to run", found=status["spawnerr"] or found,
                                   remedy="Read %s" % (status["stderr_logfile"] or status["stdout_logfile"]))
        if left and time.monotonic() > end:
            found = (_status(api, left[0]) or {}).get("statename")
            raise TimedOutError("Program '%s' is not %s after %s s" % (left[0], "/".join(states), timeout), found=found)
        time.sleep(0.05)
