# SPDX-License-Identifier: GPL-3.0-or-later
"""The event source ``mirror_health``: where it and its rulebooks are, and its first events."""

from __future__ import annotations

import asyncio
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]


SOURCE = ROOT / "extensions" / "eda" / "plugins" / "event_source" / "mirror_health.py"


RULEBOOKS = sorted((ROOT / "extensions" / "eda" / "rulebooks").glob("*.yml"))


def mirror(**changes):
    return {"name": "backup", "source": "a", "target": "b", "target_client": {"bootstrap.servers": "x:1"}, **changes}


def events(source, args, count, looks=None):
    """The first events of a run; ``looks`` replaces what is seen."""
    if looks is not None:
        seen = iter(looks)
        source["main"].__globals__["look"] = lambda *dummy: {
            "state": next(seen),
            "reasons": [],
            "heartbeat_age": 1.0,
            "lag": 0,
        }

    async def collect():
        queue = asyncio.Queue()
        task, found = asyncio.create_task(source["main"](queue, args)), []
        while len(found) < count:
            getter = asyncio.create_task(queue.get())
            await asyncio.wait({task, getter}, timeout=30, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                getter.cancel()
                await task
            found.append(getter.result())
        task.cancel()
        return found

    return asyncio.run(collect())
