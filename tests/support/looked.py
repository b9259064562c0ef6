# SPDX-License-Identifier: GPL-3.0-or-later
"""What a salvage plans for one partition, of which source and target are rows in memory."""

from __future__ import annotations

from types import SimpleNamespace

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._salvage import planning, repeats
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._salvage.writing import Work
from tests.support.records import from_rows


class Side:
    """Rows are (offset, timestamp, key, value, headers)."""

    name = "memory"
    pace = SimpleNamespace(take=lambda size: None)

    def __init__(self, rows, start=0):
        self.rows, self.start = rows, start
        self.client = SimpleNamespace(timeout=1, side=self)

    def between(self, low, high):
        return [row for row in self.rows if low <= row[0] < high]

    def scan(self, topic, partition, low, high):
        rows = self.between(low, high)
        if rows:
            yield from_rows(rows)


def reading(monkeypatch, *modules):
    """Let modules read records from the rows of a :class:`Side`."""

    def read(client, ranges, **more):
        return iter(
            [(ranges[0][:2], [row for part in ranges for row in client.side.between(*part[2:])])] if ranges else []
        )

    for module in modules:
        monkeypatch.setattr(module, "read", read)
        monkeypatch.setattr(module, "columns", lambda rows: tuple(map(list, zip(*rows, strict=True))) or ([],) * 5)


def looking(monkeypatch):
    """A function that plans for a source's rows and a target's; what is empty in a plan is left out."""

    def list_offsets(client, places, what="end", **more):
        side = client.side
        return dict.fromkeys(places, side.start if what == "start" else side.rows[-1][0] + 1 if side.rows else 0)

    reading(monkeypatch, planning, repeats)
    monkeypatch.setattr(planning, "list_offsets", list_offsets)

    def look(source, target, wanted, start=0, limit=1 << 20, action="replay", **more):
        known = {
            "work": Work("north", "t", "S", 0, action, "t", "T", limit, wanted),
            "copy": "t",
            "older": [],
            "written": [],
            "following": 0,
            "compacted": True,
            "since": 100,
            "own": [],
            "others": [],
            "timestamps": True,
            "deletions_kept": True,
            "expires_before": 0,
        }
        found = planning.plan(Side(source), Side(target, start), planning.Look(**{**known, **more}), lambda *args: None)
        return {name: runs for name, runs in found.items() if runs}

    return look
