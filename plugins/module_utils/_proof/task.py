# SPDX-License-Identifier: GPL-3.0-or-later
"""What the second pass is asked about one partition; it travels to where the data is read."""

from __future__ import annotations

from dataclasses import dataclass

from .._digest.shapes import Span
from .excuses import Head


@dataclass(frozen=True)
class ExamineTask:
    """One partition whose chunks differ.

    :param mode: the source's ``cleanup.policy``.
    :param timestamps: whether timestamps are compared.
    :param source_chunks, target_chunks: as :meth:`.chunks.Chunks.to_bytes` gives them.
    :param source_started: the source's log start.
    :param mirrored_through: source offset below which everything had been copied; None where that is not known.
    :param limit: how many runs of differences are named.
    :param target_bounded: both ends were given. What a manifest does not know below the target's is then foreign, and
        not merely later than the manifest.
    """

    topic: str
    target_topic: str
    partition: int
    mode: str
    timestamps: bool
    source_chunks: tuple[bytes, bytes]
    target_chunks: tuple[bytes, bytes]
    source_range: Span
    target_range: Span
    source_started: int
    head: Head
    mirrored_through: int | None
    limit: int
    target_bounded: bool
