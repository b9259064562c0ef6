# SPDX-License-Identifier: GPL-3.0-or-later
"""The work of ``connect_connectors_info``."""

from __future__ import annotations

from typing import Any

from .._connect.connectors import Connectors, failures, missing_for, told_tasks
from .._connect.http import Workers
from .._connect.masks import shown
from .._values.java_trace import why


def connect_connectors_info(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """Connectors as they are; reads only. See the module's RETURN for the shape."""
    workers = Workers(params)
    connectors = Connectors(workers)
    root = workers.get()
    every = connectors.every()
    names = params["names"] or sorted(every)
    until = params["until"]
    waiting = [
        f"connector '{name}': {text}"
        for name in names
        if until
        for text in [missing_for(every.get(name), until)]
        if text
    ]
    found = {name: _connector(every[name]) for name in names if name in every}
    if params["offsets"]:
        for name, connector in found.items():
            connector["offsets"] = connectors.offsets(name)
    result = {
        "changed": False,
        "version": root.get("version"),
        "kafka_cluster_id": root.get("kafka_cluster_id"),
        "connectors": found,
        "missing": [name for name in names if name not in every],
        "ready": bool(until) and not waiting,
        "waiting_for": "; ".join(waiting),
    }
    if params["plugins"]:
        result["plugins"] = connectors.plugins()
    if workers.warnings():
        result["warnings"] = workers.warnings()
    return result


def _connector(seen: dict[str, Any]) -> dict[str, Any]:
    return {
        "state": seen["state"],
        "worker": seen["worker"],
        "config": shown(seen["config"]),
        "tasks": told_tasks(seen),
        "failures": [{"what": what, "reason": why(trace)} for what, trace in failures(seen)],
    }
