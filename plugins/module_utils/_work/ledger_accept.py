# SPDX-License-Identifier: GPL-3.0-or-later
"""The work of the module ``ledger_accept``."""

from __future__ import annotations

from typing import Any

from .._kafka.client import KafkaClient
from .._ledger.accept import accept
from .._values.spans import as_numbers


def ledger_accept(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """Write the decisions."""
    client = KafkaClient(params["client"], params["client_secrets"], params["timeout"])
    entry = {
        "run": params["run"],
        "stage": "ledger",
        "region": "",
        "about": "",
        "by": params["client"].get("sasl.username", ""),
        "collection": "0.1.0",
        "fenced": True,
    }
    return accept(
        client,
        params["topic"],
        {
            "passed": as_numbers(params["pass_over"], "The offsets in pass_over"),
            "kept": as_numbers(params["keep"], "The offsets in keep"),
        },
        entry,
        check_mode,
        params["secret"],
    )
