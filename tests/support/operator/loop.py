# SPDX-License-Identifier: GPL-3.0-or-later
"""The loop: list every kind, reconcile each object, write its status where it changed."""

from __future__ import annotations

import base64
import copy
import datetime
import sys
import threading
import time
from pathlib import Path

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._k8s.client import ConflictError, KubernetesClient, NotFoundError, object_path

from . import cluster, entities, mirror, pods

GROUP = "kafka.strimzi.io"
MIRRORS = "kafkamirrormaker2s"
ROUND_SECONDS = 0.5
# Without a change of the resource a mirror is looked at again this often; STRIMZI_FULL_RECONCILIATION_INTERVAL_MS.
PERIOD_SECONDS = 120
# A change that comes while a reconciliation is held up by Connect is dropped.
DEAF_SECONDS = 2
# Users and topics whose resource did not change are looked at again this often; Strimzi's own period is two minutes.
AGAIN_SECONDS = 10
PAUSE = "strimzi.io/pause-reconciliation"
CORE_KINDS = (("Kafka", "kafkas"), ("KafkaUser", "kafkausers"), ("KafkaTopic", "kafkatopics"), ("KafkaMirrorMaker2", MIRRORS))


class Refusal(Exception):
    """The resource cannot be reconciled: ``NotReady`` with this reason and message."""

    def __init__(self, message: str, reason: str = "InvalidConfigurationException"):
        super().__init__(message)
        self.reason = reason


class Watched:
    """When a mirror is reconciled: at a change of its resource, the operator's own status among them, and else with the period."""

    def __init__(self) -> None:
        self.version, self.own, self.at, self.deaf_until, self.unfinished = "", "", 0.0, 0.0, True

    def due(self, version: str, period: float) -> bool:
        """Whether this version of the resource is to be reconciled now."""
        now = time.monotonic()
        if self.unfinished or now - self.at >= period:
            return True
        if version == self.version:
            return False
        if version != self.own and now < self.deaf_until:
            self.version = version
            return False
        return True

    def done(self, version: str, own: str, blocked: bool) -> None:
        """A reconciliation of this version ended, and wrote the version ``own``, if any."""
        now = time.monotonic()
        self.version, self.own, self.at, self.unfinished = version, own, now, False
        self.deaf_until = now + DEAF_SECONDS if blocked else 0.0


