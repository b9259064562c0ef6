# SPDX-License-Identifier: GPL-3.0-or-later
"""Services as a systemd unit can hold them."""

from __future__ import annotations

from .._errors import UsageError
from .._values.safe import file_name, one_line, shown


def units(services: list[dict]) -> list[dict]:
    """The services with names that a unit file can have, and values that are one line and no specifiers.

    :param services: ``service_programs`` of the role ``service``.
    :raises UsageError: a name is none, a value holds a line break, or ends with a backslash: it would be another
        setting, or take the next one away.
    """
    described = []
    for service in services:
        what = f"service {file_name('a service', service.get('name'))}"
        unit = {
            key: _value(f"{key} of {what}", value) if isinstance(value, str) else value
            for key, value in service.items()
        }
        if unit.get("directory"):
            unit["writes"] = _quoted(unit["directory"])
        described.append(_logging(unit))
    return described


def _value(what: str, value: str) -> str:
    text = one_line(what, value)
    if text.endswith("\\"):
        raise UsageError(
            f"{what} ends with a backslash",
            expected="another end: systemd would read the next line as part of it",
            found=shown(text),
            remedy="Write it without",
        )
    return text.replace("%", "%%")


def _logging(unit: dict) -> dict:
    """systemd opens a log as root, through links; where the unit has a user, whose directory it may be in, that user
    opens it.
    """
    if not (unit.get("user") and unit.get("log") and unit.get("command")):
        return unit
    log = _quoted(unit["log"]).replace("$", "$$")
    return {**unit, "log": "", "command": f'/bin/sh -c \'exec "$$@" >>"$$0" 2>&1\' {log} {unit["command"]}'}


def _quoted(text: str) -> str:
    """One word, where systemd splits a value at its blanks."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
