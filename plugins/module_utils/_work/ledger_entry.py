# SPDX-License-Identifier: GPL-3.0-or-later
"""The work of the module ``ledger_entry``."""

from __future__ import annotations

from typing import Any

from .._kafka.client import KafkaClient
from .._ledger.append import append


def ledger_entry(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """Append the entry."""
    client = KafkaClient(params["client"], params["client_secrets"], params["timeout"])
    entry = {key: params[key] for key in ("run", "stage", "step", "state", "about", "found", "fenced")}
    entry.update(region=params["about"], by=params["client"].get("sasl.username", ""), collection="0.1.0")
    return append(
        client, params["topic"], entry, check_mode, params["replication_factor"], params["secret"], params["after"]
    )
