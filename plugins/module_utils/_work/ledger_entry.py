# SPDX-License-Identifier: GPL-3.0-or-later
"""The work of the module ``ledger_entry``."""

from __future__ import annotations

from typing import Any

from .._errors import UsageError
from .._kafka.client import KafkaClient
from .._ledger.append import append
from .._ledger.fold import NAMING


def ledger_entry(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """Append the entry."""
    moves = params["state"] == "active" or params["step"] == NAMING
    if moves != (params["epoch"] is not None and params["epoch_from"] is not None):
        raise UsageError(
            f"The entry {params['step']} {params['state']} cannot be written",
            expected="epoch and epoch_from where it names the active region or is about to, and nowhere else",
            found=f"epoch {params['epoch']}",
            remedy="Name the active region with the role ledger, tasks_from activate.yml",
        )
    client = KafkaClient(params["client"], params["client_secrets"], params["timeout"])
    entry = {key: params[key] for key in ("run", "stage", "step", "state", "about", "found", "fenced")}
    entry.update(region=params["about"], by=params["client"].get("sasl.username", ""), collection="0.1.0")
    if params["epoch"] is not None:
        entry.update(epoch=params["epoch"], epoch_from=params["epoch_from"])
    return append(
        client, params["topic"], entry, check_mode, params["replication_factor"], params["secret"], params["after"]
    )
