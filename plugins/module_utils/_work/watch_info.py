# SPDX-License-Identifier: GPL-3.0-or-later
"""The work of the module ``watch_info``."""

from __future__ import annotations

from typing import Any

from .._kafka.client import KafkaClient
from .._watch.state import read_state
from .._watch.summary import summarise


def watch_info(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """Read the state of one mirror's watch and sum it up; ``present`` is false only where the cluster says so."""
    client = KafkaClient(params["client"], params["client_secrets"], params["timeout"])
    state = read_state(client, params["mirror"], params["state_topic"])
    if state is None:
        return {"changed": False, "present": False, "watch": {}}
    return {
        "changed": False,
        "present": True,
        "source_cluster": state.source_cluster,
        "target_cluster": state.target_cluster,
        "topics": sorted({topic for topic, dummy in state.partitions} - set(state.not_watched)),
        "watch": summarise(state),
    }
