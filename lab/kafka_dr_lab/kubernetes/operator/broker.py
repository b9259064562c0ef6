# SPDX-License-Identifier: GPL-3.0-or-later
"""A real broker whose listeners are those of a ``Kafka`` resource."""

from __future__ import annotations

import shutil
import socket
import uuid
from pathlib import Path
from typing import Any

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._values.setting import setting

from ...pki import new_certificate
from ...plain_kafka import Kafka
from ...ports import free_ports


class Broker(Kafka):
    """One broker and controller. The operator talks to it on a listener of its own, which no client is told.

    :param resource: the ``Kafka`` resource.
    :param authorities: ``{clusterCa, clientsCa}`` with ``{certificate, key}`` each, as PEM.
    """

    def __init__(self, directory: Path, resource: dict[str, Any], authorities: dict[str, dict[str, str]]):
        name = resource["metadata"]["name"]
        super().__init__(directory, name, heap="512m")
        self._admin: KafkaClient | None = None
        self._config: dict[str, Any] = {}
        # Whether it was told to end, to be started with other settings.
        self.ending = False
        # What the operator wrote into this broker: passwords by user, and users with quotas.
        self.passwords: dict[str, str] = {}
        self.limited: set[str] = set()
        spec = resource["spec"]["kafka"]
        self.listeners = spec["listeners"]
        # A node port is given by the resource; other listeners get one as a load balancer would give it.
        node_ports = [
            (listener.get("configuration") or {}).get("bootstrap", {}).get("nodePort") for listener in self.listeners
        ]
        self.ports = {
            listener["name"]: port or free
            for listener, port, free in zip(self.listeners, node_ports, free_ports(len(self.listeners)), strict=True)
        }
        self.cluster_id = uuid.uuid4().hex[:22]
        serving = new_certificate(authorities["clusterCa"], f"{name}-kafka", ["127.0.0.1", "localhost"])
        for file, text in (
            ("keystore.pem", serving["key"] + serving["certificate"]),
            ("clients.pem", authorities["clientsCa"]["certificate"]),
        ):
            (directory / file).write_text(text)
            (directory / file).chmod(0o600)
        self.properties.update(self._listener_properties())
        if (spec.get("authorization") or {}).get("type") == "simple":
            superusers = ["ANONYMOUS", *(spec["authorization"].get("superUsers") or [])]
            self.properties.update(
                {
                    "authorizer.class.name": "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                    "super.users": ";".join(f"User:{user}" for user in superusers),
                }
            )
        # What is not the resource's to say.
        self._own = dict(self.properties)
        self.configure(resource)

    def configure(self, resource: dict[str, Any]) -> None:
        """Take the settings of the resource, for the next start."""
        self.ending, self._config = False, resource["spec"]["kafka"].get("config") or {}
        self.properties = {**self._own, **{key: setting(value) for key, value in self._config.items()}}

    def is_configured(self, resource: dict[str, Any]) -> bool:
        """Whether the settings of the resource are those that were taken last."""
        return self._config == (resource["spec"]["kafka"].get("config") or {})

    def _listener_properties(self) -> dict[str, str]:
        properties = {
            "ssl.keystore.type": "PEM",
            "ssl.keystore.location": str(self.directory / "keystore.pem"),
            "ssl.truststore.type": "PEM",
            "ssl.truststore.location": str(self.directory / "clients.pem"),
            "ssl.principal.mapping.rules": "RULE:^CN=([^,]+).*$/$1/",
            "sasl.enabled.mechanisms": "SCRAM-SHA-512",
        }
        addresses, protocols = [self.properties["listeners"]], ["PLAINTEXT:PLAINTEXT", "CONTROLLER:PLAINTEXT"]
        for listener in self.listeners:
            name, kind = listener["name"], (listener.get("authentication") or {}).get("type")
            protocol = ("SASL_" if kind == "scram-sha-512" else "") + ("SSL" if listener.get("tls") else "PLAINTEXT")
            addresses.append(f"{name.upper()}://127.0.0.1:{self.ports[name]}")
            protocols.append(f"{name.upper()}:{protocol}")
            if kind == "tls":
                properties[f"listener.name.{name}.ssl.client.auth"] = "required"
            if kind == "scram-sha-512":
                properties[f"listener.name.{name}.scram-sha-512.sasl.jaas.config"] = (
                    "org.apache.kafka.common.security.scram.ScramLoginModule required;"
                )
        return {
            **properties,
            "listeners": ",".join(addresses),
            "listener.security.protocol.map": ",".join(protocols),
            "inter.broker.listener.name": "PLAINTEXT",
        }

    def answers(self) -> bool:
        """Whether the broker takes connections; its cluster id is read then."""
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
        """SIGKILL, and the data removed."""
        super().kill()
        shutil.rmtree(self.directory / "data", ignore_errors=True)
