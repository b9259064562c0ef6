# SPDX-License-Identifier: GPL-3.0-or-later
"""HTTPS against a server that wants a client certificate."""

from __future__ import annotations

import ssl
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._connect import http
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError
from tests.real.hosts.secured import Authority

AUTHORITY = Authority()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"[]")

    def log_message(self, *words):
        pass


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    certificate, key = AUTHORITY.issue("server")
    path = tmp_path_factory.mktemp("tls") / "server.pem"
    path.write_text(key + certificate)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    context.load_verify_locations(cadata=AUTHORITY.pem)
    context.verify_mode = ssl.CERT_REQUIRED
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    server.block_on_close = False
    server.handle_error = lambda *words: None
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"https://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def get(url, **parts):
    return http.Workers({"urls": [url], "timeout": 5, **parts}).get("connectors")


def test_with_a_certificate_that_the_server_trusts(url):
    certificate, key = AUTHORITY.issue("client")
    assert get(url, ca_pem=AUTHORITY.pem, certificate_pem=certificate, key_pem=key) == []


def test_a_server_that_we_do_not_trust(url):
    with pytest.raises(KafkaDrError) as caught:
        get(url, ca_pem=Authority("other").pem)
    assert caught.value.kind == "authentication" and "ca_pem" in str(caught.value)


def test_a_server_by_another_name(url):
    with pytest.raises(KafkaDrError) as caught:
        get(url.replace("127.0.0.1", "localhost"), ca_pem=AUTHORITY.pem)
    assert caught.value.kind == "authentication"


def test_without_our_certificate_the_way_out_is_named(url):
    with pytest.raises(KafkaDrError, match="certificate_pem"):
        get(url, ca_pem=AUTHORITY.pem)


def test_an_encrypted_key_without_its_password_asks_nobody(url):
    from cryptography.hazmat.primitives.serialization import (
        BestAvailableEncryption,
        Encoding,
        PrivateFormat,
        load_pem_private_key,
    )

    certificate, key = AUTHORITY.issue("client")
    locked = (
        load_pem_private_key(key.encode(), None)
        .private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"pw"))
        .decode()
    )
    with pytest.raises(KafkaDrError) as caught:
        get(url, ca_pem=AUTHORITY.pem, certificate_pem=certificate, key_pem=locked)
    assert caught.value.kind == "usage"
    assert get(url, ca_pem=AUTHORITY.pem, certificate_pem=certificate, key_pem=locked, key_password="pw") == []
