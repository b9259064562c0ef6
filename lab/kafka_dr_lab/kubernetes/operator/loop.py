# SPDX-License-Identifier: GPL-3.0-or-later
"""The loop: list every kind, reconcile each resource, write its status where it changed."""

from __future__ import annotations

import copy
import datetime
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.client import (
    ConflictError,
    NotFoundError,
    object_path,
)

from ...plain_kafka import JavaProcess
from . import clusters, mirrors, topics, users
from .context import MERGE_PATCH, Context, Resource, ResourceKey, Status, key_of
from .pods import Pods
from .refusal import Refusal

GROUP = "kafka.strimzi.io"
MIRRORS = "kafkamirrormaker2s"
ROUND_SECONDS = 0.5
# A mirror whose resource did not change is reconciled again this often; STRIMZI_FULL_RECONCILIATION_INTERVAL_MS.
PERIOD_SECONDS = 120
# A change that comes while a reconciliation is held up by Connect is dropped.
DEAF_SECONDS = 2
# Users and topics whose resource did not change are reconciled again this often; Strimzi's own period is two minutes.
AGAIN_SECONDS = 10
PAUSE = "strimzi.io/pause-reconciliation"

Condition = dict[str, Any]
# Returns the fields of the status that it answers for, or None while the resource is on its way.
Reconciler = Callable[[Context, Resource], Status | None]
RECONCILERS: tuple[tuple[str, str, Reconciler], ...] = (
    ("Kafka", "kafkas", clusters.reconcile),
    ("KafkaUser", "kafkausers", users.reconcile),
    ("KafkaTopic", "kafkatopics", topics.reconcile),
    ("KafkaMirrorMaker2", MIRRORS, mirrors.reconcile),
)


class Schedule:
    """When a mirror is reconciled: at a change of its resource, also by the operator's own status, and else once a
    period.
    """

    def __init__(self) -> None:
        self.version, self.own_version = "", ""
        self.reconciled_at, self.deaf_until = 0.0, 0.0
        self.unfinished = True

    def due(self, version: str, period: float) -> bool:
        """Whether this version of the resource is to be reconciled now."""
        now = time.monotonic()
        if self.unfinished or now - self.reconciled_at >= period:
            return True
        if version == self.version:
            return False
        if version != self.own_version and now < self.deaf_until:
            self.version = version
            return False
        return True

    def done(self, version: str, own_version: str, blocked: bool) -> None:
        """A reconciliation of ``version`` ended and wrote ``own_version``, which is empty where it wrote nothing."""
        now = time.monotonic()
        self.version, self.own_version, self.reconciled_at, self.unfinished = version, own_version, now, False
        self.deaf_until = now + DEAF_SECONDS if blocked else 0.0


