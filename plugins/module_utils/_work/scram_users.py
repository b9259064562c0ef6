# SPDX-License-Identifier: GPL-3.0-or-later
"""The work of the module ``scram_users``."""

from __future__ import annotations

from typing import Any

from .._inventory.authentication import SCRAM, users_of_type
from .._kafka.client import KafkaClient
from .._kafka.users import ensure_users


def scram_users(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """Ensure the users, but for those that authenticate by something else than a password."""
    client = KafkaClient(params["client"], params["client_secrets"], params["timeout"])
    return ensure_users(client, users_of_type(params["users"], SCRAM), params["state"], check_mode)
