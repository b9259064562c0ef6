# SPDX-License-Identifier: GPL-3.0-or-later
"""``KafkaMirrorMaker2``: a real Connect worker with the connectors of the resource, both shapes of it.

The worker's and the connectors' settings are those that Strimzi derives (``KafkaMirrorMaker2Connectors``).
"""

from __future__ import annotations

import json
import socket
import time
import urllib.error
import urllib.request
from pathlib import Path

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.java_client import java_client
from tests.support.kafka import JavaProcess, free_ports

PACKAGE = "org.apache.kafka.connect.mirror"
CONNECTORS = {"sourceConnector": "MirrorSourceConnector", "checkpointConnector": "MirrorCheckpointConnector", "heartbeatConnector": "MirrorHeartbeatConnector"}
# As long as Connect's answer to a stop lasts where the connector obeys.
OBEY_SECONDS = 1.5
# A connector whose source is dead hangs in its own requests, and stays RUNNING for as long after it was first asked to stop.
LATE_SECONDS = 8
BYTES = "org.apache.kafka.connect.converters.ByteArrayConverter"


class Worker(JavaProcess):
    """A Connect worker in distributed mode, its REST interface on loopback."""

    def __init__(self, directory: Path, properties: dict):
        super().__init__(directory, "connect")
        self.port = free_ports(1)[0]
        self.applied: dict = {}
        self.asked: dict[str, float] = {}
        # Every plugin here has a manifest: looking through all jars costs six seconds.
        self.properties = {"plugin.discovery": "service_load", **properties, "listeners": f"http://127.0.0.1:{self.port}", "key.converter": BYTES,
                           "value.converter": BYTES, "header.converter": BYTES, "scheduled.rebalance.max.delay.ms": "1000"}

    def start(self) -> Worker:
        file = self.directory / "connect.properties"
        file.write_text("".join("%s=%s\n" % (key, str(value).replace("\\", "\\\\").replace("\n", "\\n")) for key, value in self.properties.items()))
        file.chmod(0o600)
        self.launch("org.apache.kafka.connect.cli.ConnectDistributed", str(file), heap="768m")
        return self

    def ask(self, method: str, path: str, body=None):
        """An answer of the REST interface; None where it gives none yet."""
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}{path}", None if body is None else json.dumps(body).encode(),
                                         {"Content-Type": "application/json"}, method=method)
        try:
            text = urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=5).read()
        except urllib.error.HTTPError as error:
            if error.code == 400:
                from .loop import Refusal

                raise Refusal(f"{method} {path} returned 400 (Bad Request): {json.loads(error.read()).get('message')}", "ConnectRestException") from None
            return None
        except (OSError, urllib.error.URLError):
            return None
        return json.loads(text) if text else {}


def reconcile(operator, resource: dict) -> dict | None:
    """The status of a KafkaMirrorMaker2, or None while its worker or its connectors are not where they are wanted."""
    from .loop import key_of

    meta, spec = resource["metadata"], resource["spec"]
    target, flows = _sides(spec)
    properties = _worker_properties(operator, meta["namespace"], target)
    connectors = {}
    for source, flow in flows:
        connectors.update(_connectors(operator, meta["namespace"], source, target, flow))
    worker = operator.workers.get(key_of(resource))
    if spec.get("replicas", 1) == 0:
        if worker:
            # The status repeats the spec; the pod ends in its own time.
            operator.end(operator.workers.pop(key_of(resource)))
        return {"replicas": 0, "connectors": None, "url": None}
    if worker and (not worker.alive() or any(worker.properties.get(key) != value for key, value in properties.items())):
        operator.workers.pop(key_of(resource)).stop()
        worker = None
    if worker is None:
        directory = operator.directory / f"{meta['namespace']}-{meta['name']}-{meta['uid'][:8]}-mm2"
        operator.workers[key_of(resource)] = Worker(directory, properties).start()
        return None
    if worker.ask("GET", "/connectors") is None:
        return None
    return _drive(worker, connectors)


def _drive(worker: Worker, connectors: dict) -> dict | None:
    """Bring the connectors to their settings, ask for their states once, and say what Connect says then; None while one is being made."""
    for name in set(worker.ask("GET", "/connectors") or []) - set(connectors):
        worker.ask("DELETE", f"/connectors/{name}")
    reported, blocked = [], False
    for name, (config, state) in connectors.items():
        path = f"/connectors/{name.replace('>', '%3E')}"
        if worker.applied.get(name) != config:
            if worker.ask("PUT", f"{path}/config", config) is None:
                return None
            worker.applied[name] = config
        found = worker.ask("GET", f"{path}/status")
        if found is None or found["connector"]["state"] in ("UNASSIGNED", "RESTARTING"):
            return None
        # One that has failed is left as it is, whatever is wanted (AbstractConnectOperator.updateState).
        if found["connector"]["state"] not in (state, "FAILED"):
            late = state == "STOPPED" and not _answers(config["source.cluster.bootstrap.servers"])
            if not late or time.monotonic() - worker.asked.setdefault(name, time.monotonic()) > LATE_SECONDS:
                found = _ask_for(worker, path, state) or found
            blocked = blocked or found["connector"]["state"] != state
        else:
            worker.asked.pop(name, None)
        for task in found["tasks"]:
            task.pop("worker_id", None)
        reported.append({"name": name, "type": found.get("type"), "connector": {key: value for key, value in found["connector"].items() if key != "worker_id"},
                         "tasks": found["tasks"]})
    return {"replicas": 1, "connectors": reported, "url": f"http://127.0.0.1:{worker.port}", "blocked": blocked}


