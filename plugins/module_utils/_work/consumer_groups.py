# SPDX-License-Identifier: GPL-3.0-or-later
"""The work of the module ``consumer_groups``."""

from __future__ import annotations

from typing import Any

from .._kafka.client import KafkaClient
from .._kafka.groups import delete_groups, every_group


def consumer_groups(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """Delete those that exist."""
    client = KafkaClient(params["client"], params["client_secrets"], params["timeout"])
    client.metadata()
    doomed = sorted(set(params["groups"]) & set(every_group(client, params["groups"])))
    deleted = doomed if check_mode or not doomed else delete_groups(client, doomed)
    return {"changed": bool(doomed), "deleted": deleted, "diff": {"before": doomed, "after": []}}
