# SPDX-License-Identifier: GPL-3.0-or-later
"""What a ``KafkaMirrorMaker2`` resource says about itself, and how its connectors are paused and stopped.

Source: Strimzi's ``KafkaMirrorMaker2Status`` (``conditions``, ``observedGeneration``, ``connectors`` as Connect's REST
status answers).
"""

from __future__ import annotations

from typing import Any

from .._errors import UsageError
from .._values.java_trace import why
from .mirror_resource import CONNECTOR_FIELDS, STATES

PAUSED_RECONCILIATION = "strimzi.io/pause-reconciliation"


def state_patch(resource: dict[str, Any], state: str) -> list[dict[str, Any]]:
    """JSON patch (RFC 6902) that puts every connector of the resource into this state.

    It tests the ``generation`` that was read, so that a change of the spec made meanwhile is a conflict and no mixture.
    The ``resourceVersion`` would be too much: the operator writes the status every few seconds. Empty where the
    resource says so already. Send it through the API version that the resource was read with.

    :param state: ``running``, ``paused`` or ``stopped``.
    """
    if state not in STATES:
        raise UsageError(f"A mirror cannot be put into state '{state}'", expected=", ".join(STATES))
    changes = []
    for at, mirror in enumerate(resource["spec"].get("mirrors") or []):
        for field in CONNECTOR_FIELDS.values():
            connector = mirror.get(field)
            if connector is None:
                continue
            if connector.get("state", "running") != state:
                changes.append({"op": "add", "path": f"/spec/mirrors/{at}/{field}/state", "value": state})
            if connector.get("pause"):
                # The older field contradicts the newer one, and which wins depends on the operator's version.
                changes.append({"op": "remove", "path": f"/spec/mirrors/{at}/{field}/pause"})
    if not changes:
        return []
    return [{"op": "test", "path": "/metadata/generation", "value": resource["metadata"]["generation"]}] + changes


def condition(resource: dict[str, Any] | None, kind: str) -> dict[str, Any] | None:
    """The condition of this type, or None; conditions are in no order."""
    for reported in ((resource or {}).get("status") or {}).get("conditions") or []:
        if reported.get("type") == kind:
            return reported
    return None


def mirror_status(resource: dict[str, Any] | None) -> dict[str, Any]:
    """What the operator reports.

    :param resource: the object as read, or None where there is none.
    :returns: ``state`` (``absent``, ``pending``, ``not_ready``, ``running``, ``paused``, ``stopped``, ``mixed``),
        ``ready``, ``observed`` (the operator has seen the latest change), ``connectors`` (``{name: state}``),
        ``failed_tasks`` (``{connector: what its trace says}``), ``message`` (the operator's own words) and
        ``waiting_for`` (what keeps it from being ready; empty when nothing does).
    """
    if not resource:
        return {
            "state": "absent",
            "ready": False,
            "observed": False,
            "connectors": {},
            "failed_tasks": {},
            "message": "",
            "waiting_for": ["the resource to exist"],
        }
    status = resource.get("status") or {}
    observed = status.get("observedGeneration", 0) >= resource["metadata"].get("generation", 0)
    connectors = {
        connector.get("name"): str((connector.get("connector") or {}).get("state", "UNKNOWN"))
        for connector in status.get("connectors") or []
    }
    failed = _failed_tasks(status)
    ready = (condition(resource, "Ready") or {}).get("status") == "True"
    message = _trouble(resource)
    return {
        "state": _overall(resource, connectors, observed, ready, status),
        "ready": ready,
        "observed": observed,
        "connectors": connectors,
        "failed_tasks": failed,
        "message": message,
        "waiting_for": _waiting_for(resource, observed, None if ready else message, failed),
    }


def _trouble(resource: dict[str, Any]) -> str:
    """Why the operator says that the resource is not ready."""
    ready = condition(resource, "Ready")
    trouble = condition(resource, "NotReady") or (ready if ready and ready.get("status") != "True" else None)
    return ": ".join(str(trouble[key]) for key in ("reason", "message") if trouble.get(key)) if trouble else ""


def _waiting_for(
    resource: dict[str, Any], observed: bool, not_ready: str | None, failed_tasks: dict[str, str]
) -> list[str]:
    """What keeps the resource from being ready.

    :param not_ready: the operator's message, possibly empty; None where it reports Ready.
    """
    waiting = []
    if (condition(resource, "ReconciliationPaused") or {}).get("status") == "True":
        waiting.append(f"reconciliation to be resumed (annotation {PAUSED_RECONCILIATION})")
    if not observed:
        seen = (resource.get("status") or {}).get("observedGeneration", "none")
        waiting.append(
            f"the operator to take up generation {resource['metadata'].get('generation', 0)} (it has seen {seen})"
        )
    if not_ready is not None:
        waiting.append(f"condition Ready{f' ({not_ready})' if not_ready else ''}")
    return waiting + [f"connector {name} to recover ({reason})" for name, reason in sorted(failed_tasks.items())]


def _failed_tasks(status: dict[str, Any]) -> dict[str, str]:
    failed: dict[str, str] = {}
    for connector in status.get("connectors") or []:
        for part in [connector.get("connector") or {}] + list(connector.get("tasks") or []):
            if part.get("state") == "FAILED":
                failed.setdefault(connector.get("name"), why(part.get("trace")))
    return failed


def _overall(
    resource: dict[str, Any], connectors: dict[str, str], observed: bool, is_ready: bool, status: dict[str, Any]
) -> str:
    if not observed:
        return "pending"
    if not is_ready:
        return "not_ready"
    if resource["spec"].get("replicas") == 0 and status.get("replicas", 0) == 0:
        return "stopped"
    states = {state.lower() for state in connectors.values()}
    if not states:
        return "pending"
    # A failed mirror copies nothing today and may start again tomorrow: it is not stopped.
    return states.pop() if len(states) == 1 and states <= set(STATES) else "mixed"


def stopped(resource: dict[str, Any] | None) -> dict[str, Any]:
    """``{"stopped": bool, "waiting_for": [...]}``: whether the operator confirms that no connector runs and no task is
    left.

    An absent resource is stopped. A spec alone confirms nothing.
    """
    if not resource:
        return {"stopped": True, "waiting_for": []}
    status = mirror_status(resource)
    waiting = [reason for reason in status["waiting_for"] if not reason.startswith(("connector ", "condition Ready"))]
    if resource["spec"].get("replicas") == 0:
        if (resource.get("status") or {}).get("replicas", 0) != 0:
            waiting.append("the last worker to end")
    elif not status["connectors"]:
        waiting.append(
            "the operator to report its connectors%s" % (f" ({status['message']})" if status["message"] else "")
        )
    else:
        waiting += [
            f"{name} to be STOPPED (it is {state})"
            for name, state in sorted(status["connectors"].items())
            if state != "STOPPED"
        ]
        for connector in resource["status"]["connectors"]:
            if connector.get("tasks"):
                waiting.append(f"{len(connector['tasks'])} tasks of {connector.get('name')} to end")
    return {"stopped": not waiting, "waiting_for": waiting}
