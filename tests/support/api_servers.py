# SPDX-License-Identifier: GPL-3.0-or-later
"""What stands where an API server of Kubernetes should, and is none."""

from __future__ import annotations

import http.server
import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any


@contextmanager
def silent() -> Iterator[str]:
    """The address of a server that takes a connection and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"https://127.0.0.1:{server.getsockname()[1]}"


@contextmanager
def saying(status: int, body: bytes) -> Iterator[str]:
    class Answer(Handler):
        def do_GET(self) -> None:
            self.send_response(status)
            self.end_headers()
            self.wfile.write(body)

    with _served(Answer) as address:
        yield address


@contextmanager
def answering(answers: Mapping[str, Any], hangs: str = "") -> Iterator[str]:
    """The address of a server that answers paths with JSON, others with 404, and those with ``hangs`` in them never."""

    class Answer(Handler):
        def do_GET(self) -> None:
            path = self.path.split("?")[0].rstrip("/")
            if hangs and hangs in path:
                time.sleep(600)
            found = answers.get(path)
            missing = {"kind": "Status", "code": 404, "reason": "NotFound", "message": "not found"}
            self.send_response(404 if found is None else 200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(json.dumps(missing if found is None else found).encode())

    with _served(Answer) as address:
        yield address


def discovery(version: str, **kinds: str) -> dict[str, Any]:
    """Answers of an API server about one group of kinds beside its core.

    :param version: such as ``apps/v1``. :param kinds: the plural of each.
    """
    group, dummy, number = version.partition("/")
    served = {"groupVersion": version, "version": number}
    groups = [{"name": group, "versions": [served], "preferredVersion": served}]
    resources = [
        {"name": plural, "singularName": name.lower(), "namespaced": True, "kind": name, "verbs": ["get", "list"]}
        for name, plural in kinds.items()
    ]
    return {
        "/version": {"major": "1", "minor": "34", "gitVersion": "v1.34.0"},
        "/api": {"kind": "APIVersions", "versions": ["v1"]},
        "/api/v1": {"kind": "APIResourceList", "groupVersion": "v1", "resources": []},
        "/apis": {"kind": "APIGroupList", "groups": groups},
        f"/apis/{version}": {"kind": "APIResourceList", "groupVersion": version, "resources": resources},
    }


class Handler(http.server.BaseHTTPRequestHandler):
    """One that says nothing of its own."""

    def log_message(self, *dummy: Any) -> None:
        pass


@contextmanager
def _served(handler: type[Handler]) -> Iterator[str]:
    """The address of a server that ends with the block, whatever a request of it still waits for."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.block_on_close = False
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
