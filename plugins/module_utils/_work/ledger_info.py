# SPDX-License-Identifier: GPL-3.0-or-later
"""The work of the module ``ledger_info``."""

from __future__ import annotations

from typing import Any

from .._kafka.client import KafkaClient
from .._kafka.topics import describe_topics
from .._ledger.ledger import known, read_ledger
from .._ledger.writers import strangers


def ledger_info(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """Read and fold."""
    client = KafkaClient(params["client"], params["client_secrets"], params["timeout"])
    chain = read_ledger(client, params["topic"], params["secret"])
    more: dict[str, Any] = (
        {} if params["writers_allowed"] is None else {"writers": strangers(client, params["writers_allowed"])}
    )
    # A witness begins after the stage that wrote the first entry.
    more["witnessed"] = not chain.entries and bool(describe_topics(client, params["positions_topics"]))
    return dict(
        known(chain, params["secret"]), entries=chain.entries[-params["last"] :] if params["last"] else [], **more
    )
