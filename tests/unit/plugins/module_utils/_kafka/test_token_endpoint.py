# SPDX-License-Identifier: GPL-3.0-or-later
"""The secret of an OAUTHBEARER client goes to the token endpoint that was given, over TLS, and nowhere else."""

from __future__ import annotations

import base64
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import AuthenticationError, UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.oauth import ClientCredentials

SECRET = "hush-hush-42"
GIVEN = {
    "sasl.oauthbearer.method": "oidc",
    "sasl.oauthbearer.client.id": "me",
    "sasl.oauthbearer.client.secret": SECRET,
    "bootstrap.servers": "127.0.0.1:1",
    "security.protocol": "SASL_SSL",
    "sasl.mechanism": "OAUTHBEARER",
}


@pytest.fixture
def endpoint():
    """Starts a server that answers with these headers; ``heard`` has all that any of them was sent."""
    servers, heard = [], []

    def start(status, **headers):
        class Answer(BaseHTTPRequestHandler):
            def do_POST(self):
                heard.append(
                    (
                        self.server.server_address[1],
                        str(self.headers),
                        self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode(),
                    )
                )
                self.send_response(status)
                for key, value in {**headers, "Content-Length": "0"}.items():
                    self.send_header(key, value)
                self.end_headers()

            do_GET = do_POST

            def log_message(self, *words):
                pass

        servers.append(ThreadingHTTPServer(("127.0.0.1", 0), Answer))
        threading.Thread(target=servers[-1].serve_forever, daemon=True).start()
        return servers[-1].server_address[1]

    yield start, heard
    for one in servers:
        one.shutdown()
        one.server_close()


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_told_and_not_followed(status, endpoint):
    start, heard = endpoint
    elsewhere = start(200)
    first = start(status, Location=f"http://127.0.0.1:{elsewhere}/token")
    with pytest.raises(AuthenticationError) as caught:
        ClientCredentials(
            {**GIVEN, "sasl.oauthbearer.token.endpoint.url": f"http://127.0.0.1:{first}/token"}, 5
        ).token()
    assert "redirect" in str(caught.value) and SECRET not in str(caught.value)
    assert {port for port, dummy, dummy in heard} == {first}
    assert base64.b64encode(f"me:{SECRET}".encode()).decode() in heard[0][1]


@pytest.mark.parametrize(
    "url",
    [
        "http://sso.example.com/token",
        "ftp://sso.example.com/token",
        "http://127.0.0.1.example.com/token",
        "file:///etc/passwd",
        "//sso/token",
        "http://localhost@sso.example.com/token",
    ],
)
@pytest.mark.parametrize("make", [lambda config: ClientCredentials(config, 5), KafkaClient])
def test_an_endpoint_without_tls_is_refused(url, make):
    with pytest.raises(UsageError) as caught:
        make({**GIVEN, "sasl.oauthbearer.token.endpoint.url": url})
    assert "expected an address that begins with https://" in str(caught.value) and SECRET not in str(caught.value)


@pytest.mark.parametrize(
    "url",
    ["https://sso.example.com/token", "http://127.0.0.1:8080/token", "http://[::1]/token", "http://localhost/token"],
)
def test_tls_and_this_machine_are_taken(url):
    assert (
        KafkaClient({**GIVEN, "sasl.oauthbearer.token.endpoint.url": url}).config["sasl.oauthbearer.token.endpoint.url"]
        == url
    )


def test_a_proxy_of_the_environment_does_not_learn_it(endpoint, monkeypatch):
    start, heard = endpoint
    proxy, first = start(200), start(401)
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy}")
    monkeypatch.delenv("no_proxy", raising=False)
    with pytest.raises(AuthenticationError):
        ClientCredentials(
            {**GIVEN, "sasl.oauthbearer.token.endpoint.url": f"http://127.0.0.1:{first}/token"}, 5
        ).token()
    assert {port for port, dummy, dummy in heard} == {first}
