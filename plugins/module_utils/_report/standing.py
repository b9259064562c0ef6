# SPDX-License-Identifier: GPL-3.0-or-later
"""The report of a standing proof, out of what ``watch_info`` read."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from .._errors import UsageError
from .._watch.health import Trouble, troubles
from .shapes import Report

# What health.py looks for; a JUnit suite has a case of each, so that a trend has no gaps.
KINDS = tuple(
    f"watch-{kind}"
    for kind in ("missing", "empty", "stale", "behind", "differs", "stopped", "gap", "vanished", "leaves-out")
)


def report_of(answer: Mapping[str, Any], mirror: str, most_age: float, most_unproven: float) -> Report:
    """The report.

    :param answer: what the module ``watch_info`` returned.
    :param mirror: the mirror that was asked for.
    :param most_age: seconds that the last round may be old.
    :param most_unproven: seconds that a record may stay without being proven.
    :returns: ``mirror``, ``verdict`` (``proven``, ``partly_proven`` or ``not_proven``), ``watch`` (as
        ``report.watch``; null where no round is known), ``source_cluster``, ``target_cluster`` and ``troubles[]``, each
        with ``kind``, ``severity``, ``found``, ``cause`` and ``remedy``.
    :raises UsageError: this is no answer of that module, or it is of another mirror.
    """
    if "present" not in answer or not isinstance(answer.get("watch"), dict):
        raise UsageError(
            "This is no standing proof",
            expected="what streamsafe.kafka_dr.watch_info returned",
            found=f"keys {', '.join(sorted(answer)[:12]) or 'none'}",
            remedy="Give the variable that the task with watch_info registered",
        )
    watch = answer["watch"] if answer["present"] else None
    _refuse_other(watch, mirror)
    listed = (*troubles(watch, most_age, most_unproven), *_empty(watch, answer.get("topics", ())))
    found = [trouble._asdict() for trouble in listed]
    severities = {trouble["severity"] for trouble in found}
    return {
        "mirror": mirror,
        "verdict": "not_proven" if "error" in severities else "partly_proven" if "warning" in severities else "proven",
        "watch": watch,
        "source_cluster": answer.get("source_cluster", ""),
        "target_cluster": answer.get("target_cluster", ""),
        "troubles": found,
    }


def _refuse_other(watch: Mapping[str, Any] | None, mirror: str) -> None:
    if watch is not None and watch["mirror"] != mirror:
        raise UsageError(
            f"The standing proof is of another mirror than {mirror}",
            expected=f"the watch of {mirror}",
            found=f"that of {watch['mirror']}",
            remedy="Name the same mirror in both tasks",
        )


def _empty(watch: Mapping[str, Any] | None, topics: Collection[str]) -> Iterator[Trouble]:
    """A watch that works and watches nothing."""
    if watch is not None and not topics:
        yield Trouble(
            "watch-empty",
            "error",
            "no topic is watched",
            "The source has none that the mirror copies, or each of them is left out",
            "Compare the mirror's topics with those of the source, and see why they are left out",
        )
