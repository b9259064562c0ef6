# SPDX-License-Identifier: GPL-3.0-or-later
"""For how long a run takes itself for a ledger's owner without looking again."""

from __future__ import annotations

import time

# A look costs a tenth of a second, and a stage changes something every few seconds.
FRESH_SECONDS = 30


def look_is_old(seen_at: float, now: float | None = None) -> bool:
    """Whether a look at the ledger is so old that another run may have begun since; also where the clock was set back.

    :param seen_at, now: seconds since the epoch.
    """
    age = (time.time() if now is None else now) - float(seen_at)
    return not 0 <= age <= FRESH_SECONDS
