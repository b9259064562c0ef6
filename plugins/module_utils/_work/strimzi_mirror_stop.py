# SPDX-License-Identifier: GPL-3.0-or-later
"""Stop a KafkaMirrorMaker2 and see it stopped, whatever its operator is at.

Strimzi's operator reconciles a mirror when its resource changes, and with a period of two minutes. A connector whose
source is dead does not stop at once; it is recorded RUNNING, and looked at again with the period only. A changed
annotation makes the operator look earlier. A connector that is FAILED is never asked to stop
(``AbstractConnectOperator.updateState``), although its tasks may still copy: it is stopped when its worker is gone.
"""

from __future__ import annotations

import time
from typing import Any

from .._errors import TimedOutError, UnreachableError, UsageError
from .._k8s import mirror_state
from .._k8s.client import ConflictError, KubernetesClient, object_path
from .._k8s.strimzi import MIRRORS, read_mirror

LOOK = "kafka-dr.streamsafe/look"
# An annotation that is set while the operator is held up may be dropped, so it is set again.
LOOK_SECONDS = 3
POLL_SECONDS = 1


def strimzi_mirror_stop(params: dict[str, Any], check_mode: bool) -> dict[str, Any]:
    """Tell every connector to stop, and wait until the operator confirms it; see the module ``strimzi_mirror_stop``.

    :raises TimedOutError: it is not stopped in time; the message says what was still missing.
    """
    client = KubernetesClient(params["connection"], params["timeout"])
    seen = read_mirror(client, params)
    found = seen["resource"]
    if found is None:
        return _result(seen, False, "absent", [])
    scale = params["stop_by"] == "replicas"
    patch = _wanted(found, not scale, scale)
    if check_mode or (not patch and seen["stopped"]):
        return _result(seen, bool(patch), _how(found, patch), patch)
    return _Stop(client, params, seen).run(patch)


class _Stop:
    """One stop, from the first patch to the confirmation."""

    def __init__(self, client: KubernetesClient, params: dict[str, Any], seen: dict[str, Any]) -> None:
        self.client, self.params, self.seen = client, params, seen
        self.scale, self.changed = params["stop_by"] == "replicas", False
        began = time.monotonic()
        self.scale_at, self.end, self.look_at = began + params["state_timeout"], began + params["wait_timeout"], 0.0
        self.trouble = ""

    def run(self, patch: list[dict[str, Any]]) -> dict[str, Any]:
        """The module's result."""
        first = self.seen
        while True:
            try:
                self.trouble = ""
                if self._step():
                    return {
                        **_result(self.seen, self.changed, _how(self.seen["resource"], []), []),
                        "diff": _diff(first["resource"], patch),
                    }
            except (UnreachableError, TimedOutError, ConflictError) as error:
                # An API server that is away comes back, and who changed the resource meanwhile is read again.
                self.trouble = str(error)
            if time.monotonic() > self.end:
                raise self._failure()
            time.sleep(POLL_SECONDS)

    def _step(self) -> bool:
        """Look, tell what is not told yet, and make the operator look; whether it is stopped."""
        self.seen = read_mirror(self.client, self.params)
        found = self.seen["resource"]
        if found is None:
            return True
        if not self.scale and (_failed(found) or time.monotonic() > self.scale_at):
            self.scale = True
        patch = _wanted(found, self.params["stop_by"] == "state", self.scale)
        if patch:
            self._apply(patch)
            return False
        if self.seen["stopped"]:
            return True
        if time.monotonic() > self.look_at:
            self._make_it_look()
        return False

    def _apply(self, patch: list[dict[str, Any]]) -> None:
        # A field that is only in the older version can only be removed through it.
        through = (
            self.seen["read_with"]
            if any(operation["op"] == "remove" for operation in patch)
            else self.seen["api_version"]
        )
        try:
            self._patch(through, patch, "application/json-patch+json", "stop")
        except UsageError as error:
            now = read_mirror(self.client, self.params)["resource"]
            if now is not None and now["metadata"].get("generation") == self.seen["resource"]["metadata"].get(
                "generation"
            ):
                raise
            self.trouble = str(error)
            return
        self.changed = True
        self.look_at = time.monotonic() + LOOK_SECONDS

    def _make_it_look(self) -> None:
        mark = {"metadata": {"annotations": {LOOK: f"{time.time():.3f}"}}}
        self._patch(self.seen["api_version"], mark, "application/merge-patch+json", "annotate")
        self.look_at = time.monotonic() + LOOK_SECONDS

    def _patch(self, version: str, body: dict[str, Any] | list[dict[str, Any]], content_type: str, what: str) -> None:
        namespace, name = self.params["namespace"], self.params["name"]
        self.client.request(
            "PATCH",
            object_path(version, MIRRORS, namespace, name),
            body,
            content_type=content_type,
            what=f"{what} KafkaMirrorMaker2 '{namespace}/{name}'",
        )

    def _failure(self) -> TimedOutError:
        waiting = self.seen["waiting_for"] + ([self.trouble] if self.trouble else [])
        return TimedOutError(
            f"Mirror '{self.params['name']}' is not stopped after {self.params['wait_timeout']} s",
            found=f"waited for: {'; '.join(waiting)}",
            remedy="Look at the operator's log. Where no operator works, delete the resource and its pods, and run "
            "the stage again",
            waiting_for=waiting,
        )


def _wanted(resource: dict[str, Any], states: bool, scale: bool) -> list[dict[str, Any]]:
    """JSON patch that is still to be sent; empty where the resource says all of it.

    :param states: whether connectors are told their state. :param scale: whether the workers are to go.
    """
    patch = mirror_state.state_patch(resource, "stopped") if states else []
    if scale and resource["spec"].get("replicas", 1) != 0:
        test = {"op": "test", "path": "/metadata/generation", "value": resource["metadata"]["generation"]}
        patch = (patch or [test]) + [{"op": "add", "path": "/spec/replicas", "value": 0}]
    return patch


def _failed(resource: dict[str, Any]) -> bool:
    """Whether a connector has failed, as of the latest generation."""
    status = resource.get("status") or {}
    if status.get("observedGeneration", 0) < resource["metadata"].get("generation", 0):
        return False
    return any(
        (connector.get("connector") or {}).get("state") == "FAILED" for connector in status.get("connectors") or []
    )


def _how(resource: dict[str, Any], patch: list[dict[str, Any]]) -> str:
    """What holds it: ``replicas`` where there is, or will be, no worker, ``state`` otherwise."""
    if resource is None:
        return "absent"
    scaled = resource["spec"].get("replicas", 1) == 0 or any(
        operation["path"] == "/spec/replicas" for operation in patch
    )
    return "replicas" if scaled else "state"


def _result(seen: dict[str, Any], changed: Any, how: str, patch: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "changed": changed,
        "stopped": seen["stopped"],
        "stopped_by": how,
        "waiting_for": seen["waiting_for"],
        "diff": _diff(seen["resource"], patch),
    }


def _diff(resource: dict[str, Any], patch: list[dict[str, Any]]) -> dict[str, Any]:
    operations = [operation for operation in patch if operation["op"] != "test"]
    return {
        "before": "".join(f"{operation['path']}: {_value(resource, operation['path'])}\n" for operation in operations),
        "after": "".join(f"{operation['path']}: {operation.get('value')}\n" for operation in operations),
    }


def _value(resource: dict[str, Any], path: str) -> Any:
    found: Any = resource
    for word in path.strip("/").split("/"):
        found = found[int(word)] if isinstance(found, list) else (found or {}).get(word)
    return found
