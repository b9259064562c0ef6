# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters from a region's users to the ACLs they need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import positions
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka import acls as flat
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2 import access
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.as_filter import as_filter


@as_filter
def service_acls(
    region: dict[str, Any], mirror: dict[str, Any], *purposes: Any, side: str | None = None, idle: bool = False
) -> list[dict[str, Any]]:
    """ACLs of the region's users of these purposes; with ``idle`` what a mirror needs whose connectors are stopped."""
    acls = []
    if side == "target" and mirror:
        mirror = {**mirror, "positions_topic": mirror.get("positions_topic") or positions.default_topic(region)}
    connect = (
        (region.get("kafka_dr_connect") or {}).get("group") or "connect-cluster"
        if region.get("kafka_dr_mirror_platform") == "connect"
        else None
    )
    for user in region.get("kafka_dr_users") or []:
        if user.get("purpose") in purposes:
            acls += access.service_acls(user["name"], user["purpose"], mirror, side, user.get("acls"), connect, idle)
    return acls


@as_filter
def acls_without(acls: list[dict[str, Any]], kept: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those ACLs, one operation each, that are not among the kept ones."""
    return [flat.as_dict(acl) for acl in sorted(set(flat.flatten(acls)) - set(flat.flatten(kept)))]


FILTERS: dict[str, Callable[..., Any]] = {"service_acls": service_acls, "acls_without": acls_without}
