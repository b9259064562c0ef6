# SPDX-License-Identifier: GPL-3.0-or-later
"""The work of the module ``watch_accept``."""

from __future__ import annotations

from typing import Any

from .._kafka.client import KafkaClient
from .._watch.accepting import accept


def watch_accept(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """Record who has explained which differences, and why they may stay."""
    client = KafkaClient(params["client"], params["client_secrets"], params["timeout"])
    result = accept(
        client,
        params["mirror"],
        params["state_topic"],
        params["differences"],
        params["by"],
        params["reason"],
        check_mode,
    )
    after = "".join(f"{line}: accepted by {params['by']}\n" for line in result["accepted"]) if result["changed"] else ""
    return {**result, "diff": {"before": "", "after": after}}
