# SPDX-License-Identifier: GPL-3.0-or-later
"""What Connect may answer, from a server that answers so on order; the rest is tested on real workers."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._connect import http
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError


@pytest.fixture
def worker():
    """A server whose ``answers`` are given in order, the last for ever; ``asked`` is what came."""
    asked, answers = [], []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
            asked.append((self.command, self.path, body, self.headers.get("Authorization")))
            status, content = answers.pop(0) if len(answers) > 1 else answers[0]
            data = (content if isinstance(content, str) else json.dumps(content)).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_GET = do_PUT = do_POST = do_DELETE = answer

        def log_message(self, *words):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.block_on_close = False
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    server.asked, server.answers, server.url = asked, answers, "http://127.0.0.1:%d" % server.server_port
    yield server
    server.shutdown()
    server.server_close()


def workers(worker, timeout=5, secrets=(), **more):
    return http.Workers({"urls": [worker.url], "timeout": timeout, **more}, secrets)


@pytest.mark.parametrize(
    "status, kind",
    [
        (401, "authentication"),
        (403, "authorization"),
        (404, "not_found"),
        (405, "not_found"),
        (400, "usage"),
        (422, "usage"),
        (500, "error"),
    ],
)
def test_each_refusal_is_an_error_of_its_own(worker, status, kind):
    worker.answers.append((status, {"error_code": status, "message": "because"}))
    with pytest.raises(KafkaDrError) as caught:
        workers(worker).get("connectors", "a b/c")
    assert caught.value.kind == kind
    assert worker.asked[0][1] == "/connectors/a%20b%2Fc"


@pytest.mark.parametrize("message", [5, [1], {"a": 1}])
def test_a_message_that_is_no_text_is_shown_as_it_came(worker, message):
    worker.answers.append((400, {"message": message}))
    with pytest.raises(KafkaDrError, match='"message"') as caught:
        workers(worker).get("connectors")
    assert caught.value.kind == "usage"


@pytest.mark.parametrize(
    "passing",
    [
        (409, "Cannot complete request because of a conflicting operation (e.g. worker rebalance)"),
        (
            409,
            "Cannot complete request momentarily due to stale configuration "
            "(typically caused by a concurrent config change)",
        ),
        (500, "IO Error trying to forward REST request: Connection refused"),
        (500, "Request timed out. The worker is currently polling"),
        (503, "starting"),
    ],
)
def test_what_passes_is_asked_again(worker, passing):
    worker.answers += [(passing[0], {"message": passing[1]}), (200, {"fine": True})]
    assert workers(worker).call("PUT", ("connectors", "x", "pause")) == {"fine": True}
    assert len(worker.asked) == 2


def test_what_does_not_pass_within_the_time_says_so(worker):
    worker.answers.append((409, {"message": "worker rebalance"}))
    with pytest.raises(KafkaDrError, match="worker rebalance") as caught:
        workers(worker, timeout=1).get("connectors")
    assert caught.value.kind == "timeout"


def test_a_connector_that_exists_is_no_rebalance(worker):
    worker.answers.append((409, {"message": "Connector x already exists"}))
    with pytest.raises(http.Conflict):
        workers(worker).call("POST", ("connectors",), {})
    assert len(worker.asked) == 1


def test_another_worker_is_asked_where_one_is_gone(worker):
    worker.answers.append((200, []))
    made = http.Workers({"urls": ["http://127.0.0.1:1", worker.url], "timeout": 5})
    assert made.get("connectors") == []


def test_nobody_answers():
    with pytest.raises(KafkaDrError) as caught:
        http.Workers({"urls": ["http://127.0.0.1:1"], "timeout": 5}).get("connectors")
    assert caught.value.kind == "unreachable" and "http://127.0.0.1:1" in str(caught.value)


def test_the_password_goes_in_the_header_and_never_into_a_message(worker):
    worker.answers.append((400, {"message": "Invalid value s3cret-one for x, user pass s3cret-two"}))
    with pytest.raises(KafkaDrError) as caught:
        workers(worker, username="u", password="s3cret-two", secrets=["s3cret-one"]).get("connectors")
    assert worker.asked[0][3] == "Basic dTpzM2NyZXQtdHdv"
    assert "s3cret" not in str(caught.value)


def test_what_is_no_connect_is_told(worker):
    worker.answers.append((200, "<html>"))
    with pytest.raises(KafkaDrError, match="no Connect worker"):
        workers(worker).get("connectors")


@pytest.mark.parametrize("url", ["ftp://x", "connect:8083", "http://", "http://u:hunter2@h:1", "http://h:0"])
def test_addresses_that_cannot_be_used(url):
    with pytest.raises(KafkaDrError) as caught:
        http.Workers({"urls": [url]})
    assert "hunter2" not in str(caught.value)


def test_a_password_without_encryption_is_warned_of_except_on_loopback():
    assert http.Workers({"urls": ["http://connect:8083"], "username": "u", "password": "p"}).warnings()
    assert not http.Workers({"urls": ["http://127.0.0.1:8083"], "username": "u", "password": "p"}).warnings()
    assert not http.Workers({"urls": ["https://connect:8083"], "username": "u", "password": "p"}).warnings()


@pytest.mark.parametrize(
    "parts",
    [
        {"ca_pem": "nonsense"},
        {"certificate_pem": "x"},
        {"key_pem": "x"},
        {"certificate_pem": "x", "key_pem": "hunter2"},
    ],
)
def test_certificates_that_cannot_be_used(parts):
    with pytest.raises(KafkaDrError) as caught:
        http.Workers({"urls": ["https://h"], **parts})
    assert caught.value.kind == "usage" and "hunter2" not in str(caught.value)
