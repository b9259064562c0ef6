# SPDX-License-Identifier: GPL-3.0-or-later
"""The work of the module ``client_quotas``."""

from __future__ import annotations

from typing import Any

from .._kafka.client import KafkaClient
from .._kafka.quotas import ensure_quotas


def client_quotas(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """Ensure the quotas."""
    client = KafkaClient(params["client"], params["client_secrets"], params["timeout"])
    return ensure_quotas(client, params["quotas"], params["state"], check_mode)
