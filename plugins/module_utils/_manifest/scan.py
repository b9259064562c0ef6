# SPDX-License-Identifier: GPL-3.0-or-later
"""A lost source's records as its manifest saved them, for the translation of positions."""

from __future__ import annotations

from typing import Any

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

from .._positions.scan import Scan
from .side import ManifestSide


class ManifestRecords:
    """Record digests of a manifest saved with ``--detail records``; a topic or range that it does not hold is None,
    never guessed.

    :param digest: as for :func:`.content.require`.
    :param known_ids: ``{topic: {id}}`` as the position witness saw them: a topic that was re-created since is not what
        the manifest speaks of.
    """

    def __init__(self, path: str, known_ids: dict[str, dict[str, Any]] | None = None, digest: str = "") -> None:
        self.side = ManifestSide({"path": path, "name": "the manifest", "digest": digest})
        self.known_ids = known_ids or {}

    def scan(self, topic: str, partition: int, low: int, high: int, timestamps: bool = True) -> Scan | None:
        """:class:`Scan` of ``[low, high)``, cut to what was saved; None where nothing of it was."""
        known = self.side.content["topics"].get(topic)
        part = known and known["partitions"].get(str(partition))
        if (
            not part
            or known["detail"] != "records"
            or self.known_ids.get(topic, {}).get("id", known["topic_id"]) != known["topic_id"]
        ):
            return None
        low, high = max(low, part["low"]), min(high, part["high"])
        if low >= high:
            return None
        (found,) = self.side.records(topic, partition, [(low, high)])
        return Scan(low, high, found.offset.astype(np.int64), found.digest(timestamps))
