# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether copies still hold what a ledger says that they held once their mirror had stopped. Pure."""

from __future__ import annotations

import re

from .returned import Ends


def shorter(now: Ends, held: Ends, pattern: str = ".*") -> list[str]:
    """Why topics do not hold what they held, in sentences: one was deleted, made again, or lost records at its end.

    :param now: where each partition ends, by topic. :param held: the same of before.
    :param pattern: a regular expression of the topics that are meant still, whole.
    """
    reasons, meant = [], re.compile(pattern)
    for name, partitions in sorted(held.items()):
        if not meant.fullmatch(name):
            continue
        for number, end in sorted(partitions.items(), key=lambda part: int(part[0])):
            found = (now.get(name) or {}).get(number)
            if found is None:
                reasons.append(f"{name}-{number} is not there")
            elif found < end:
                reasons.append(f"{name}-{number} ends at {found}, and had been copied to {end}")
    return reasons
