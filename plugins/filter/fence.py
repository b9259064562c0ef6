# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters about fences: whom they are for, what they take, what a broker's settings say."""

from __future__ import annotations

from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages import fence as _fence
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.speaking import speaking


class FilterModule:
    """Ansible's entry."""

    def filters(self) -> dict[str, Any]:
        return {
            "acls_given_back": speaking(_fence.given_back),
            "beyond_mirror": speaking(_fence.beyond_mirror),
            "broker_settings": speaking(_fence.broker_settings),
            "fence_principals": speaking(_fence.fence_principals),
            "kafka_settings": speaking(_fence.kafka_settings),
            "mirror_given_back": speaking(_fence.mirror_given_back),
            "mirror_rights": speaking(_fence.mirror_rights),
            "principals_of": speaking(_fence.users_of),
            "unfenced_names": speaking(_fence.unfenced_names),
        }
