# SPDX-License-Identifier: GPL-3.0-or-later
"""Translated positions of a probe, held against where its records are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

Row = dict[str, Any]


def probe_positions(plan: Iterable[Mapping[str, Any]], sent: Mapping[str, Mapping[str, Any]]) -> list[Row]:
    """Every answer beside the truth.

    :param plan: rows of ``offset_translate``.
    :param sent: ``{partition: {target_offset}}`` of ``mirror_probe``.
    :returns: ``[{partition, source_offset, target_offset, answer, confidence, reprocess_at_most}]``.
    """
    return [
        {
            "partition": row["partition"],
            "source_offset": row["source_offset"],
            "target_offset": sent[str(row["partition"])]["target_offset"],
            "answer": row["to"],
            "confidence": row["confidence"],
            "reprocess_at_most": row["reprocess_at_most"],
        }
        for row in plan
    ]


def probe_wrong(positions: list[Row], partitions: int) -> list[Any]:
    """Answers that would skip records, or that are not exact where they say so; or that answers are missing.

    :param partitions: how many partitions have a position.
    """
    if len(positions) != partitions:
        return [f"positions for {len(positions)} partitions"]
    return [row for row in positions if _is_wrong(row)]


def _is_wrong(row: Row) -> bool:
    answer, truth = row["answer"], row["target_offset"]
    return answer is None or answer > truth or (row["confidence"].startswith("exact") and answer != truth)
