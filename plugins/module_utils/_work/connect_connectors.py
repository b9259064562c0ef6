# SPDX-License-Identifier: GPL-3.0-or-later
"""The work of ``connect_connectors``: plan everything, let the workers judge it, then do it, then wait for all of it
together.
"""

from __future__ import annotations

import time
from typing import Any

from .._connect.connectors import Connectors, failures, missing_for, told_tasks
from .._connect.http import Workers
from .._connect.plan import Plan, check_classes
from .._errors import KafkaDrError, TimedOutError, UsageError
from .._values.java_trace import why

# For so long a connector must have been as wanted, since its state is still the old one for a moment after a change.
STEADY = 2.0
PAUSE = 0.5


def connect_connectors(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """Bring connectors to their configuration, state and offsets.

    :param params: the options of ``connect_connectors``.
    :returns: ``changed``, the lists ``created updated deleted moved restarted offsets_set`` of names,
        ``connectors{name: {state, tasks[]}}``, ``diff``.
    :raises KafkaDrError: an input is wrong (nothing was changed), a task failed, or it did not become so in time.
    """
    described = params["connectors"]
    workers = Workers(params, _secrets(described))
    connectors = Connectors(workers)
    names = [connector["name"] for connector in described]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise UsageError(f"Connector {', '.join(twice)} is described twice", expected="each once")
    every = connectors.every()
    plans = [Plan(connector, params["state"], every.get(connector["name"]), connectors) for connector in described]
    secret_keys = _validate(connectors, plans)
    for plan in plans:
        if plan.restart and not plan.update and not params["restart_failed"]:
            _complain(plan.name, plan.found, workers, "Restart it with restart_failed=true once the cause is gone")
    result = _result(plans, secret_keys)
    if workers.warnings():
        result["warnings"] = workers.warnings()
    if check_mode:
        result["connectors"] = {name: _state(every.get(name)) for name in names}
        return result
    for plan in plans:
        _act(connectors, plan, params["restart_failed"])
    # Offsets wait for what is not stopped yet.
    stopping = [plan for plan in plans if plan.reset or plan.alter]
    if stopping:
        _await(connectors, workers, stopping)
    for plan in stopping:
        _set_offsets(connectors, plan)
    seen = _await(connectors, workers, plans)
    result["connectors"] = {name: _state(seen.get(name)) for name in names}
    return result


def _secrets(described: list[dict[str, Any]]) -> list[str]:
    return [
        str(value)
        for connector in described
        for value in (connector.get("config_secrets") or {}).values()
        if value not in (None, "")
    ]


def _validate(connectors: Connectors, plans: list[Plan]) -> dict[str, set[str]]:
    """Let the workers judge each new configuration; the keys that they call secret, by connector."""
    secret_keys: dict[str, set[str]] = {plan.name: set() for plan in plans}
    judged = [plan for plan in plans if plan.create or plan.update]
    if judged:
        check_classes(connectors.plugins(), judged)
        for plan in judged:
            secret_keys[plan.name] = connectors.validate(plan.config)
    return secret_keys


def _result(plans: list[Plan], secret_keys: dict[str, set[str]]) -> dict[str, Any]:
    sides = [(plan, *plan.sides(secret_keys[plan.name])) for plan in plans if plan.changed]
    return {
        "changed": bool(sides),
        "created": [plan.name for plan in plans if plan.create],
        "updated": [plan.name for plan in plans if plan.update],
        "deleted": [plan.name for plan in plans if plan.delete],
        "moved": [plan.name for plan in plans if plan.bring],
        "restarted": [plan.name for plan in plans if plan.restart],
        "offsets_set": [plan.name for plan in plans if plan.reset or plan.alter],
        "diff": {
            "before": {plan.name: before for plan, before, dummy in sides if before},
            "after": {plan.name: after for plan, dummy, after in sides if after},
        },
    }


def _act(connectors: Connectors, plan: Plan, restart_failed: bool) -> None:
    if plan.delete:
        connectors.delete(plan.name)
    elif plan.create:
        connectors.create(plan.name, plan.config, plan.state)
    else:
        if plan.bring and plan.state != "running":
            # Stopped first, so that it never runs with the new settings.
            connectors.bring(plan.name, plan.state)
        if plan.update:
            connectors.configure(plan.name, plan.config)
        if plan.bring and plan.state == "running":
            connectors.bring(plan.name, plan.state)
        if plan.restart and restart_failed:
            connectors.restart_failed(plan.name)


def _set_offsets(connectors: Connectors, plan: Plan) -> None:
    try:
        if plan.reset:
            connectors.reset_offsets(plan.name)
        if plan.alter:
            connectors.alter_offsets(plan.name, plan.alter)
    except TimedOutError as error:
        if not (plan.config or (plan.found or {})["config"]).get("offsets.storage.topic"):
            raise
        raise TimedOutError(
            f"Offsets of connector '{plan.name}' were not set",
            found=error.found,
            remedy="Kafka 4.3.1 never ends the removal of an offset where the connector is exactly-once and has an "
            "offsets.storage.topic of "
            "its own: put it, stopped, without that setting and without producer.override.bootstrap.servers first",
        ) from error


def _await(connectors: Connectors, workers: Workers, plans: list[Plan]) -> dict[str, dict[str, Any]]:
    """Until every connector is as planned, and stays so for a moment where something was done to it."""
    changed = [plan for plan in plans if plan.changed]
    since = None
    while True:
        seen = connectors.every()
        missing = {plan.name: missing_for(seen.get(plan.name), plan.state) for plan in plans}
        missing = {name: text for name, text in missing.items() if text}
        now = time.monotonic()
        if not missing:
            since = since or now
            if not changed or now - since >= STEADY or all(plan.delete for plan in changed):
                return seen
        else:
            since = None
            _look_at_failures(seen, plans, workers, now)
        if now > workers.deadline and missing:
            name, text = next(iter(missing.items()))
            if seen.get(name) and failures(seen[name]):
                _complain(name, seen[name], workers)
            raise TimedOutError(
                f"{len(missing)} of {len(plans)} connectors are not as wanted after {workers.timeout} s",
                expected=f"connector '{name}': {text}",
                found="; ".join(f"{name}: {why}" for name, why in missing.items()),
                remedy="Look at the workers' logs",
            )
        time.sleep(PAUSE)


def _look_at_failures(seen: dict[str, dict[str, Any]], plans: list[Plan], workers: Workers, now: float) -> None:
    """A failure that outlasts a restart's own moment is one; what was failed before is given time to go."""
    for plan in plans:
        status = seen.get(plan.name)
        if status is None or plan.state != "running" or not failures(status):
            plan.failed_since = None
            continue
        plan.failed_since = plan.failed_since or now
        if now - plan.failed_since >= (3 * STEADY if plan.restart or plan.update else STEADY):
            _complain(plan.name, status, workers)


def _complain(
    name: str,
    seen: dict[str, Any] | None,
    workers: Workers,
    remedy: str = "Correct its settings, or what it talks to, then run this again",
) -> None:
    failures_seen = failures(seen) if seen else []
    failed = [{"what": what, "reason": workers.hide(why(trace))} for what, trace in failures_seen]
    raise KafkaDrError(
        f"Connector '{name}' has failed",
        expected="it to run",
        found=f"{failed[0]['what']}: {failed[0]['reason']}",
        remedy=remedy,
        connector=name,
        failures=failed,
    )


def _state(seen: dict[str, Any] | None) -> dict[str, Any]:
    if seen is None:
        return {"state": "ABSENT", "tasks": []}
    return {"state": seen["state"], "tasks": told_tasks(seen)}
