# SPDX-License-Identifier: GPL-3.0-or-later
"""``KafkaMirrorMaker2``: a real Connect worker with the connectors of the resource, both shapes of it.

The worker's and the connectors' settings are those that Strimzi derives (``KafkaMirrorMaker2Connectors``).
"""

from __future__ import annotations

import socket
import time
from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.java_client import java_client

from .context import Context, Resource, Status, files_of, key_of
from .refusal import Refusal
from .worker import Worker

PACKAGE = "org.apache.kafka.connect.mirror"
CONNECTORS = {
    "sourceConnector": "MirrorSourceConnector",
    "checkpointConnector": "MirrorCheckpointConnector",
    "heartbeatConnector": "MirrorHeartbeatConnector",
}
STATE_REQUESTS = {"RUNNING": "resume", "PAUSED": "pause", "STOPPED": "stop"}
# As long as Connect's answer to a stop lasts where the connector obeys.
OBEY_SECONDS = 1.5
# A connector whose source is dead hangs in its own requests, and stays RUNNING for as long after it was first asked to
# stop.
LATE_SECONDS = 8

# One cluster of the resource: alias, bootstrapServers, tls, authentication.
Side = dict[str, Any]
# A connector's configuration and the state that it is to have, by the connector's name.
Connectors = dict[str, tuple[dict[str, str], str]]


def reconcile(context: Context, resource: Resource) -> Status | None:
    """The status of a KafkaMirrorMaker2, or None while its worker or a connector is not yet in the wanted state."""
    namespace, spec = resource["metadata"]["namespace"], resource["spec"]
    target, flows = _sides(spec)
    properties = _worker_properties(context, namespace, target)
    connectors: Connectors = {}
    for source, flow in flows:
        connectors.update(_connectors(context, namespace, source, target, flow))
    worker = context.workers.get(key_of(resource))
    if spec.get("replicas", 1) == 0:
        if worker:
            # The status repeats the spec; the pod ends in its own time.
            context.end(context.workers.pop(key_of(resource)))
        return {"replicas": 0, "connectors": None, "url": None}
    if worker and (not worker.alive() or any(worker.properties.get(key) != value for key, value in properties.items())):
        context.workers.pop(key_of(resource)).stop()
        worker = None
    if worker is None:
        directory = context.directory / f"{files_of(resource)}-mm2"
        context.workers[key_of(resource)] = Worker(directory, properties).start()
        return None
    if worker.ask("GET", "/connectors") is None:
        return None
    return _drive(worker, connectors)


def _drive(worker: Worker, connectors: Connectors) -> Status | None:
    """Bring the connectors to their settings, ask once for their states, and report what Connect answers; None while a
    connector is being made.
    """
    for name in set(worker.ask("GET", "/connectors") or []) - set(connectors):
        worker.ask("DELETE", f"/connectors/{name}")
    reported, blocked = [], False
    for name, (config, state) in connectors.items():
        path = f"/connectors/{name.replace('>', '%3E')}"
        if worker.applied.get(name) != config:
            if worker.ask("PUT", f"{path}/config", config) is None:
                return None
            worker.applied[name] = config
        status = worker.ask("GET", f"{path}/status")
        if status is None or status["connector"]["state"] in ("UNASSIGNED", "RESTARTING"):
            return None
        # One that has failed is left as it is, whatever is wanted (AbstractConnectOperator.updateState).
        if status["connector"]["state"] not in (state, "FAILED"):
            late = state == "STOPPED" and not _answers(config["source.cluster.bootstrap.servers"])
            if not late or time.monotonic() - worker.asked.setdefault(name, time.monotonic()) > LATE_SECONDS:
                status = _ask_for(worker, path, state) or status
            blocked = blocked or status["connector"]["state"] != state
        else:
            worker.asked.pop(name, None)
        reported.append(_reported(name, status))
    return {"replicas": 1, "connectors": reported, "url": f"http://127.0.0.1:{worker.port}", "blocked": blocked}


def _reported(name: str, status: dict[str, Any]) -> dict[str, Any]:
    """A connector's part of the resource's status, from Connect's answer."""
    for task in status["tasks"]:
        task.pop("worker_id", None)
    return {
        "name": name,
        "type": status.get("type"),
        "connector": {key: value for key, value in status["connector"].items() if key != "worker_id"},
        "tasks": status["tasks"],
    }


def _answers(bootstrap: str) -> bool:
    for address in bootstrap.split(","):
        host, dummy, port = address.rpartition(":")
        try:
            with socket.create_connection((host, int(port)), 1):
                return True
        except OSError:
            continue
    return False