class Operator:
    """The operators of one API server.

    :param directory: where the brokers and workers have their files.
    :param period: seconds after which a mirror whose resource did not change is looked at again.
    """

    def __init__(self, kubeconfig: str, directory: Path, period: float = PERIOD_SECONDS):
        self.client = KubernetesClient({"kubeconfig": str(kubeconfig)}, timeout=10)
        self.directory = Path(directory)
        self.brokers: dict[tuple, cluster.Broker] = {}
        self.workers: dict[tuple, mirror.Worker] = {}
        self.pods = pods.Pods(self.client, self.directory / "pods")
        self.period = period
        self._ending: list = []
        self._settled: dict[tuple, tuple] = {}
        self._watched: dict[tuple, Watched] = {}
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> Operator:
        self._thread.start()
        return self

    def stop(self) -> None:
        """End the loop and every process of it."""
        self._done.set()
        self._thread.join(30)
        self.pods.kill()
        for one in [*self.workers.values(), *self.brokers.values(), *self._ending]:
            one.kill()

    def end(self, process) -> None:
        """Let a process end in its own time, as a pod does."""
        self._ending.append(process)
        threading.Thread(target=process.stop, daemon=True).start()

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
        """Look at every object once."""
        self.pods.round()
        versions = self.client.served_versions(GROUP)
        # v1 hides the older shape of a mirror; of everything else it is the version that is not deprecated.
        read = {kind: f"{GROUP}/{_version(versions, plural)}" for kind, plural in CORE_KINDS}
        here = {kind: self.client.list(object_path(read[kind], plural)) for kind, plural in CORE_KINDS}
        self._forget(self.brokers, here["Kafka"])
        self._forget(self.workers, here["KafkaMirrorMaker2"])
        handlers = {"Kafka": cluster.reconcile, "KafkaUser": entities.user, "KafkaTopic": entities.topic, "KafkaMirrorMaker2": mirror.reconcile}
        for kind, plural in CORE_KINDS:
            for one in here[kind]:
                if self._done.is_set():
                    return
                self._reconcile(handlers[kind], {**one, "kind": kind, "apiVersion": read[kind]}, plural)

    @staticmethod
    def _forget(running: dict, listed: list[dict]) -> None:
        present = {key_of(one) for one in listed}
        for key in [key for key in running if key not in present]:
            running.pop(key).kill()

    def _reconcile(self, handler, one: dict, plural: str) -> None:
        status = copy.deepcopy(one.get("status") or {})
        paused = (one["metadata"].get("annotations") or {}).get(PAUSE) == "true"
        if one["metadata"].get("deletionTimestamp") and plural == "kafkatopics":
            entities.release(self, one)
            return
        if plural in ("kafkausers", "kafkatopics") and self._rests(one):
            return
        watched = self._watched.setdefault(key_of(one), Watched()) if plural == MIRRORS else None
        if watched and not (self._crashed(one) or watched.due(one["metadata"]["resourceVersion"], self.period)):
            return
        blocked = False
        try:
            if one["metadata"].get("deletionTimestamp"):
                return
            if paused:
                conditions = [{"type": "ReconciliationPaused", "status": "True"}]
            else:
                made = handler(self, one)
                if made is None:  # on its way; the status stays as it is until there is something to say
                    if watched:
                        watched.unfinished = True
                    return
                blocked = made.pop("blocked", False)
                conditions = made.pop("conditions", [{"type": "Ready", "status": "True"}])
                status.update(made)
        except Refusal as error:
            conditions = [{"type": "NotReady", "status": "True", "reason": error.reason, "message": str(error)}]
        except (ConflictError, NotFoundError):
            return
        except KafkaDrError as error:
            conditions = [{"type": "NotReady", "status": "True", "reason": type(error).__name__, "message": str(error)[:500]}]
        own = self._write_status(one, plural, status, conditions)
        if watched:
            watched.done(one["metadata"]["resourceVersion"], own, blocked)

    def _crashed(self, one: dict) -> bool:
        """Whether the mirror's worker ended by itself; its pod is started again by the node, whatever the operator is at."""
        worker = self.workers.get(key_of(one))
        return worker is not None and not worker.alive()

    def _rests(self, one: dict) -> bool:
        """Whether this was brought to the state of its resource and its Secrets a moment ago, in a broker that is still the same."""
        meta, authentication = one["metadata"], one["spec"].get("authentication") or {}
        reference = ((authentication.get("password") or {}).get("valueFrom") or {}).get("secretKeyRef") or {}
        names = [name for name in (reference.get("name"), meta["name"] if one["kind"] == "KafkaUser" else None) if name]
        secrets = [str(self.secret(meta["namespace"], name)) for name in names]
        brokers = [broker.process.pid for broker in self.brokers.values() if broker.process]
        now = (meta["generation"], meta.get("annotations"), str(one.get("status")), secrets, brokers)
        before, at = self._settled.get(key_of(one), (None, 0.0))
        if before == now and time.monotonic() - at < AGAIN_SECONDS:
            return True
        # What is written now changes the status, and with it this; it rests from the round after that.
        self._settled[key_of(one)] = (now, time.monotonic())
        return False

    def _write_status(self, one: dict, plural: str, status: dict, conditions: list[dict]) -> str:
        """Version of the resource that this made; empty where the status was so already."""
        old = one.get("status") or {}
        now = datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        before = {condition["type"]: condition for condition in old.get("conditions") or []}
        for condition in conditions:
            same = before.get(condition["type"], {})
            condition["lastTransitionTime"] = same.get("lastTransitionTime", now) if same.get("status") == condition["status"] else now
        status["conditions"] = conditions
        status["observedGeneration"] = one["metadata"]["generation"]
        status = {key: value for key, value in status.items() if value is not None}
        if status == old:
            return ""
        try:
            meta, gone = one["metadata"], dict.fromkeys(key for key in old if key not in status)
            made = self.client.request("PATCH", object_path(one["apiVersion"], plural, meta["namespace"], meta["name"], "status"),
                                       {"status": {**status, **gone}}, content_type="application/merge-patch+json")
            return made["metadata"]["resourceVersion"]
        except (ConflictError, NotFoundError):
            return ""

    def secret(self, namespace: str, name: str) -> dict | None:
        """Data of a Secret, decoded; None where there is none."""
        found = self.client.get(object_path("v1", "secrets", namespace, name))
        return None if found is None else {key: base64.b64decode(value).decode() for key, value in (found.get("data") or {}).items()}

    def keep_secret(self, owner: dict, name: str, data: dict[str, str], labels: dict, annotations: dict | None = None) -> None:
        """Make a Secret owned by the resource, or bring it back to this."""
        meta = owner["metadata"]
        path = object_path("v1", "secrets", meta["namespace"])
        body = {
            "apiVersion": "v1", "kind": "Secret", "type": "Opaque",
            "metadata": {"name": name, "labels": {"app.kubernetes.io/managed-by": "strimzi-cluster-operator", **labels}, "annotations": annotations or {},
                         "ownerReferences": [{"apiVersion": owner["apiVersion"], "kind": owner["kind"], "name": meta["name"], "uid": meta["uid"]}]},
            "data": {key: base64.b64encode(value.encode()).decode() for key, value in data.items()},
        }
        found = self.client.get(f"{path}/{name}")
        if found is None:
            self.client.create(path, body)
        elif found.get("data") != body["data"]:
            self.client.request("PATCH", f"{path}/{name}", {"data": body["data"]}, content_type="application/merge-patch+json")


def _version(served: list[str], plural: str) -> str:
    wanted = ("v1beta2", "v1") if plural == MIRRORS else ("v1", "v1beta2")
    return next(one for one in wanted if one in served)


def key_of(one: dict) -> tuple:
    """What a resource's processes are remembered by; another uid is another resource."""
    return (one["metadata"]["namespace"], one["metadata"]["name"], one["metadata"]["uid"])
