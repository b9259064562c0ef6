# SPDX-License-Identifier: GPL-3.0-or-later
"""What a stage keeps of a mirror's standing proof: ``report.watch`` of its gates, and whether a proof may go by it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def watch_told(result: Mapping[str, Any], described: bool, source_cluster: str = "") -> dict[str, Any]:
    """``report.watch``.

    :param result: of the module ``watch_info``, failed or not. :param described: whether the inventory describes a
        watch of the mirror.
    :param source_cluster: id of the cluster that it has to have read; empty where any will do.
    :returns: ``present`` and what ``watch_info`` says of the state; without one ``present`` (false) and ``reason``.
    """
    reason = ""
    if not described:
        reason = "the inventory describes no watch of the mirror (kafka_dr_watch of its target)"
    elif result.get("failed") or "present" not in result:
        reason = f"its state cannot be read: {result.get('msg') or 'there was no answer'}"
    elif not result["present"]:
        reason = "no watch of the mirror has ever ended a round"
    elif source_cluster and result["source_cluster"] != source_cluster:
        reason = f"it watched cluster {result['source_cluster']}, and not {source_cluster}"
    if reason:
        return {"present": False, "reason": reason}
    kept = {name: result[name] for name in ("source_cluster", "topics")}
    return {"present": True, **kept, **result["watch"]}
