# SPDX-License-Identifier: GPL-3.0-or-later
"""Evidence about one partition, written out by hand."""

from __future__ import annotations

import numpy as np

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.evidence import Evidence
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.outline import Outline
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.scan import Scan


def scan(low, high, records):
    """Records as ``{offset: digest}``."""
    inside = sorted(one for one in records.items() if low <= one[0] < high)
    return Scan(
        low, high, np.array([one[0] for one in inside], np.int64), np.array([one[1] for one in inside], np.uint64)
    )


def settled(pairs, target, records=None, source=None, source_records=None, **more):
    target_scans = [] if records is None else [scan(*target, records)]
    source_scans = []
    if source_records is not None:
        low, high = source or (min(source_records), max(source_records) + 1)
        source_scans = [scan(low, high, source_records)]
    return Evidence(Outline(pairs, target, source, **more), target_scans, source_scans)


def dense(low, high, digest=lambda offset: offset):
    return {offset: digest(offset) for offset in range(low, high)}
