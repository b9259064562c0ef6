# SPDX-License-Identifier: GPL-3.0-or-later
"""One partition of a salvage, from the choice to what was done."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .._proof.pairs import Pair
from . import actions, progress, spans
from .choice import Choice
from .writing import Work


@dataclass
class Part:
    """One partition: what was chosen, what becomes of it, and what was done.

    :ivar write, export, superseded, already: runs of offsets in the source. :ivar torn: of ``export``, see
        :func:`.planning.plan`.
    """

    pair: Pair
    action: str
    choice: Choice
    work: Work
    known: progress.Progress
    write: Any = field(default_factory=lambda: spans.as_runs([]))
    export: Any = field(default_factory=lambda: spans.as_runs([]))
    superseded: Any = field(default_factory=lambda: spans.as_runs([]))
    already: Any = field(default_factory=lambda: spans.as_runs([]))
    torn: Any = field(default_factory=lambda: spans.as_runs([]))
    others: Any = field(default_factory=lambda: spans.as_runs([]))
    exported: int = 0
    written: int = 0
    bytes: int = 0
    reasons: list[str] = field(default_factory=list)

    @property
    def accounted(self) -> tuple[str, Any]:
        """The id of its topic, and runs of the offsets of which it is known what becomes."""
        return self.work.topic_id, spans.joined(self.write, self.export, self.superseded, self.already)

    @property
    def doubts(self) -> list[str]:
        """Why the partition is not wholly salvaged, although everything was done as it had to be."""
        if not len(self.torn):
            return []
        return [
            f"{spans.count(self.torn)} records from offset {spans.bounds(self.torn)[0]} on are exported, of keys of "
            f"which a salvage had replayed earlier records to '{self.work.target_topic}': its applications have "
            "written these keys since, or nobody knows, or the replay has gone past them; see what each key is to have "
            f"there, and give {self.work.topic} the action export, and another place"
        ]

    @property
    def skipped(self) -> int:
        """Records that nothing is done with, as was asked."""
        return spans.count(self.export) if self.action == actions.NONE else 0
