# SPDX-License-Identifier: GPL-3.0-or-later
"""The work of the module ``cluster_info``."""

from __future__ import annotations

import time
from typing import Any

from .._errors import KafkaDrError
from .._kafka.client import KafkaClient
from .._kafka.cluster import cluster_state
from .._kafka.groups import describe_groups, every_group, list_groups
from .._kafka.offsets import topic_offsets


def cluster_info(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """Read the state asked for; unreachable is an answer where that is allowed."""
    client = KafkaClient(params["client"], params["client_secrets"], params["timeout"])
    answer = {
        "reachable": True,
        "reason": "",
        "error": "",
        "ready": False,
        "waiting_for": "",
        "topics": {},
        "groups": {},
        "acls": [],
        "acls_bind": True,
        "quotas": [],
        "deletion_held": {},
    }
    try:
        answer.update(cluster_state(client, params["read"], params["topics"], params["groups"]))
        missing = _missing(client, params, answer)
    except KafkaDrError as error:
        if not params["allow_unreachable"] or error.kind not in ("unreachable", "timeout", "authentication"):
            raise
        answer.update(
            reachable=error.kind == "authentication",
            reason=str(error),
            error=error.kind,
            waiting_for=f"{client.name} to answer",
        )
        return answer
    answer.update(ready=not missing, waiting_for="; ".join(missing))
    return answer


def _missing(client: KafkaClient, params: dict[str, Any], answer: dict[str, Any]) -> list[str]:
    missing = []
    named = params["until_groups"] + params["until_empty_groups"]
    if named:
        groups = describe_groups(client, set(named) & set(list_groups(client)), others=True)
        answer["groups"].update(groups)
        # Workers of Connect are no consumer group.
        members = every_group(client, params["until_empty_groups"]) if params["until_empty_groups"] else {}
        idle = [name for name in params["until_groups"] if name not in groups or not groups[name]["members"]]
        busy = [name for name in params["until_empty_groups"] if members.get(name)]
        if idle:
            missing.append(f"members of group {', '.join(idle)}")
        if busy:
            missing.append(f"group {', '.join(busy)} to be empty")
    if params["until_settled"] or params["until_moving"]:
        missing += _movement(client, params, answer)
    absent = [name for name in params["until_topics"] if name not in answer["topics"]]
    if absent:
        missing.append(f"topic {', '.join(absent)}")
    return missing


def _movement(client: KafkaClient, params: dict[str, Any], answer: dict[str, Any]) -> list[str]:
    """Compare the ends with those a second later. Where the subject is an end, a second is what 'now' means."""
    partitions = {name: topic["partitions"] for name, topic in answer["topics"].items()}
    if not partitions and params["until_settled"] and not params["allow_none"]:
        # Kafka shows no topic to whom it does not let describe it: nothing seen is not nothing there.
        return [f"a topic that '{params['topics']}' matches and that this principal may DESCRIBE"]
    before = topic_offsets(client, partitions)
    time.sleep(1)
    after = topic_offsets(client, partitions)
    moved = [
        name
        for name in partitions
        if any(before[name][number]["end"] != bounds["end"] for number, bounds in after[name].items())
    ]
    for name, offsets in after.items():
        answer["topics"][name]["offsets"] = offsets
    if params["until_settled"] and moved:
        return [f"topic {', '.join(moved[:3])} to stand still"]
    if params["until_settled"]:
        waiting = [
            name
            for name, offsets in after.items()
            if any(bounds["stable"] < bounds["end"] for bounds in offsets.values())
        ]
        return [f"an open transaction to end in topic {', '.join(waiting[:3])}"] if waiting else []
    return [] if moved else [f"a new record in one of {len(partitions)} topics"]
