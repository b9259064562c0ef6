# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters that look up regions, mirrors and applications in the inventory."""

from __future__ import annotations

import functools

from ansible.errors import AnsibleFilterError

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils import _applications, _backup_status, _regions, _restore
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError


def _speaking(function):
    @functools.wraps(function)
    def call(*words, **named):
        try:
            return function(*words, **named)
        except KafkaDrError as error:
            raise AnsibleFilterError(str(error)) from error

    return call


class FilterModule:
    """Ansible's entry."""

    def filters(self):
        return {
            "application_batches": _speaking(_applications.application_batches),
            "application_files": _speaking(_applications.application_files),
            "applications": _speaking(_applications.applications),
            "backup_status": _speaking(_backup_status.backup_status),
            "client_files": _speaking(_regions.client_files),
            "client_of": _speaking(_regions.client_of),
            "copied_ends": _speaking(_regions.copied_ends),
            "ends": _speaking(_regions.ends),
            "hosts_with": _speaking(_regions.hosts_with),
            "definition_drift": _speaking(_restore.drift),
            "find_mirror": _speaking(_regions.find_mirror),
            "mirror_internal_topics": _speaking(_regions.internal_topics),
            "mirror_topics": _speaking(_regions.prepared_topics),
            "mirrored_topics": _speaking(_regions.topics_pattern),
            "mirror_copies": _speaking(_regions.target_topics_pattern),
            "mirror_reverse": _speaking(_regions.reverse_of),
            "secrets_of": _speaking(_regions.secrets_of),
            "kept_topics": _speaking(_restore.kept_topics),
            "standing_proof": _speaking(_restore.standing_proof),
            "topics_to_restore": _speaking(_restore.to_restore),
            "topics_before": _speaking(_restore.original),
            "topics_held": _speaking(_restore.hold),
            "with_records": _speaking(_regions.with_records),
        }
