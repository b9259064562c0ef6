# SPDX-License-Identifier: GPL-3.0-or-later
"""Sides of a comparison, and manifests that are saved in this process, without Spark."""

from __future__ import annotations

from typing import Any

from kafka_dr_spark import saving, writer


def side(config: dict[str, Any], name: str) -> dict[str, Any]:
    """A live cluster. :param config: librdkafka's configuration."""
    return {"kind": "kafka", "config": config, "name": name, "timeout": 30, "rate": None}


class Here:
    """Tasks of a manifest, one after the other."""

    parallelism = 1

    def map(self, tasks: list[dict[str, Any]], label: str = "", total: int = 0) -> list[dict[str, Any]]:
        return [writer.run(task, lambda *dummy: None) for task in tasks]


def saved(cluster: dict[str, Any], pattern: str, path: str) -> dict[str, Any]:
    """The manifest of a cluster's topics as a side, once it is saved. :param cluster: its side."""
    saving.prepare(cluster, path, pattern, "records").run(Here())
    return {"kind": "manifest", "path": path, "name": "the manifest", "digest": ""}
