# SPDX-License-Identifier: GPL-3.0-or-later
"""The work of the module ``acls``."""

from __future__ import annotations

from typing import Any

from .._errors import UsageError
from .._kafka.acls import ensure_acls
from .._kafka.client import KafkaClient


def acls(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """Ensure the ACLs."""
    client = KafkaClient(params["client"], params["client_secrets"], params["timeout"])
    if params["principals"] and params["state"] != "absent":
        raise UsageError(
            "Principals are named for a state other than absent",
            expected="state: absent with principals",
            found=f"state: {params['state']}",
            remedy="Leave principals out, or set state: absent",
        )
    return ensure_acls(client, params["acls"], params["state"], check_mode, params["principals"])
