# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines of a log of MirrorMaker 2 or Kafka Connect, turned into cause and remedy."""

from __future__ import annotations

import re
from typing import Any

from .._values.redact import text as without_secrets
from .log_catalogue import CATALOGUE

SAMPLE = 300
# What begins later in a line is not looked at: names in it are chosen by others, and some patterns take the square of a
# long line.
LONGEST = 2000
# Lines that only tell how it goes, or that a mirror writes also when all is well.
ONLY_SEVERAL = {"rebalances": 6, "leader-missing": 5, "unknown-topic": 3, "timed-out": 3, "fenced": 3}
# Logged at level INFO, where all else is no fault.
FOUND_AT_INFO = {"overtaken", "recreated-topic", "rebalances"}
CALM = re.compile(r"\b(INFO|DEBUG|TRACE)\b")
# Frames of a stack, and settings as they are printed at every start.
CONTINUATION = re.compile(r"^\s+at |^\s*\.\.\. \d+ more|^\s+[a-z][\w.-]+ = ")


def log_findings(text: str, several: dict[str, Any] | None = None) -> list[dict[str, Any]]:
    """What a log says, one finding per cause, the worst first.

    :param text: the log, or its last part.
    :param several: ``{name: lines}``, how many lines of a cause that is normal for moments make a finding.
    :returns: ``[{"cause_id", "severity", "count", "first_line", "last_line" (numbers from 1), "sample", "cause",
        "remedy"}]``. ``sample`` is the first such line, cut to 300 characters, without secrets.
    """
    least = {**ONLY_SEVERAL, **(several or {})}
    found: dict[str, dict[str, Any]] = {}
    for at, whole in enumerate(text.splitlines(), 1):
        line = whole[:LONGEST]
        if CONTINUATION.match(line):
            continue
        known = next((entry for entry in CATALOGUE if entry.pattern.search(line)), None)
        if known is None or (CALM.search(line) and known.name not in FOUND_AT_INFO):
            continue
        finding = found.setdefault(
            known.name,
            {
                "cause_id": known.name,
                "severity": known.severity,
                "count": 0,
                "first_line": at,
                "last_line": at,
                "sample": without_secrets(line.strip())[:SAMPLE],
                "cause": known.cause,
                "remedy": known.remedy,
            },
        )
        finding["count"] += 1
        finding["last_line"] = at
    if any(name != "tls-handshake" and name.startswith(("tls-", "truststore")) for name in found):
        found.pop("tls-handshake", None)  # what it says too, with less
    if "task-failed" in found:
        least["timed-out"] = 1  # once was enough
    kept = [finding for name, finding in found.items() if finding["count"] >= least.get(name, 1)]
    order = [known.name for known in CATALOGUE]
    return sorted(kept, key=lambda finding: (finding["severity"] != "error", order.index(finding["cause_id"])))
