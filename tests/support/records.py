# SPDX-License-Identifier: GPL-3.0-or-later
"""Records as columns, from rows written out by hand."""

from __future__ import annotations

import numpy as np

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._digest import record
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._digest.records import Records


def from_rows(rows: list[tuple]) -> Records:
    """Records of ``[(offset, timestamp, key, value, headers)]``, every column filled."""
    wide = [record.key_digest(row[2]) for row in rows]
    split = [record.fields(*row[2:]) for row in rows]
    return Records(
        offset=[row[0] for row in rows],
        timestamp=[row[1] for row in rows],
        content=np.array([record.content(*row[2:]) for row in rows], np.uint64),
        size=[len(row[2] or b"") + len(row[3] or b"") for row in rows],
        key=np.array([one[0] for one in split], np.uint64),
        value=np.array([one[1] for one in split], np.uint64),
        headers=np.array([one[2] for one in split], np.uint64),
        key_high=np.array([one[0] for one in wide], np.uint64),
        key_low=np.array([one[1] for one in wide], np.uint64),
        tombstone=[row[3] is None for row in rows],
    )
