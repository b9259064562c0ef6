# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters about fences: whom they are for, what they take, what a broker's settings say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import admission
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger import rights as _rights
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages import fence as _fence
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.as_filter import as_filter

FILTERS: dict[str, Callable[..., Any]] = {
    "acls_with_names": as_filter(_fence.with_names),
    "acls_without_names": as_filter(_fence.without_names),
    "acls_of_others": as_filter(_fence.of_others),
    "acls_given_back": as_filter(_fence.given_back),
    "beyond_mirror": as_filter(_fence.beyond_mirror),
    "own_super_users": as_filter(_fence.own_super_users),
    "broker_settings": as_filter(_fence.broker_settings),
    "fence_principals": as_filter(_fence.fence_principals),
    "kafka_settings": as_filter(_fence.kafka_settings),
    "mirror_given_back": as_filter(_fence.mirror_given_back),
    "mirror_rights": as_filter(_fence.mirror_rights),
    "principals_of": as_filter(_fence.users_of),
    "rights_with": as_filter(_rights.rights_with),
    "rights_without": as_filter(_rights.rights_without),
    "taken_told": as_filter(_fence.taken_told),
    "unadmitted": as_filter(admission.unadmitted),
    "unfenced_names": as_filter(_fence.unfenced_names),
}