def _answers(bootstrap: str) -> bool:
    for one in bootstrap.split(","):
        host, dummy, port = one.rpartition(":")
        try:
            with socket.create_connection((host, int(port)), 1):
                return True
        except OSError:
            continue
    return False


def _ask_for(worker: Worker, path: str, state: str) -> dict | None:
    """What Connect says of a connector that was asked for a state; it may not obey for long, where its source does not answer."""
    worker.ask("PUT", f"{path}/{ {'RUNNING': 'resume', 'PAUSED': 'pause', 'STOPPED': 'stop'}[state] }")
    end, found = time.monotonic() + OBEY_SECONDS, None
    while time.monotonic() < end:
        found = worker.ask("GET", f"{path}/status")
        if found is not None and found["connector"]["state"] == state:
            break
        time.sleep(0.2)
    return found


def _sides(spec: dict):
    if "target" in spec:
        return spec["target"], [(one["source"], one) for one in spec["mirrors"]]
    clusters = {one["alias"]: one for one in spec["clusters"]}
    config = clusters[spec["connectCluster"]].get("config") or {}
    target = {**clusters[spec["connectCluster"]], "groupId": config.get("group.id", "mirrormaker2-cluster")}
    for key, default in (("config", "configs"), ("offset", "offsets"), ("status", "status")):
        target[f"{key}StorageTopic"] = config.get(f"{key}.storage.topic", f"mirrormaker2-cluster-{default}")
    return target, [(clusters[one["sourceCluster"]], one) for one in spec["mirrors"]]


def _client(operator, namespace: str, side: dict) -> dict:
    """Java properties of a side, secrets in them."""
    from .loop import Refusal

    def secret(name: str, key: str) -> str:
        data = operator.secret(namespace, name)
        if data is None or key not in data:
            raise Refusal(f"Secret {name} not found in namespace {namespace}", "InvalidConfigurationException")
        return data[key]

    client, secrets = {"bootstrap.servers": side["bootstrapServers"]}, {}
    tls, authentication = side.get("tls"), side.get("authentication") or {}
    if tls is not None:
        client["ssl.ca.pem"] = "".join(secret(one["secretName"], one.get("certificate") or "ca.crt") for one in tls.get("trustedCertificates") or [])
    if authentication.get("type", "").startswith("scram"):
        reference = authentication["passwordSecret"]
        client.update({"sasl.mechanism": authentication["type"].upper(), "sasl.username": authentication["username"]})
        secrets["sasl.password"] = secret(reference["secretName"], reference["password"])
    elif authentication.get("type") == "tls":
        pair = authentication["certificateAndKey"]
        client["ssl.certificate.pem"], secrets["ssl.key.pem"] = secret(pair["secretName"], pair["certificate"]), secret(pair["secretName"], pair["key"])
    client["security.protocol"] = ("SASL_" if "sasl.mechanism" in client else "") + ("SSL" if tls is not None else "PLAINTEXT")
    return java_client(client, secrets.__getitem__)


def _worker_properties(operator, namespace: str, target: dict) -> dict:
    client = _client(operator, namespace, target)
    made = dict(client)
    for prefix in ("producer.", "consumer.", "admin."):
        made.update({prefix + key: value for key, value in client.items() if key != "bootstrap.servers"})
    made.update({"group.id": target["groupId"], "config.storage.topic": target["configStorageTopic"], "offset.storage.topic": target["offsetStorageTopic"],
                 "status.storage.topic": target["statusStorageTopic"], **{key: str(value) for key, value in (target.get("config") or {}).items()}})
    return made


def _connectors(operator, namespace: str, source: dict, target: dict, flow: dict) -> dict:
    made = {}
    for field, kind in CONNECTORS.items():
        if field not in flow:
            continue
        described = flow[field]
        config = {"connector.class": f"{PACKAGE}.{kind}", "name": f"{source['alias']}->{target['alias']}.{kind}",
                  "tasks.max": str(described.get("tasksMax", 1)), "source.cluster.alias": source["alias"], "target.cluster.alias": target["alias"]}
        for side, client in (("source", source), ("target", target)):
            config.update({f"{side}.cluster.{key}": value for key, value in _client(operator, namespace, client).items()})
        for key in ("topics", "groups"):
            for name, suffix in ((f"{key}Pattern", ""), (f"{key}ExcludePattern", ".exclude")):
                if flow.get(name):
                    config[key + suffix] = flow[name]
        config.update({key: str(value) for key, value in (described.get("config") or {}).items()})
        made[config["name"]] = (config, "PAUSED" if described.get("pause") else str(described.get("state", "running")).upper())
    return made
