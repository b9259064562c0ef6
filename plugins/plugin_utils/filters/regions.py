# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters that look up regions, mirrors and applications in the inventory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import applications as _applications
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import (
    copies_to_create as _copies_to_create,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import mirrors as _mirrors
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import regions as _regions
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions import groups as _groups
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions import other_groups as _other_groups
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages import backup_status as _backup_status
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages import restore as _restore
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.as_filter import as_filter

FILTERS: dict[str, Callable[..., Any]] = {
    "application_batches": as_filter(_applications.application_batches),
    "application_files": as_filter(_applications.application_files),
    "application_password": as_filter(_applications.application_password),
    "application_groups": as_filter(_applications.application_groups),
    "applications": as_filter(_applications.applications),
    "backup_status": as_filter(_backup_status.backup_status),
    "client_files": as_filter(_regions.client_files),
    "client_of": as_filter(_regions.client_of),
    "copied_ends": as_filter(_regions.copied_ends),
    "ends": as_filter(_regions.ends),
    "groups_unreadable": as_filter(_groups.unreadable),
    "groups_told": as_filter(_other_groups.told),
    "hosts_with": as_filter(_regions.hosts_with),
    "definition_drift": as_filter(_restore.drift),
    "find_mirror": as_filter(_mirrors.find_mirror),
    "mirror_internal_topics": as_filter(_mirrors.internal_topics),
    "mirror_topics": as_filter(_mirrors.prepared_topics),
    "mirrored_groups": as_filter(_mirrors.groups_pattern),
    "mirror_groups_left_out": as_filter(_mirrors.groups_left_out),
    "mirrored_topics": as_filter(_mirrors.topics_pattern),
    "mirror_rename": as_filter(_mirrors.rename_of),
    "mirror_copy_name": as_filter(_mirrors.copy_of),
    "mirror_copies_to_create": as_filter(_copies_to_create.copies_to_create),
    "mirror_copies": as_filter(_mirrors.target_topics_pattern),
    "mirror_reverse": as_filter(_mirrors.reverse_of),
    "regions_told": as_filter(_regions.with_platforms),
    "secrets_of": as_filter(_regions.secrets_of),
    "described_topics": as_filter(_restore.described),
    "copy_begun": as_filter(_restore.copy_begun),
    "backed_up_again": as_filter(_restore.backed_up_again),
    "not_brought": as_filter(_restore.not_brought),
    "restore_replaced": as_filter(_restore.replaced),
    "positions_claimed": as_filter(_restore.positions_claimed),
    "starts": as_filter(_regions.starts),
    "standing_proof": as_filter(_restore.standing_proof),
    "topics_to_restore": as_filter(_restore.to_restore),
    "topics_before": as_filter(_restore.original),
    "topics_freed": as_filter(_restore.let_go),
    "topics_held": as_filter(_restore.hold),
    "with_records": as_filter(_regions.with_records),
}
