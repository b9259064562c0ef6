# SPDX-License-Identifier: GPL-3.0-or-later
"""The work of the module ``topics``."""

from __future__ import annotations

from typing import Any

from .._kafka.client import KafkaClient
from .._kafka.topic_changes import ensure_topics


def topics(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """Ensure the topics."""
    client = KafkaClient(params["client"], params["client_secrets"], params["timeout"])
    return ensure_topics(client, params["topics"], params["state"], check_mode)
