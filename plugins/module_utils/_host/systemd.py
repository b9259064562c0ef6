# SPDX-License-Identifier: GPL-3.0-or-later
"""Services as a systemd unit can hold them."""

from __future__ import annotations

from .._values.safe import file_name, one_line


def units(services: list[dict]) -> list[dict]:
    """The services with names that a unit file can have, and values that are one line and no specifiers.

    :param services: ``service_programs`` of the role ``service``.
    :raises UsageError: a name is none, or a value holds a line break; it would be another setting.
    """
    made = []
    for one in services:
        what = f"service {file_name('a service', one.get('name'))}"
        made.append(
            _logging(
                {
                    key: one_line(f"{key} of {what}", value).replace("%", "%%") if isinstance(value, str) else value
                    for key, value in one.items()
                }
            )
        )
    return made


def _logging(unit: dict) -> dict:
    """systemd opens a log as root, through links; where the unit has a user, whose directory it may be in, that user
    opens it.
    """
    if not (unit.get("user") and unit.get("log") and unit.get("command")):
        return unit
    log = unit["log"].replace("\\", "\\\\").replace('"', '\\"').replace("$", "$$")
    return {**unit, "log": "", "command": f'/bin/sh -c \'exec "$$@" >>"$$0" 2>&1\' "{log}" {unit["command"]}'}
