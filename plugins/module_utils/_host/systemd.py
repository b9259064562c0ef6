# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Services as a systemd unit can hold them."""

from __future__ import annotations

from .._safe import file_name, one_line


def units(services: list[dict]) -> list[dict]:
    """The services with names that a unit file can have, and values that are one line and no specifiers.

    :param services: ``service_programs`` of the role ``service``.
    :raises UsageError: a name is none, or a value holds a line break; it would be another setting.
    """
    made = []
    for one in services:
        what = "service %s" % file_name("a service", one.get("name"))
        made.append({key: one_line("%s of %s" % (key, what), value).replace("%", "%%") if isinstance(value, str) else value for key, value in one.items()})
    return made
