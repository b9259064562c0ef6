# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters that look up regions, mirrors and applications in the inventory."""

from __future__ import annotations

from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import applications as _applications
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import mirrors as _mirrors
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import regions as _regions
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import turning as _turning
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions import other_groups as _other_groups
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages import backup_status as _backup_status
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages import restore as _restore
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.speaking import speaking


class FilterModule:
    """Ansible's entry."""

    def filters(self) -> dict[str, Any]:
        return {
            "application_batches": speaking(_applications.application_batches),
            "application_files": speaking(_applications.application_files),
            "applications": speaking(_applications.applications),
            "backup_status": speaking(_backup_status.backup_status),
            "client_files": speaking(_regions.client_files),
            "client_of": speaking(_regions.client_of),
            "copied_ends": speaking(_regions.copied_ends),
            "ends": speaking(_regions.ends),
            "groups_told": speaking(_other_groups.told),
            "hosts_with": speaking(_regions.hosts_with),
            "definition_drift": speaking(_restore.drift),
            "find_mirror": speaking(_mirrors.find_mirror),
            "mirror_internal_topics": speaking(_mirrors.internal_topics),
            "mirror_topics": speaking(_mirrors.prepared_topics),
            "mirrored_groups": speaking(_mirrors.groups_pattern),
            "mirror_groups_left_out": speaking(_mirrors.groups_left_out),
            "mirrored_topics": speaking(_mirrors.topics_pattern),
            "mirror_rename": speaking(_mirrors.rename_of),
            "mirror_copy_name": speaking(_mirrors.copy_of),
            "mirror_copies": speaking(_mirrors.target_topics_pattern),
            "mirror_reverse": speaking(_mirrors.reverse_of),
            "mirror_turned": speaking(_turning.turned_mirror),
            "mirror_turn_lacks": speaking(_turning.turn_lacks),
            "regions_told": speaking(_regions.with_platforms),
            "secrets_of": speaking(_regions.secrets_of),
            "described_topics": speaking(_restore.described),
            "copy_begun": speaking(_restore.copy_begun),
            "backed_up_again": speaking(_restore.backed_up_again),
            "positions_claimed": speaking(_restore.positions_claimed),
            "starts": speaking(_regions.starts),
            "standing_proof": speaking(_restore.standing_proof),
            "topics_to_restore": speaking(_restore.to_restore),
            "topics_before": speaking(_restore.original),
            "topics_freed": speaking(_restore.let_go),
            "topics_held": speaking(_restore.hold),
            "with_records": speaking(_regions.with_records),
        }
