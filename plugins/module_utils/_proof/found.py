# SPDX-License-Identifier: GPL-3.0-or-later
"""What a comparison of one partition found: counts of each kind of difference, and runs of them."""

from __future__ import annotations

from typing import Any

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

COUNTS = (
    "missing_head",
    "missing_tail",
    "missing",
    "lost",
    "duplicated",
    "reordered",
    "altered",
    "foreign",
    "aborted",
    "beyond",
)


def no_differences() -> dict[str, Any]:
    """The result of a partition in which no difference was named, as :func:`.examine.examine` gives it."""
    return {
        "counts": dict.fromkeys(COUNTS, 0),
        "excused_head": 0,
        "young_beyond": 0,
        "differences": [],
        "difference_runs": 0,
        "reasons": [],
        "unnamed": False,
        "offset_map": [],
    }


class Found:
    """Counts and runs of differences; ``add`` takes arrays (or None) of offsets and timestamps."""

    def __init__(self) -> None:
        self.counts = dict.fromkeys(COUNTS, 0)
        self.runs: list[dict[str, Any]] = []
        self.head_timestamps = np.empty(0, np.int64)
        # Of what the target has from before the source's log start.
        self.older_timestamps = np.empty(0, np.int64)

    def add(
        self,
        kind: str,
        source: np.ndarray | None = None,
        target: np.ndarray | None = None,
        timestamp: np.ndarray | None = None,
        fields: np.ndarray | None = None,
    ) -> None:
        """Count records of one kind and keep them as runs."""
        length = len(source if source is not None else target if target is not None else ())
        if not length:
            return
        self.counts[kind] += length
        none = np.full(length, -1, np.int64)
        source = none if source is None else np.asarray(source, np.int64)
        target = none if target is None else np.asarray(target, np.int64)
        order = np.argsort(np.where(source >= 0, source, target), kind="stable")
        source, target = source[order], target[order]
        timestamp = np.asarray(timestamp, np.int64)[order]
        fields = np.full(length, "") if fields is None else np.asarray(fields)[order]
        fresh = np.concatenate([[True], fields[1:] != fields[:-1]])
        for side in (source, target):
            fresh[1:] |= np.where(side[:-1] < 0, False, side[1:] != side[:-1] + 1)
        starts = np.flatnonzero(fresh)
        counts = np.diff(np.append(starts, length))
        for at, count in zip(starts.tolist(), counts.tolist(), strict=True):
            self.add_run(kind, source[at], target[at], timestamp[at], count, fields[at] or None)

    def add_run(
        self,
        kind: str,
        source: int | None,
        target: int | None,
        timestamp: int | None,
        count: int,
        field: str | None = None,
    ) -> None:
        """One run of differences, not counted."""
        self.runs.append(
            {
                "kind": kind,
                "source_offset": None if source is None or source < 0 else int(source),
                "target_offset": None if target is None or target < 0 else int(target),
                "timestamp": None if timestamp is None else int(timestamp),
                "field": None if field is None else str(field),
                "count": int(count),
            }
        )

    def differences(self, limit: int) -> list[dict[str, Any]]:
        """The first ``limit`` runs, by offset."""
        place = [
            (run["source_offset"] if run["source_offset"] is not None else run["target_offset"], number)
            for number, run in enumerate(self.runs)
        ]
        return [self.runs[number] for dummy, number in sorted(place)[:limit]]
