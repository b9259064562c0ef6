# SPDX-License-Identifier: GPL-3.0-or-later
"""``Kafka``: certificate authorities as Secrets, then a real broker whose listeners are those of the resource."""

from __future__ import annotations

import shutil
import socket
import uuid
from pathlib import Path

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from kafka_dr_lab.pki import new_authority, new_certificate
from tests.support.kafka import Kafka, free_ports

AUTHORITIES = {"clusterCa": "cluster-ca", "clientsCa": "clients-ca"}


class Broker(Kafka):
    """One broker and controller; the operator talks to it on a listener of its own, which no client is told."""

    def __init__(self, directory: Path, resource: dict, authorities: dict):
        name = resource["metadata"]["name"]
        super().__init__(directory, name, heap="512m")
        self._admin: KafkaClient | None = None
        spec = resource["spec"]["kafka"]
        self.listeners = spec["listeners"]
        # A node port is given by the resource; other listeners get one as a load balancer would give it.
        given = [(one.get("configuration") or {}).get("bootstrap", {}).get("nodePort") for one in self.listeners]
        self.ports = {one["name"]: port or free for one, port, free in zip(self.listeners, given, free_ports(len(self.listeners)), strict=True)}
        self.cluster_id = uuid.uuid4().hex[:22]
        served = new_certificate(authorities["clusterCa"], f"{name}-kafka", ["127.0.0.1", "localhost"])
        for file, text in (("keystore.pem", served["key"] + served["certificate"]), ("clients.pem", authorities["clientsCa"]["certificate"])):
            (directory / file).write_text(text)
            (directory / file).chmod(0o600)
        self.properties.update(self._listener_properties())
        self.properties.update({key: str(value) for key, value in (spec.get("config") or {}).items()})
        if (spec.get("authorization") or {}).get("type") == "simple":
            self.properties.update({
                "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                "super.users": ";".join(["User:ANONYMOUS", *(f"User:{one}" for one in spec["authorization"].get("superUsers") or [])]),
            })

    def _listener_properties(self) -> dict:
        made = {
            "ssl.keystore.type": "PEM", "ssl.keystore.location": str(self.directory / "keystore.pem"),
            "ssl.truststore.type": "PEM", "ssl.truststore.location": str(self.directory / "clients.pem"),
            "ssl.principal.mapping.rules": "RULE:^CN=([^,]+).*$/$1/", "sasl.enabled.mechanisms": "SCRAM-SHA-512",
        }
        names, protocols = [self.properties["listeners"]], ["PLAINTEXT:PLAINTEXT", "CONTROLLER:PLAINTEXT"]
        for one in self.listeners:
            name, kind = one["name"].upper(), (one.get("authentication") or {}).get("type")
            protocol = ("SASL_" if kind == "scram-sha-512" else "") + ("SSL" if one.get("tls") else "PLAINTEXT")
            names.append(f"{name}://127.0.0.1:{self.ports[one['name']]}")
            protocols.append(f"{name}:{protocol}")
            if kind == "tls":
                made[f"listener.name.{one['name']}.ssl.client.auth"] = "required"
            if kind == "scram-sha-512":
                made[f"listener.name.{one['name']}.scram-sha-512.sasl.jaas.config"] = "org.apache.kafka.common.security.scram.ScramLoginModule required;"
        return {**made, "listeners": ",".join(names), "listener.security.protocol.map": ",".join(protocols), "inter.broker.listener.name": "PLAINTEXT"}

    def answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), 0.3):
                pass
        except OSError:
            return False
        self.cluster_id = self.admin().metadata().cluster_id
        return True

    def admin(self) -> KafkaClient:
        """The operator's own client, made once."""
        if self._admin is None:
            self._admin = KafkaClient({"bootstrap.servers": self.bootstrap}, timeout=10)
        return self._admin

    def kill(self) -> None:
        super().kill()
        shutil.rmtree(self.directory / "data", ignore_errors=True)


def reconcile(operator, resource: dict) -> dict | None:
    """The status of a Kafka, or None while the broker starts."""
    from .loop import key_of

    meta = resource["metadata"]
    authorities = {field: _authority(operator, resource, field) for field in AUTHORITIES}
    broker = operator.brokers.get(key_of(resource))
    if broker is None:
        directory = operator.directory / f"{meta['namespace']}-{meta['name']}-{meta['uid'][:8]}"
        directory.mkdir(parents=True, exist_ok=True)
        broker = operator.brokers[key_of(resource)] = Broker(directory, resource, authorities)
        broker.start(wait=0)
    if not broker.answers():
        return None
    certificate = authorities["clusterCa"]["certificate"]
    return {
        "clusterId": broker.cluster_id, "kafkaVersion": "4.1.1", "operatorLastSuccessfulVersion": "1.0.1",
        "listeners": [{
            "name": one["name"], "addresses": [{"host": "127.0.0.1", "port": broker.ports[one["name"]]}],
            "bootstrapServers": f"127.0.0.1:{broker.ports[one['name']]}", **({"certificates": [certificate]} if one.get("tls") else {}),
        } for one in broker.listeners],
    }


def _authority(operator, resource: dict, field: str) -> dict:
    """``{certificate, key}`` out of the Secrets, which are made where the operator may make them."""
    from .loop import Refusal

    name, namespace = resource["metadata"]["name"], resource["metadata"]["namespace"]
    names = (f"{name}-{AUTHORITIES[field]}-cert", f"{name}-{AUTHORITIES[field]}")
    certificate, key = (operator.secret(namespace, one) for one in names)
    if certificate is None or key is None:
        if (resource["spec"].get(field) or {}).get("generateCertificateAuthority") is False:
            raise Refusal(f"{'Cluster' if field == 'clusterCa' else 'Clients'} CA should not be generated, but the secrets were not found.")
        made = new_authority(f"{name} {field}")
        certificate, key = {"ca.crt": made["certificate"]}, {"ca.key": made["key"]}
        labels = {"strimzi.io/cluster": name, "strimzi.io/kind": "Kafka"}
        operator.keep_secret(resource, names[0], certificate, labels, {"strimzi.io/ca-cert-generation": "0"})
        operator.keep_secret(resource, names[1], key, labels, {"strimzi.io/ca-key-generation": "0"})
    return {"certificate": certificate["ca.crt"], "key": key["ca.key"]}
