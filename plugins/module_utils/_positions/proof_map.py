# SPDX-License-Identifier: GPL-3.0-or-later
"""The offset maps of a proof's report, as evidence for translation."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

from .._errors import FormatError, UsageError
from .offset_map import ProofMap

# With any of these found in a partition, a source record may have more than one copy, or its copy be out of order.
SPOILING = ("duplicated", "reordered", "foreign", "altered", "aborted")
# Where records are told apart by content alone, and one side has more of them, equal ones may stand for each other.
UNEVEN = ("missing_head", "missing_tail", "missing", "lost", "beyond")


def read_proof(path: str) -> dict[tuple[str, int], ProofMap]:
    """``{(topic, partition): ProofMap}`` of a ``report.json``. Partitions without a map are left out, and those whose
    map may lead to another record of equal content.

    :raises UsageError: the file cannot be read. :raises FormatError: it is no report.
    """
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
    except OSError as error:
        raise UsageError(
            f"The proof's report {path} cannot be read",
            found=error.strerror,
            remedy="Give the path of a report.json, or none",
        ) from error
    except ValueError as error:
        raise FormatError(
            f"{path} is not a proof's report", expected="JSON", found=str(error), position=getattr(error, "pos", 0)
        ) from error
    maps = {}
    try:
        for topic in report["topics"]:
            for part in topic["partitions"]:
                uneven = not topic["timestamps_compared"] and any(part.get(kind) for kind in UNEVEN)
                if part.get("offset_map") and not uneven:
                    ids = (topic["source_topic_id"], topic["target_topic_id"])
                    maps[(topic["topic"], part["partition"])] = _map(part, ids)
    except (KeyError, TypeError) as error:
        found = f"{type(error).__name__}: {error}"
        raise FormatError(
            f"{path} is not a proof's report", expected="topics, partitions and ranges", found=found, position=0
        ) from error
    return maps


def _map(partition: dict[str, Any], ids: tuple[str, str]) -> ProofMap:
    runs = sorted((run["source_offset"], run["target_offset"], run["count"]) for run in partition["offset_map"])
    rising = all(
        later[0] >= earlier[0] + earlier[2] and later[1] >= earlier[1] + earlier[2] for earlier, later in pairwise(runs)
    )
    clean = rising and not any(partition.get(kind) for kind in SPOILING)
    # A proof that went by a watch has a map of the newest part alone.
    partial = "offset map of a proof" if "proven_before" in partition else ""
    return ProofMap(runs, tuple(partition["source_range"]), tuple(partition["target_range"]), clean, ids, partial)
