# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters about the watch of a mirror."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import watching
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s import watch
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages import watched
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import program
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.as_filter import as_filter


def watch_program(names: list[str] | None = None) -> dict[str, str]:
    """The program's files, of these names alone where some are given."""
    files = program.watch_program()
    return {name: text for name, text in files.items() if not names or name in names}


FILTERS: dict[str, Callable[..., Any]] = {
    "has_watch": as_filter(watching.has_watch),
    "watch_files": as_filter(watching.watch_files),
    "watch_manifests": as_filter(watch.watch_manifests),
    "watch_node": as_filter(watching.watch_node),
    "watch_told": as_filter(watched.watch_told),
    "watch_topics": as_filter(watching.watch_topics),
    "watch_program": as_filter(watch_program),
    "watch_words": as_filter(watching.watch_words),
}
