# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the nodes of a dedicated MirrorMaker 2 work together; the work of ``mirror_nodes_info``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .._kafka.client import KafkaClient
from .._kafka.groups import workers_of
from .._kafka.mm2_topics import read_task_states
from .._mm2.codec_connect import TaskState
from .._mm2.names import status_topic, workers_group


def mirror_nodes_info(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """The result of ``mirror_nodes_info``; reads only."""
    client = KafkaClient(params["client"], params["client_secrets"], params["timeout"])
    group = workers_group(params["source_alias"])
    state, members = workers_of(client, group)
    tasks = read_task_states(client, params["status_topic"] or status_topic(params["source_alias"])) or []
    waiting = list(_missing(params, group, state, members, tasks))
    return {
        "changed": False,
        "group": group,
        "state": state,
        "members": members,
        "tasks": [{key: task[key] for key in ("connector", "task", "state", "worker")} for task in tasks],
        "ready": not waiting,
        "waiting_for": "; ".join(waiting),
    }


def _missing(
    params: dict[str, Any], group: str, state: str, members: list[str], tasks: list[TaskState]
) -> Iterator[str]:
    if params["until_members"] and len(members) < params["until_members"]:
        yield f"{params['until_members']} nodes in group {group}, found {len(members)}"
    if params["until_new_since"] and not set(members) - set(params["until_new_since"]):
        yield f"the restarted node to join group {group}"
    if params["until_working"]:
        if state != "Stable":
            yield f"group {group} to be stable, it is {state}"
        idle = [
            f"{task['connector']}{'' if task['task'] is None else ' task %s' % task['task']} is {task['state']}"
            for task in tasks
            if task["state"] != "RUNNING"
        ]
        if idle:
            yield f"every task to run: {', '.join(idle[:3])}"
        if not any(task["task"] is not None for task in tasks):
            yield "a first task"
