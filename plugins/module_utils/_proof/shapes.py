# SPDX-License-Identifier: GPL-3.0-or-later
"""Names for what the functions of the proof hand on to each other, and what a side of a comparison answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal, Protocol

from .._digest.shapes import Isolation, OffsetRange, Partition, Progress, Span, TopicSurvey

if TYPE_CHECKING:
    from .._digest.chunks import Chunks
    from .._digest.records import Records

Gap = tuple[int, int, int, int]  # of chunks, or of anything ordered: source low and high, target low and high
SideName = Literal["source", "target"]
# A task for :mod:`.worker`; the report of docs/proof.md; a file of bounds.
Task = dict[str, Any]
Report = dict[str, Any]
Bounds = dict[str, Any]
Counts = dict[str, int]


class Side(Protocol):
    """A live cluster, or a manifest that was saved from one."""

    name: str

    @property
    def live(self) -> bool:
        """Whether it is a cluster, which has more than was frozen, and may change."""

    @property
    def cluster_id(self) -> str:
        """The id that the cluster gives itself."""

    def detailed(self, topic: str) -> bool:
        """Whether it has a topic's records, and not only its chunks."""

    def topics(self, pattern: str) -> list[str]:
        """Names that match as a whole."""

    def survey(self, topics: list[str]) -> dict[str, TopicSurvey]:
        """What it knows of topics; what does not exist is left out."""

    def ends(self, partitions: Iterable[Partition], isolation: Isolation = "read_committed") -> dict[Partition, int]:
        """Last stable offsets, or high watermarks."""

    def starts(self, partitions: Iterable[Partition]) -> dict[Partition, int]:
        """Log starts."""

    def digest(self, ranges: list[OffsetRange], progress: Progress | None = None) -> list[Chunks]:
        """Chunks of each range."""

    def records(
        self,
        topic: str,
        partition: int,
        ranges: list[Span],
        keep: str = "fields",
        isolation: Isolation = "read_committed",
        progress: Progress | None = None,
    ) -> list[Records]:
        """Records of each range of one partition."""

    def scan(
        self, topic: str, partition: int, low: int, high: int, isolation: Isolation = "read_committed"
    ) -> Iterator[Records]:
        """Records of a range in bounded portions."""


class Engine(Protocol):
    """What runs tasks: Spark, or this process."""

    @property
    def parallelism(self) -> int:
        """How many tasks run at once."""

    def map(self, tasks: list[Task], label: str = "", total: int = 0) -> list[dict[str, Any]]:
        """The results of tasks, in any order."""
