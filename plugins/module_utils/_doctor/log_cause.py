# SPDX-License-Identifier: GPL-3.0-or-later
"""The form of an entry of the catalogue of log lines."""

from __future__ import annotations

import re
from typing import NamedTuple


class Known(NamedTuple):
    """One entry: what a line looks like, and what it means."""

    name: str
    severity: str
    pattern: re.Pattern[str]
    cause: str
    remedy: str


def known(name: str, severity: str, pattern: str, cause: str, remedy: str) -> Known:
    return Known(name, severity, re.compile(pattern), cause, remedy)