def _ask_for(worker: Worker, path: str, state: str) -> dict[str, Any] | None:
    """Connect's status of a connector that was asked for a state; where its source does not answer it may take long to
    obey.
    """
    worker.ask("PUT", f"{path}/{STATE_REQUESTS[state]}")
    end, status = time.monotonic() + OBEY_SECONDS, None
    while time.monotonic() < end:
        status = worker.ask("GET", f"{path}/status")
        if status is not None and status["connector"]["state"] == state:
            break
        time.sleep(0.2)
    return status


def _sides(spec: dict[str, Any]) -> tuple[Side, list[tuple[Side, dict[str, Any]]]]:
    """The target, and each source with its flow, in the shape of ``v1``; ``v1beta2`` is translated."""
    if "target" in spec:
        return spec["target"], [(flow["source"], flow) for flow in spec["mirrors"]]
    clusters = {cluster["alias"]: cluster for cluster in spec["clusters"]}
    config = clusters[spec["connectCluster"]].get("config") or {}
    target = {**clusters[spec["connectCluster"]], "groupId": config.get("group.id", "mirrormaker2-cluster")}
    for key, default in (("config", "configs"), ("offset", "offsets"), ("status", "status")):
        target[f"{key}StorageTopic"] = config.get(f"{key}.storage.topic", f"mirrormaker2-cluster-{default}")
    return target, [(clusters[flow["sourceCluster"]], flow) for flow in spec["mirrors"]]


def _client(context: Context, namespace: str, side: Side) -> dict[str, str]:
    """Java properties of a side, with its secrets in them."""

    def secret(name: str, key: str) -> str:
        data = context.secret(namespace, name)
        if data is None or key not in data:
            raise Refusal(f"Secret {name} not found in namespace {namespace}", "InvalidConfigurationException")
        return data[key]

    client: dict[str, str] = {"bootstrap.servers": side["bootstrapServers"]}
    secrets: dict[str, str] = {}
    tls, authentication = side.get("tls"), side.get("authentication") or {}
    if tls is not None:
        client["ssl.ca.pem"] = "".join(
            secret(trusted["secretName"], trusted.get("certificate") or "ca.crt")
            for trusted in tls.get("trustedCertificates") or []
        )
    if authentication.get("type", "").startswith("scram"):
        reference = authentication["passwordSecret"]
        client.update({"sasl.mechanism": authentication["type"].upper(), "sasl.username": authentication["username"]})
        secrets["sasl.password"] = secret(reference["secretName"], reference["password"])
    elif authentication.get("type") == "tls":
        pair = authentication["certificateAndKey"]
        client["ssl.certificate.pem"] = secret(pair["secretName"], pair["certificate"])
        secrets["ssl.key.pem"] = secret(pair["secretName"], pair["key"])
    client["security.protocol"] = ("SASL_" if "sasl.mechanism" in client else "") + (
        "SSL" if tls is not None else "PLAINTEXT"
    )
    return java_client(client, secrets.__getitem__)


def _worker_properties(context: Context, namespace: str, target: Side) -> dict[str, str]:
    client = _client(context, namespace, target)
    properties = dict(client)
    for prefix in ("producer.", "consumer.", "admin."):
        properties.update({prefix + key: value for key, value in client.items() if key != "bootstrap.servers"})
    properties.update(
        {
            "group.id": target["groupId"],
            "config.storage.topic": target["configStorageTopic"],
            "offset.storage.topic": target["offsetStorageTopic"],
            "status.storage.topic": target["statusStorageTopic"],
            **{key: str(value) for key, value in (target.get("config") or {}).items()},
        }
    )
    return properties


def _connectors(context: Context, namespace: str, source: Side, target: Side, flow: dict[str, Any]) -> Connectors:
    connectors: Connectors = {}
    for field, kind in CONNECTORS.items():
        if field not in flow:
            continue
        connector = flow[field]
        config = {
            "connector.class": f"{PACKAGE}.{kind}",
            "name": f"{source['alias']}->{target['alias']}.{kind}",
            "tasks.max": str(connector.get("tasksMax", 1)),
            "source.cluster.alias": source["alias"],
            "target.cluster.alias": target["alias"],
        }
        for side, cluster in (("source", source), ("target", target)):
            client = _client(context, namespace, cluster)
            config.update({f"{side}.cluster.{key}": value for key, value in client.items()})
        for key in ("topics", "groups"):
            for name, suffix in ((f"{key}Pattern", ""), (f"{key}ExcludePattern", ".exclude")):
                if flow.get(name):
                    config[key + suffix] = flow[name]
        config.update({key: str(value) for key, value in (connector.get("config") or {}).items()})
        state = "PAUSED" if connector.get("pause") else str(connector.get("state", "running")).upper()
        connectors[config["name"]] = (config, state)
    return connectors
