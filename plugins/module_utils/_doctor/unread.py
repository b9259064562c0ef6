# SPDX-License-Identifier: GPL-3.0-or-later
"""Logs of a mirror's machines that could not be read: what nobody read says neither good nor bad."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .finding import finding

# What the C library says of a file that is not there (ENOENT).
ABSENT = "No such file or directory"


def unread_logs(results: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """``{machine: why its log was not read}``, without machines that do not answer at all.

    :param results: of a loop over machines that reads each one's log with a command: ``item``, and ``rc`` and
        ``stderr``, or ``msg`` alone where the command did not end.
    """
    return {
        result["item"]: str(result.get("stderr") or result.get("msg") or "no reason is given").strip()
        for result in results
        if result.get("rc") != 0 and not result.get("unreachable") and not result.get("skipped")
    }


def log_unread(machine: str, why: str) -> dict[str, str]:
    """A warning; where the log is not there, as before the mirror's first start there, it is news and no more."""
    return finding(
        "log-unread",
        "info" if ABSENT in why else "warning",
        machine,
        why,
        "The mirror's log on this machine was not read: errors in it are in none of these findings",
        "If the mirror has not started on this machine yet, nothing is to be done. Otherwise let the user that tasks "
        "run as read mm2.log in kafka_dr_mirror_directory/<mirror>, and look whether the disk answers",
    )
