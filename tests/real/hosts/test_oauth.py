# SPDX-License-Identifier: GPL-3.0-or-later
"""OAUTHBEARER with client credentials: a token endpoint that signs, a broker that checks the signature, and both
clients of one description.
"""

from __future__ import annotations

import base64
import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.quotas import describe_quotas

from .mirrors import Mirror, create, exists, read, send, until
from .secured import Authority, secured_kafka

pytestmark = pytest.mark.full
SECRET = 'client"secret\\7'
MIRROR = {
    "name": "x",
    "source": "source",
    "target": "target",
    "topics": ["oauth.*"],
    "groups": ["none"],
    "tuning": {"replication_factor": 1},
}


def text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Issuer(BaseHTTPRequestHandler):
    """Client credentials in, a token signed with RS256 out; its public key under /keys."""

    key = rsa.generate_private_key(65537, 2048)
    refused: list[str] = []

    def do_GET(self):
        numbers = self.key.public_key().public_numbers()
        self.answer(
            200,
            {
                "keys": [
                    {
                        "kty": "RSA",
                        "use": "sig",
                        "alg": "RS256",
                        "kid": "one",
                        "n": text(numbers.n.to_bytes(256, "big")),
                        "e": text(numbers.e.to_bytes(3, "big")),
                    }
                ]
            },
        )

    def do_POST(self):
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        given = base64.b64decode(self.headers.get("Authorization", "Basic ").split(" ", 1)[1]).decode()
        if given != f"mirror:{SECRET}":
            self.refused.append(given)
            self.answer(401, {"error": "invalid_client"})
            return
        now = int(time.time())
        claims = {"sub": "mirror", "aud": "kafka", "iss": "test", "iat": now - 5, "exp": now + 3600, "scope": "kafka"}
        signed = ".".join(
            text(json.dumps(part).encode()) for part in ({"alg": "RS256", "typ": "JWT", "kid": "one"}, claims)
        )
        signature = self.key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256())
        self.answer(200, {"access_token": f"{signed}.{text(signature)}", "token_type": "Bearer", "expires_in": 3600})

    def answer(self, code, content):
        data = json.dumps(content).encode()
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *words):
        pass


@pytest.fixture
def issuer():
    """The address of a token endpoint."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Issuer)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()


def client_of(broker, authority, issuer):
    return {
        "bootstrap.servers": f"127.0.0.1:{broker.ports['OAUTH']}",
        "security.protocol": "SASL_SSL",
        "ssl.ca.pem": authority.pem,
        "sasl.mechanism": "OAUTHBEARER",
        "sasl.oauthbearer.method": "oidc",
        "sasl.oauthbearer.client.id": "mirror",
        "sasl.oauthbearer.token.endpoint.url": f"{issuer}/token",
        "sasl.oauthbearer.scope": "kafka",
    }


def test_client_credentials_reach_a_broker_that_checks_signatures(tmp_path, monkeypatch, issuer):
    authority = Authority()
    monkeypatch.setenv(
        "JAVA_TOOL_OPTIONS", f"-Dorg.apache.kafka.sasl.oauthbearer.allowed.urls={issuer}/keys,{issuer}/token"
    )
    kafkas = {
        name: secured_kafka(tmp_path / name, name, authority, jwks=f"{issuer}/keys").start(wait=0)
        for name in ("source", "target")
    }
    clients = {name: client_of(broker, authority, issuer) for name, broker in kafkas.items()}
    secrets = {name: {"sasl.oauthbearer.client.secret": SECRET} for name in kafkas}
    mirror = None
    try:
        for name, one in kafkas.items():
            one.await_ready()
            assert KafkaClient(clients[name], secrets[name], 20, name).metadata().brokers
            assert describe_quotas(KafkaClient(clients[name], secrets[name], 20, name)) == []
        create(kafkas["source"].client, "oauth.items")
        send(kafkas["source"].client, "oauth.items", [b"through"])
        mirror = Mirror(tmp_path / "mirror", MIRROR, clients, secrets).start()
        target = kafkas["target"].client
        until(
            lambda: (
                exists(target, "oauth.items") and [one.value() for one in read(target, "oauth.items")] == [b"through"]
            ),
            "the record",
            150,
        )
        assert Issuer.refused == []
    finally:
        if mirror:
            mirror.stop(5)
        for one in kafkas.values():
            one.stop(5)
