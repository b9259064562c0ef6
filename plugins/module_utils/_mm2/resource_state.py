# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""What a ``KafkaMirrorMaker2`` resource says about itself, how its connectors are paused and stopped, and its offsets.

Source: Strimzi's ``KafkaMirrorMaker2Status`` (``conditions``, ``observedGeneration``, ``connectors`` as Connect's REST
status answers) and its connector offset management (since 0.45).
"""

from __future__ import annotations

import json

from .._errors import UsageError
from .resource import CONNECTOR_FIELDS, STATES

OFFSETS_ANNOTATION = "strimzi.io/connector-offsets"
CONNECTOR_ANNOTATION = "strimzi.io/mirrormaker-connector"
PAUSED_RECONCILIATION = "strimzi.io/pause-reconciliation"


def state_patch(resource, state):
    """JSON patch (RFC 6902) that puts every connector of the resource into this state.

    It tests the ``generation`` that was read, so that a change of the spec made meanwhile is a conflict and no mixture. The ``resourceVersion`` would be
    too much: the operator writes the status every few seconds.
    Empty where the resource says so already. Send it through the API version that the resource was read with.

    :param state: ``running``, ``paused`` or ``stopped``.
    """
    if state not in STATES:
        raise UsageError("A mirror cannot be put into state '%s'" % (state,), expected=", ".join(STATES))
    changes = []
    for at, mirror in enumerate(resource["spec"].get("mirrors") or []):
        for field in CONNECTOR_FIELDS.values():
            connector = mirror.get(field)
            if connector is None:
                continue
            if connector.get("state", "running") != state:
                changes.append({"op": "add", "path": "/spec/mirrors/%d/%s/state" % (at, field), "value": state})
            if connector.get("pause"):
                # The older field contradicts the newer one, and which wins depends on the operator's version.
                changes.append({"op": "remove", "path": "/spec/mirrors/%d/%s/pause" % (at, field)})
    if not changes:
        return []
    return [{"op": "test", "path": "/metadata/generation", "value": resource["metadata"]["generation"]}] + changes


def condition(resource, kind):
    """The condition of this type, or None; conditions are in no order."""
    for one in ((resource or {}).get("status") or {}).get("conditions") or []:
        if one.get("type") == kind:
            return one
    return None


def mirror_status(resource):
    """What the operator reports.

    :param resource: the object as read, or None where there is none.
    :returns: ``state`` (``absent``, ``pending``, ``not_ready``, ``running``, ``paused``, ``stopped``, ``mixed``), ``ready``, ``observed`` (the
        operator has seen the latest change), ``connectors`` (``{name: state}``), ``failed_tasks`` (``{connector: first line of the trace}``),
        ``message`` (the operator's own words) and ``waiting_for`` (what keeps it from being ready; empty when nothing does).
    """
    if not resource:
        return {"state": "absent", "ready": False, "observed": False, "connectors": {}, "failed_tasks": {}, "message": "",
                "waiting_for": ["the resource to exist"]}
    status = resource.get("status") or {}
    generation = resource["metadata"].get("generation", 0)
    observed = status.get("observedGeneration", 0) >= generation
    ready = condition(resource, "Ready")
    not_ready = condition(resource, "NotReady")
    connectors = {one.get("name"): str((one.get("connector") or {}).get("state", "UNKNOWN")) for one in status.get("connectors") or []}
    failed = _failed_tasks(status)
    is_ready = bool(ready and ready.get("status") == "True")
    trouble = not_ready or (ready if ready and ready.get("status") != "True" else None)
    message = ": ".join(str(trouble[key]) for key in ("reason", "message") if trouble.get(key)) if trouble else ""
    waiting = []
    if condition(resource, "ReconciliationPaused") and condition(resource, "ReconciliationPaused").get("status") == "True":
        waiting.append("reconciliation to be resumed (annotation %s)" % PAUSED_RECONCILIATION)
    if not observed:
        waiting.append("the operator to take up generation %s (it has seen %s)" % (generation, status.get("observedGeneration", "none")))
    if not is_ready:
        waiting.append("condition Ready%s" % (" (%s)" % message if message else ""))
    waiting += ["connector %s to recover (%s)" % (name, reason) for name, reason in sorted(failed.items())]
    return {
        "state": _overall(resource, connectors, observed, is_ready, status), "ready": is_ready, "observed": observed,
        "connectors": connectors, "failed_tasks": failed, "message": message, "waiting_for": waiting,
    }


def _failed_tasks(status):
    failed = {}
    for one in status.get("connectors") or []:
        for part in [one.get("connector") or {}] + list(one.get("tasks") or []):
            if part.get("state") == "FAILED":
                lines = str(part.get("trace") or "").splitlines()
                failed.setdefault(one.get("name"), lines[0] if lines else "FAILED")
    return failed


def _overall(resource, connectors, observed, is_ready, status):
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


def stopped(resource):
    """``{"stopped": bool, "waiting_for": [...]}``: whether the operator confirms that no connector runs and no task is left.

    An absent resource is stopped. A spec alone confirms nothing.
    """
    if not resource:
        return {"stopped": True, "waiting_for": []}
    status = mirror_status(resource)
    waiting = [one for one in status["waiting_for"] if not one.startswith(("connector ", "condition Ready"))]
    if resource["spec"].get("replicas") == 0:
        if (resource.get("status") or {}).get("replicas", 0) != 0:
            waiting.append("the last worker to end")
    elif not status["connectors"]:
        waiting.append("the operator to report its connectors%s" % (" (%s)" % status["message"] if status["message"] else ""))
    else:
        waiting += ["%s to be STOPPED (it is %s)" % pair for pair in sorted(status["connectors"].items()) if pair[1] != "STOPPED"]
        for one in resource["status"]["connectors"]:
            if one.get("tasks"):
                waiting.append("%d tasks of %s to end" % (len(one["tasks"]), one.get("name")))
    return {"stopped": not waiting, "waiting_for": waiting}


def source_connector_name(mirror):
    """Name of the mirror's source connector under the operator."""
    return "%s->%s.MirrorSourceConnector" % (mirror["source"], mirror["target"])


def offsets_config_map(mirror, positions, name, namespace):
    """ConfigMap that ``alterOffsets`` reads: where the source connector goes on, per topic and partition.

    :param positions: rows ``{topic, partition, offset}``; the offset is the last one already copied, as Connect stores it.
    """
    body = {"offsets": [
        {"partition": {"cluster": mirror["source"], "partition": one["partition"], "topic": one["topic"]}, "offset": {"offset": one["offset"]}}
        for one in positions
    ]}
    # ">" may not be part of a ConfigMap's key.
    key = source_connector_name(mirror).replace("->", "--") + ".json"
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "namespace": namespace}, "data": {key: json.dumps(body, indent=1)}}


def listed_offsets(config_map, mirror):
    """Rows ``{topic, partition, offset}`` of a ConfigMap written by ``listOffsets``, or None where it has no such entry yet."""
    key = source_connector_name(mirror).replace("->", "--") + ".json"
    text = ((config_map or {}).get("data") or {}).get(key)
    if text is None:
        return None
    rows = []
    for one in json.loads(text).get("offsets") or []:
        if "topic" in one.get("partition", {}) and one.get("offset"):
            rows.append({"topic": one["partition"]["topic"], "partition": one["partition"]["partition"], "offset": one["offset"]["offset"]})
    return sorted(rows, key=lambda row: (row["topic"], row["partition"]))
