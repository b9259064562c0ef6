# SPDX-License-Identifier: GPL-3.0-or-later
"""Read stretches of many partitions and digest their records."""

from __future__ import annotations

try:
    import numpy as np
except ImportError:
    pass

from .._digest import batch, record
from .._kafka.client import KafkaClient
from .._kafka.reader import columns, read, stamped_by_broker
from .scan import Scan
from .shapes import Partition, Span


def digest_spans(
    client: KafkaClient, spans: dict[Partition, list[Span]], timestamps: bool = True
) -> tuple[dict[Partition, list[Scan]], bool]:
    """The scans of each partition, and whether any record carried the broker's time of arrival."""
    scans: dict[Partition, list[Scan]] = {}
    appended = False
    depth = max((len(listed) for listed in spans.values()), default=0)
    for turn in range(depth):  # the reader takes each partition once
        ranges = [(*key, *listed[turn]) for key, listed in spans.items() if len(listed) > turn]
        parts: list[list[tuple[np.ndarray, np.ndarray]]] = [[] for dummy in ranges]
        for index, messages in read(client, ranges, timeout=client.timeout):
            offsets, times, keys, values, headers = columns(messages)
            appended = appended or stamped_by_broker(messages[0])
            stamps = np.array(times, np.int64) if timestamps else None
            parts[index].append(
                (np.array(offsets, np.int64), record.digests(batch.contents(keys, values, headers), stamps))
            )
        for (topic, number, low, high), read_parts in zip(ranges, parts, strict=True):
            found = np.concatenate([np.empty(0, np.int64), *(part[0] for part in read_parts)])
            digests = np.concatenate([np.empty(0, np.uint64), *(part[1] for part in read_parts)])
            scans.setdefault((topic, number), []).append(Scan(low, high, found, digests))
    return scans, appended
