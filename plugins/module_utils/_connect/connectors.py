# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests to Kafka Connect about connectors (``ConnectorsResource``, ``ConnectorPluginsResource``)."""

from __future__ import annotations

from typing import Any

from .._errors import UsageError
from .http import Conflict, NotThere, Workers

VERBS = {"running": "resume", "paused": "pause", "stopped": "stop"}
STATES = {"running": "RUNNING", "paused": "PAUSED", "stopped": "STOPPED"}


class Connectors:
    """The connectors of one cluster.

    :param workers: :class:`.http.Workers`.
    """

    def __init__(self, workers: Workers) -> None:
        self.workers = workers

    def every(self) -> dict[str, dict[str, Any]]:
        """``{name: {"config": {…}, "state": "RUNNING", "tasks": [{id, state, worker, trace}], "trace": text or None}}``
        in one request (KIP-465).
        """
        answer = self.workers.call("GET", ("connectors",), query=("expand=info", "expand=status"))
        return {name: _seen(expanded) for name, expanded in answer.items() if expanded.get("info")}

    def offsets(self, name: str) -> list[dict[str, Any]]:
        """``[{partition, offset}]`` as Connect has them now (KIP-875)."""
        return (self.workers.get("connectors", name, "offsets") or {}).get("offsets") or []

    def create(self, name: str, config: dict[str, Any], state: str) -> None:
        """Make it, in this state from the first moment on (KIP-980)."""
        body = {"name": name, "config": config}
        if state != "running":
            body["initial_state"] = STATES[state]
        try:
            self.workers.call("POST", ("connectors",), body)
        except Conflict:
            # An earlier attempt of ours got through after all, though its answer did not.
            self.configure(name, config)

    def configure(self, name: str, config: dict[str, Any]) -> None:
        self.workers.call("PUT", ("connectors", name, "config"), config)

    def bring(self, name: str, state: str) -> None:
        self.workers.call("PUT", ("connectors", name, VERBS[state]))

    def restart_failed(self, name: str) -> None:
        self.workers.call("POST", ("connectors", name, "restart"), query=("includeTasks=true", "onlyFailed=true"))

    def delete(self, name: str) -> None:
        try:
            self.workers.call("DELETE", ("connectors", name))
        except NotThere:
            pass

    def reset_offsets(self, name: str) -> None:
        self.workers.call("DELETE", ("connectors", name, "offsets"))

    def alter_offsets(self, name: str, offsets: Any) -> None:
        self.workers.call("PATCH", ("connectors", name, "offsets"), {"offsets": offsets})

    def plugins(self) -> Any:
        """``{class: version}`` of the connectors that the workers can run."""
        return {plugin["class"]: plugin.get("version") for plugin in self.workers.get("connector-plugins")}

    def validate(self, config: dict[str, Any]) -> Any:
        """Let the workers judge a configuration without using it.

        :returns: names of the settings that they call passwords.
        :raises UsageError: their objections, setting by setting.
        """
        answer = self.workers.call(
            "PUT", ("connector-plugins", config["connector.class"], "config", "validate"), config
        )
        wrong = []
        for setting in answer.get("configs") or []:
            for text in setting["value"].get("errors") or []:
                wrong.append(f"{setting['value']['name']}: {self.workers.hide(text).rstrip('.')}")
        if wrong:
            raise UsageError(
                f"Connector '{config.get('name')}' is not accepted by the workers",
                found="; ".join(sorted(set(wrong))),
                remedy="Correct these settings; nothing was changed",
            )
        return {
            setting["definition"]["name"]
            for setting in answer.get("configs") or []
            if (setting.get("definition") or {}).get("type") == "PASSWORD"
        }


def _seen(expanded: dict[str, Any]) -> dict[str, Any]:
    status = expanded.get("status") or {}
    connector = status.get("connector") or {}
    tasks = [
        {"id": task["id"], "state": task["state"], "worker": task.get("worker_id"), "trace": task.get("trace")}
        for task in status.get("tasks") or []
    ]
    return {
        "config": dict(expanded["info"].get("config") or {}),
        "state": connector.get("state") or "UNASSIGNED",
        "worker": connector.get("worker_id"),
        "trace": connector.get("trace"),
        "tasks": sorted(tasks, key=lambda task: task["id"]),
    }


def failures(seen: dict[str, Any]) -> list[tuple[str, str | None]]:
    """``[(which, trace)]`` of what Connect says has failed."""
    failed = [("the connector itself", seen["trace"])] if seen["state"] == "FAILED" else []
    return failed + [(f"task {task['id']}", task["trace"]) for task in seen["tasks"] if task["state"] == "FAILED"]


def told_tasks(seen: dict[str, Any]) -> list[dict[str, Any]]:
    """Its tasks as the modules return them: without traces, which are told as failures."""
    return [{key: task[key] for key in ("id", "state", "worker")} for task in seen["tasks"]]


def missing_for(seen: dict[str, Any] | None, state: str) -> str:
    """What is still missing for the connector to be as wanted, in words; empty where it is so.

    A connector may rightly have no task: a checkpoint connector has none before it knows a group.
    """
    if state == "absent":
        return "it to be gone" if seen is not None else ""
    if seen is None:
        return "it to be known to the workers"
    wanted = STATES[state]
    if seen["state"] != wanted:
        return f"{wanted}, it is {seen['state']}"
    if state == "stopped":
        return f"{len(seen['tasks'])} tasks to end" if seen["tasks"] else ""
    other = [
        f"task {task['id']} to be {wanted}, it is {task['state']}" for task in seen["tasks"] if task["state"] != wanted
    ]
    return ", ".join(other)
