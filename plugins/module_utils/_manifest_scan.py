# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""A lost source's records as its manifest saved them, for the comparison with their copies. The form is described in docs/proof.md."""

from __future__ import annotations

import json
import os

try:
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet
except ImportError:
    pa = None

from ._digest import record
from ._errors import FormatError, NotProvableError, UsageError
from ._mm2.evidence import Scan

FORMAT = 1
COLUMNS = ["first_offset", "runs", "content", "timestamps"]


class ManifestRecords:
    """Record digests of a manifest saved with ``--detail records``; a topic or range that it does not hold is None, never guessed.

    :param known_ids: ``{topic: {id}}`` as the position witness saw them: a topic that was re-created since is not what the manifest speaks of.
    """

    def __init__(self, directory, known_ids=None):
        if pa is None:
            raise UsageError("A manifest cannot be read here", expected="the Python library pyarrow", remedy="Install pyarrow, or leave manifest out")
        self.directory = directory
        self.known_ids = known_ids or {}
        name = os.path.join(directory, "manifest.json")
        try:
            with open(name, encoding="utf-8") as file:
                self.content = json.load(file)
        except OSError as error:
            raise UsageError("The manifest %s cannot be read" % directory, found=error.strerror, remedy="Give the directory of a manifest, or none") from error
        except ValueError as error:
            raise FormatError("%s is not JSON" % name, found=str(error), position=getattr(error, "pos", 0)) from error
        if not isinstance(self.content, dict) or self.content.get("format") != FORMAT:
            raise FormatError("%s is no manifest of this version" % name, expected="format %d" % FORMAT, position=0)

    def scan(self, topic, partition, low, high, timestamps=True):
        """:class:`Scan` of ``[low, high)``, cut to what was saved; None where nothing of it was."""
        known = self.content["topics"].get(topic)
        part = known and known["partitions"].get(str(partition))
        if not part or known["detail"] != "records" or self.known_ids.get(topic, {}).get("id", known["topic_id"]) != known["topic_id"]:
            return None
        low, high = max(low, part["low"]), min(high, part["high"])
        if low >= high:
            return None
        wanted = [
            ("topic", "=", topic), ("partition", "=", partition), ("topic_id", "=", known["topic_id"]), ("first_offset", "<", high), ("last_offset", ">=", low),
        ]
        rows = []
        for file in part["files"]:
            try:
                rows.extend(pyarrow.parquet.read_table(os.path.join(self.directory, file), filters=wanted, columns=COLUMNS).to_pylist())
            except (OSError, pa.ArrowException) as error:
                raise NotProvableError("%s of the manifest %s cannot be read" % (file, self.directory), found=str(error)) from error
        parts = [self._digests(row, low, high, timestamps) for row in sorted(rows, key=lambda row: row["first_offset"])]
        offsets = np.concatenate([one[0] for one in parts]) if parts else np.empty(0, np.int64)
        return Scan(low, high, offsets, np.concatenate([one[1] for one in parts]) if parts else np.empty(0, np.uint64))

    @staticmethod
    def _digests(row, low, high, timestamps):
        runs = np.frombuffer(row["runs"], "<i8").reshape(-1, 2)
        offsets = np.concatenate([np.arange(first, first + count) for first, count in runs])
        inside = (offsets >= low) & (offsets < high)
        times = np.frombuffer(row["timestamps"], "<i8")[inside] if timestamps else None
        return offsets[inside].astype(np.int64), record.digests(np.frombuffer(row["content"], "<u8")[inside], times)
