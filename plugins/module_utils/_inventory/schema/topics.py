# SPDX-License-Identifier: GPL-3.0-or-later
"""Topics of the collection's own."""

from __future__ import annotations

from typing import Any

from ..._mm2.access import GUARDED
from ..._values.topic_name import CHARACTERS, LONGEST
from ..kinds import NODE, text


def own_topic(description: str, **more: Any) -> NODE:
    """A topic of the collection's own. Rights are derived from how its name begins: the stages' to write there, and the
    DENY of a mirror of all topics.
    """
    return text(
        description,
        f"^{GUARDED}{CHARACTERS}$",
        f"a name that begins with {GUARDED}, of letters, digits, '.', '_' and '-'",
        maxLength=LONGEST,
        **more,
    )
