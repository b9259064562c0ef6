# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Programs kept by supervisord, over its XML-RPC interface on a Unix socket."""

from __future__ import annotations

import os
import time
from xmlrpc.client import Fault, ServerProxy

try:
    from supervisor.xmlrpc import SupervisorTransport
except ImportError:
    pass

from .._errors import KafkaDrError, TimedOutError, UnreachableError

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


def render(name, program):
    """A program's section; values are written as they are, with ``%`` doubled as supervisord expects."""
    lines = ["; Written by streamsafe.kafka_dr.supervisor_program", "[program:%s]" % name]
    for key, value in program.items():
        if value is None:
            continue
        if key == "environment":
            value = ",".join('%s="%s"' % (one, str(value[one]).replace('"', '\\"')) for one in sorted(value))
        text = str(value).lower() if isinstance(value, bool) else str(value)
        lines.append("%s=%s" % (key, text.replace("%", "%%")))
    return "\n".join(lines) + "\n"


def ensure_program(params, check_mode):
    """Make a program described and running, stopped (also after a restart of supervisord), or absent.

    :returns: ``changed``, ``status``, ``pid``, ``diff`` (names of the keys only: an environment may hold secrets).
    """
    path = os.path.join(params["directory"], params["name"] + ".conf")
    before = _read(path)
    if params["state"] == "absent" and before is None:
        return {"changed": False, "status": "ABSENT", "pid": 0, "diff": {"before": "ABSENT\n", "after": "ABSENT\n"}}
    api = server(params["socket"])
    status = _status(api, params["name"])
    described = before
    if params["program"]:
        program = dict({"autorestart": "unexpected", "stopasgroup": True, "killasgroup": True, "startsecs": 1, "startretries": 2}, **params["program"])
        program["autostart"] = params["state"] in ("started", "restarted")
        described = render(params["name"], program)
    elif before is not None:
        autostart = "autostart=true" if params["state"] in ("started", "restarted") else "autostart=false"
        described = "\n".join(autostart if line.startswith("autostart=") else line for line in before.splitlines()) + "\n"
    if params["state"] == "absent":
        described = None
    elif described is None:
        raise KafkaDrError("Program '%s' is not known to supervisord" % params["name"], expected="%s to exist" % path,
                           remedy="Give its description in program")
    wanted = {"started": "RUNNING", "restarted": "RUNNING", "absent": "ABSENT"}.get(params["state"], "STOPPED")
    runs = status["statename"] if status else "ABSENT"
    redescribed = _changed(before, described)
    restart = params["state"] == "restarted" or (redescribed and wanted == "RUNNING" and runs in RUNNING)
    changed = redescribed or described != before or (wanted == "RUNNING") != (runs in RUNNING + ("STARTING",)) or restart
    answer = {"changed": changed, "status": runs, "pid": status["pid"] if status else 0, "diff": {"before": runs + "\n", "after": wanted + "\n"}}
    if check_mode or not changed:
        return answer
    if runs in RUNNING + ("STARTING", "BACKOFF") and (wanted != "RUNNING" or restart):
        _ignoring_state(lambda: api.stopProcess(params["name"], False))
        _await(api, params, ENDED)
    _write(path, described)
    _reload(api, params["name"], described is not None)
    if wanted == "RUNNING":
        if (_status(api, params["name"]) or {}).get("statename") not in RUNNING + ("STARTING",):
            _ignoring_state(lambda: api.startProcess(params["name"], False))
        _await(api, params, RUNNING)
    final = _status(api, params["name"])
    answer.update(status=final["statename"] if final else "ABSENT", pid=final["pid"] if final else 0)
    return answer


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
        os.unlink(path)
        return
    aside = path + ".new"
    with open(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(aside, path)


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


def _reload(api, name, wanted):
    try:
        added, changed, removed = api.reloadConfig()[0]
    except Fault as fault:
        raise KafkaDrError("supervisord does not accept the description of '%s'" % name, found=fault.faultString) from fault
    if name in removed or name in changed:
        _ignoring_state(lambda: api.stopProcess(name, True))
        api.removeProcessGroup(name)
    if wanted and (name in added or name in changed):
        api.addProcessGroup(name)


def _await(api, params, states):
    end = time.monotonic() + params["timeout"]
    while True:
        status = _status(api, params["name"])
        name = status["statename"] if status else "ABSENT"
        if name in states or (status is None and states is ENDED):
            return
        if name in ("FATAL", "EXITED") and states is RUNNING:
            raise KafkaDrError("Program '%s' does not stay up" % params["name"], expected="it to run", found=status["spawnerr"] or name,
                               remedy="Read %s" % (status["stderr_logfile"] or status["stdout_logfile"]))
        if time.monotonic() > end:
            raise TimedOutError("Program '%s' is not %s after %s s" % (params["name"], "/".join(states), params["timeout"]), found=name)
        time.sleep(0.05)
