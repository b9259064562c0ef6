# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters that look up regions, mirrors and applications in the inventory."""

from __future__ import annotations

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils import _applications, _backup_status, _regions, _restore
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.speaking import speaking


class FilterModule:
    """Ansible's entry."""

    def filters(self):
        return {
            "application_batches": speaking(_applications.application_batches),
            "application_files": speaking(_applications.application_files),
            "applications": speaking(_applications.applications),
            "backup_status": speaking(_backup_status.backup_status),
            "client_files": speaking(_regions.client_files),
            "client_of": speaking(_regions.client_of),
            "copied_ends": speaking(_regions.copied_ends),
            "ends": speaking(_regions.ends),
            "hosts_with": speaking(_regions.hosts_with),
            "definition_drift": speaking(_restore.drift),
            "find_mirror": speaking(_regions.find_mirror),
            "mirror_internal_topics": speaking(_regions.internal_topics),
            "mirror_topics": speaking(_regions.prepared_topics),
            "mirrored_topics": speaking(_regions.topics_pattern),
            "mirror_rename": speaking(_regions.rename_of),
            "mirror_copies": speaking(_regions.target_topics_pattern),
            "mirror_reverse": speaking(_regions.reverse_of),
            "regions_told": speaking(_regions.told),
            "secrets_of": speaking(_regions.secrets_of),
            "described_topics": speaking(_restore.described),
            "copy_begun": speaking(_restore.copy_begun),
            "backed_up_again": speaking(_restore.backed_up_again),
            "positions_claimed": speaking(_restore.positions_claimed),
            "starts": speaking(_regions.starts),
            "standing_proof": speaking(_restore.standing_proof),
            "topics_to_restore": speaking(_restore.to_restore),
            "topics_before": speaking(_restore.original),
            "topics_held": speaking(_restore.hold),
            "with_records": speaking(_regions.with_records),
        }
