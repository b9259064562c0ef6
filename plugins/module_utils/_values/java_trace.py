# SPDX-License-Identifier: GPL-3.0-or-later
"""Java traces of connectors and tasks, as Kafka Connect tells them."""

from __future__ import annotations

from .redact import text as without_secrets

CAUSED_BY = ", caused by "


def why(trace: str | None, most: int = 500) -> str:
    """What a trace says, in a line without secrets: its first line, and the last cause where there is one.

    :param most: characters. Where both are longer, the cause stands alone, since a task's first line often names no
        more than what was not done (``WorkerSourceTask``).
    """
    lines = without_secrets(trace or "no trace").strip().splitlines() or ["no trace"]
    causes = [line.split("Caused by: ", 1)[1] for line in lines if line.startswith("Caused by: ")]
    first, cause = lines[0].strip(), causes[-1].strip() if causes else ""
    both = f"{first}{CAUSED_BY}{cause}" if cause and cause not in first else first
    return both if len(both) <= most else (cause or first)[:most]
