# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters about a stage's run in the ledger."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger import copies as _copies
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages import about as _about
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages import continued as _continued
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages import deletable as _deletable
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages import drift as _drift
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages import returned as _returned
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages import seeded as _seeded
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages import side_topics as _side_topics
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages import whole as _whole
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.as_filter import as_filter

FILTERS: dict[str, Callable[..., Any]] = {
    "asked_source": as_filter(_copies.asked_source),
    "brought_back": as_filter(_about.brought_back),
    "copies_shorter": as_filter(_whole.shorter),
    "failback_alike": as_filter(_returned.alike),
    "failback_behind": as_filter(_continued.behind),
    "failback_bounds": as_filter(_returned.bounds),
    "failback_compared": as_filter(_continued.compared),
    "failback_drift": as_filter(_drift.drift),
    "failback_holding": as_filter(_returned.holding),
    "failback_lasting": as_filter(_continued.lasting),
    "failback_moved": as_filter(_continued.moved),
    "failback_only_there": as_filter(_deletable.only_there),
    "failback_plan": as_filter(_returned.plan),
    "failback_rights": as_filter(_returned.rights),
    "failback_side_readers": as_filter(_side_topics.side_topic_readers),
    "failback_standing": as_filter(_continued.standing),
    "failback_unsaved": as_filter(_deletable.unsaved),
    "mirror_copied_anew": as_filter(_seeded.copied_anew),
    "mirror_seeds": as_filter(_seeded.seeded_with),
    "mirror_unseeded": as_filter(_seeded.unseeded),
    "resumes": as_filter(_about.resumes),
    "stage_about": as_filter(_about.about),
    "turned_to": as_filter(_about.turned_to),
}
