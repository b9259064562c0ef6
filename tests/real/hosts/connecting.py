# SPDX-License-Identifier: GPL-3.0-or-later
"""A real Kafka Connect cluster of two workers, and the collection's modules run against it as Ansible runs them."""

from __future__ import annotations

import json
from pathlib import Path

from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, load_pem_private_key, pkcs12
from cryptography.x509 import load_pem_x509_certificate

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._connect.connectors import Connectors
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._connect.http import Workers
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.connectors import (
    connector_names,
    mirror_connectors,
)
from tests.support.connect import ConnectWorker
from tests.support.jars import jar
from tests.support.kafka import free_ports
from tests.support.module_runs import run_module_file

from .mirrors import exists, read
from .secured import Authority, java_truststore

USER = {"username": "stages", "password": "rest'pass word"}


class Cluster:
    """Two workers: HTTP and HTTPS with client certificates, both with users and passwords."""

    def __init__(self, directory, target, group: str = "kdr-connect"):
        self.authority = Authority("connect authority")
        self._trusted = java_truststore(directory, self.authority, "PKCS12")
        login, extension = self._login(directory), jar("org.apache.kafka", "connect-basic-auth-extension", "4.3.1")
        self.workers, self.secure = [], []
        for name in ("one", "two"):
            worker = ConnectWorker(
                directory / name,
                name,
                {"bootstrap.servers": target.bootstrap},
                group,
                options=(f"-Djava.security.auth.login.config={login}",),
                jars=(extension,),
            )
            port = free_ports(1)[0]
            worker.properties.update(self._rest_properties(directory / name, worker.url, port))
            self.workers.append(worker.start())
            self.secure.append(f"https://localhost:{port}")
        self.urls = [worker.url for worker in self.workers]
        for worker in self.workers:
            worker.await_ready(
                lambda url=worker.url: Workers({"urls": [url], "timeout": 5, **USER}).get("connectors") is not None, 90
            )

    def _login(self, directory: Path) -> Path:
        """The JAAS file of the workers, which names the one user."""
        (directory / "users.properties").write_text(f"{USER['username']}: {USER['password']}\n")
        login = directory / "login.conf"
        login.write_text(
            "KafkaConnect { org.apache.kafka.connect.rest.basic.auth.extension.PropertyFileLoginModule required "
            f'file="{directory / "users.properties"}"; }};\n'
        )
        return login

    def _rest_properties(self, directory: Path, url: str, port: int) -> dict:
        """What a worker answers on: ``url``, and HTTPS with client certificates on ``port``."""
        issued = self.authority.issue(directory.name, hosts=["localhost"])
        return {
            "rest.extension.classes": (
                "org.apache.kafka.connect.rest.basic.auth.extension.BasicAuthSecurityRestExtension"
            ),
            "listeners": f"{url},https://127.0.0.1:{port}",
            # Connect's REST interface, unlike Kafka's clients, reads no PEM.
            "listeners.https.ssl.keystore.type": "PKCS12",
            "listeners.https.ssl.keystore.location": self._keystore(directory, *issued),
            "listeners.https.ssl.keystore.password": "storepass",
            "listeners.https.ssl.key.password": "storepass",
            "listeners.https.ssl.truststore.type": "PKCS12",
            "listeners.https.ssl.truststore.location": self._trusted,
            "listeners.https.ssl.truststore.password": "storepass",
            "listeners.https.ssl.client.auth": "required",
        }

    def _keystore(self, directory, certificate: str, key: str):
        directory.mkdir(exist_ok=True)
        path = directory / "keystore.p12"
        path.write_bytes(
            pkcs12.serialize_key_and_certificates(
                b"worker",
                load_pem_private_key(key.encode(), None),
                load_pem_x509_certificate(certificate.encode()),
                [self.authority.certificate],
                BestAvailableEncryption(b"storepass"),
            )
        )
        return path

    def stop(self) -> None:
        for worker in self.workers:
            worker.stop(5)

    def module(self, name: str, check: bool = False, **arguments) -> dict:
        """Run one module as Ansible does: its file, arguments on standard input, JSON back."""
        arguments = {
            "urls": self.urls,
            "timeout": 60,
            **USER,
            **arguments,
            "_ansible_check_mode": check,
            "_ansible_diff": True,
        }
        result, dummy = run_module_file(name, arguments)
        result.pop("invocation", None)
        assert USER["password"] not in json.dumps(result)
        return result

    def ensure(self, connectors, **options) -> dict:
        result = self.module("connect_connectors", connectors=connectors, **options)
        assert not result.get("failed"), result["msg"]
        return result

    def refused(self, connectors, **options) -> dict:
        result = self.module("connect_connectors", connectors=connectors, **options)
        assert result.get("failed"), result
        return result

    def seen(self, name):
        return Connectors(Workers({"urls": self.urls, "timeout": 30, **USER})).every().get(name)

    def offsets(self, name):
        return Connectors(Workers({"urls": self.urls, "timeout": 30, **USER})).offsets(name)


class Mirror:
    """One mirror from ``source`` to ``target``, over one topic, as connectors."""

    def __init__(self, name: str, two_clusters):
        self.topic = f"{name}.items"
        self.mirror = {
            "name": name,
            "source": "source",
            "target": "target",
            "topics": [f"{name}\\..*"],
            "groups": [f"{name}-.*"],
            "tuning": {"replication_factor": 1, "refresh_seconds": 2, "checkpoint_seconds": 1},
        }
        self.names = connector_names(self.mirror)
        self.clients = {region: one.client for region, one in two_clusters.items()}

    def described(self, **config) -> list[dict]:
        mirror = dict(self.mirror, config={"source": config} if config else {})
        return mirror_connectors(mirror, self.clients, "${file:/nowhere/{mirror}:{region}.{key}}")

    def forgetting(self) -> list[dict]:
        """The same, so that their offsets can be reset: on the workers' own topic, by the workers' own client."""
        made = mirror_connectors(self.mirror, self.clients, "${file:/nowhere/{mirror}:{region}.{key}}", False, False)
        return [{**one, "reset_offsets": True} for one in made]

    def values(self, region: str, partition: int = 0) -> list:
        client = self.clients[region]
        return [one.value() for one in read(client, self.topic, partition)] if exists(client, self.topic) else []

    def every(self, **more) -> list[dict]:
        return [{"name": name, **more} for name in self.names.values()]


def only(name, **more):
    return [{"name": name, **more}]
