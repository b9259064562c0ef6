# SPDX-License-Identifier: GPL-3.0-or-later
"""``fence_info`` as its module calls it, about topics of orders and the stages' own user."""

from __future__ import annotations

from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work import fence_info as _fence_info

DEFAULTS = {
    "client_secrets": {},
    "timeout": 30,
    "topics": r"orders\..*",
    "known": ["stages"],
    "readers": [],
    "others": True,
    "above": [],
    "super_users": None,
    "allow_everyone": None,
    "accepted": [],
}


def looked(client: dict[str, Any], principals: list[dict[str, Any]], fenced: bool, **more: Any) -> dict[str, Any]:
    return _fence_info.fence_info(
        {**DEFAULTS, "client": client, "principals": principals, "fenced": fenced, **more}, False
    )