class Operator(Context):
    """The operators of one API server.

    :param directory: where the brokers and workers have their files.
    :param period: seconds after which a mirror whose resource did not change is reconciled again.
    """

    def __init__(self, kubeconfig: str, directory: Path, period: float = PERIOD_SECONDS):
        super().__init__(kubeconfig, directory)
        self.pods = Pods(self.client, self.directory / "pods")
        self.period = period
        self._settled: dict[ResourceKey, tuple[Any, float]] = {}
        self._schedules: dict[ResourceKey, Schedule] = {}
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> Operator:
        """Begin the loop in a thread of its own."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """End the loop and every process that it started."""
        self._done.set()
        self._thread.join(30)
        self.pods.kill()
        self.kill()

    def _run(self) -> None:
        while not self._done.is_set():
            try:
                self.round()
            except KafkaDrError as error:
                # An API server that is away comes back.
                print(f"operator: {error}", file=sys.stderr, flush=True)
                time.sleep(1)
            self._done.wait(ROUND_SECONDS)

    def round(self) -> None:
        """Reconcile every resource once."""
        self.pods.round()
        served = self.client.served_versions(GROUP)
        # v1 hides the older shape of a mirror; of everything else it is the version that is not deprecated.
        versions = {plural: f"{GROUP}/{_version(served, plural)}" for _kind, plural, _reconciler in RECONCILERS}
        listed = {plural: self.client.list(object_path(version, plural)) for plural, version in versions.items()}
        _end_removed(self.brokers, listed["kafkas"])
        _end_removed(self.workers, listed[MIRRORS])
        for kind, plural, reconciler in RECONCILERS:
            for resource in listed[plural]:
                if self._done.is_set():
                    return
                self._reconcile(reconciler, {**resource, "kind": kind, "apiVersion": versions[plural]}, plural)

    def _reconcile(self, reconciler: Reconciler, resource: Resource, plural: str) -> None:
        meta = resource["metadata"]
        if meta.get("deletionTimestamp") and plural == "kafkatopics":
            topics.release(self, resource)
            return
        if plural in ("kafkausers", "kafkatopics") and self._rests(resource):
            return
        schedule = self._schedules.setdefault(key_of(resource), Schedule()) if plural == MIRRORS else Schedule()
        if not (self._crashed(resource) or schedule.due(meta["resourceVersion"], self.period)):
            return
        if meta.get("deletionTimestamp"):
            return
        try:
            fields = self._fields(reconciler, resource)
        except (ConflictError, NotFoundError):
            return
        if fields is None:  # on its way; the status stays as it is until there is something to report
            schedule.unfinished = True
            return
        blocked = fields.pop("blocked", False)
        conditions = fields.pop("conditions", [{"type": "Ready", "status": "True"}])
        own_version = self._write_status(resource, plural, fields, conditions)
        schedule.done(meta["resourceVersion"], own_version, blocked)

    def _fields(self, reconciler: Reconciler, resource: Resource) -> Status | None:
        """The new fields of the status with its ``conditions``; None while the resource is on its way."""
        paused = (resource["metadata"].get("annotations") or {}).get(PAUSE) == "true"
        if self.node_is_down(resource["metadata"]["namespace"]):
            self.outages.add(key_of(resource))
            # The operator itself runs elsewhere.
            if resource["kind"] == "Kafka" and not paused:
                clusters.render(self, resource)
            return None
        if paused:
            return {"conditions": [{"type": "ReconciliationPaused", "status": "True"}]}
        try:
            return reconciler(self, resource)
        except Refusal as refusal:
            reason, message = refusal.reason, str(refusal)
        except (ConflictError, NotFoundError):
            raise
        except KafkaDrError as error:
            reason, message = type(error).__name__, str(error)[:500]
        return {"conditions": [{"type": "NotReady", "status": "True", "reason": reason, "message": message}]}

    def _crashed(self, resource: Resource) -> bool:
        """Whether the mirror's worker ended by itself. Its node restarts the pod, whatever the operator is doing."""
        worker = self.workers.get(key_of(resource))
        return worker is not None and not worker.alive()

    def _rests(self, resource: Resource) -> bool:
        """Whether a user or topic was reconciled a moment ago, with the same resource, Secrets and brokers."""
        meta, authentication = resource["metadata"], resource["spec"].get("authentication") or {}
        reference = ((authentication.get("password") or {}).get("valueFrom") or {}).get("secretKeyRef") or {}
        own_name = meta["name"] if resource["kind"] == "KafkaUser" else None
        secrets = [str(self.secret(meta["namespace"], name)) for name in (reference.get("name"), own_name) if name]
        brokers = [broker.process.pid for broker in self.brokers.values() if broker.process]
        now = (meta["generation"], meta.get("annotations"), str(resource.get("status")), secrets, brokers)
        before, settled_at = self._settled.get(key_of(resource), (None, 0.0))
        if before == now and time.monotonic() - settled_at < AGAIN_SECONDS:
            return True
        # What is written now changes the status, and with it this; it rests from the round after that.
        self._settled[key_of(resource)] = (now, time.monotonic())
        return False

    def _write_status(self, resource: Resource, plural: str, fields: Status, conditions: list[Condition]) -> str:
        """The resource's version after the write; empty where the status was the same already."""
        meta, old = resource["metadata"], resource.get("status") or {}
        status = {**copy.deepcopy(old), **fields}
        status["conditions"] = _timed(conditions, old.get("conditions") or [])
        status["observedGeneration"] = meta["generation"]
        status = {key: value for key, value in status.items() if value is not None}
        if status == old:
            return ""
        removed = dict.fromkeys(key for key in old if key not in status)
        path = object_path(resource["apiVersion"], plural, meta["namespace"], meta["name"], "status")
        try:
            written = self.client.request("PATCH", path, {"status": {**status, **removed}}, content_type=MERGE_PATCH)
        except (ConflictError, NotFoundError):
            return ""
        return written["metadata"]["resourceVersion"]


def _timed(conditions: list[Condition], before: list[Condition]) -> list[Condition]:
    """The conditions with the time of their last transition."""
    now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    known = {condition["type"]: condition for condition in before}
    for condition in conditions:
        same = known.get(condition["type"], {})
        unchanged = same.get("status") == condition["status"]
        condition["lastTransitionTime"] = same.get("lastTransitionTime", now) if unchanged else now
    return conditions


def _end_removed(running: dict[ResourceKey, Any], listed: list[Resource]) -> None:
    """Kill the processes whose resources are gone."""
    present = {key_of(resource) for resource in listed}
    for key in [key for key in running if key not in present]:
        process: JavaProcess = running.pop(key)
        process.kill()


def _version(served: list[str], plural: str) -> str:
    wanted = ("v1beta2", "v1") if plural == MIRRORS else ("v1", "v1beta2")
    return next(version for version in wanted if version in served)
