# SPDX-License-Identifier: GPL-3.0-or-later
"""Stretches of a log as they were read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]


class Scan(NamedTuple):
    """Every committed record in ``[low, high)`` of a log: offsets (int64, rising) and digests (uint64)."""

    low: int
    high: int
    offsets: np.ndarray
    digests: np.ndarray

    def between(self, low: int, high: int) -> tuple[np.ndarray, np.ndarray]:
        """``(offsets, digests)`` within ``[low, high)``."""
        begin, end = np.searchsorted(self.offsets, [low, high])
        return self.offsets[begin:end], self.digests[begin:end]


def covering(scans: Sequence[Scan], low: int, high: int) -> Scan | None:
    """The first scan that covers ``[low, high)``."""
    return next((scan for scan in scans if scan.low <= low and scan.high >= high), None)


def differing_from(scan: Scan) -> int:
    """The lowest offset of the scan from which on no digest comes twice."""
    digests = scan.digests
    order = np.argsort(digests, kind="stable")
    twins = np.flatnonzero(digests[order][1:] == digests[order][:-1])
    return int(scan.offsets[order[twins].max()]) + 1 if len(twins) else scan.low
