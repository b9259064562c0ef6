# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters about the ledger."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger import (
    as_told,
    elsewhere,
    epochs,
    looking,
    manifests,
    writers,
)
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.as_filter import as_filter

FILTERS: dict[str, Callable[..., Any]] = {
    "ledger_as_told": as_filter(as_told.as_told),
    "ledger_dispute": as_filter(epochs.dispute),
    "ledger_heard": as_filter(epochs.heard),
    "ledger_look_is_old": as_filter(looking.look_is_old),
    "ledger_move_told": as_filter(epochs.told),
    "ledger_set_aside": as_filter(epochs.set_aside),
    "ledger_stories": as_filter(epochs.stories),
    "ledger_truth": as_filter(epochs.truth),
    "ledger_writers": as_filter(writers.expected),
    "ledgers_elsewhere": as_filter(elsewhere.others),
    "manifest_digest": as_filter(manifests.digest_of),
    "moved_elsewhere": as_filter(elsewhere.against),
}
