# SPDX-License-Identifier: GPL-3.0-or-later
"""A broker behind a slow link: what clients send arrives at so many bytes a second."""

from __future__ import annotations

import contextlib
import socket
import socketserver
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from .kafka import Kafka, free_ports

# Small enough that a rate is one, and requests of a few bytes are not held up.
PORTION, FREE = 16384, 200


class _Handler(socketserver.BaseRequestHandler):
    """One connection of a client, and the broker's end of it."""

    def handle(self) -> None:
        with contextlib.suppress(OSError), socket.create_connection(self.server.behind) as broker:  # type: ignore[attr-defined]
            threading.Thread(target=_forward, args=(broker, self.request, 0), daemon=True).start()
            _forward(self.request, broker, self.server.rate)  # type: ignore[attr-defined]


def _forward(source: socket.socket, target: socket.socket, rate: int) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(PORTION):
            target.sendall(data)
            if rate and len(data) > FREE:
                time.sleep(len(data) / rate)
    for end in (source, target):
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)


@contextlib.contextmanager
def behind_slow_link(directory: Path, rate: int) -> Iterator[dict[str, str]]:
    """The client description of a broker that is reached over such a link, at ``rate`` bytes a second a connection."""
    far, link = free_ports(2)
    broker = Kafka(directory)
    listeners = broker.properties["listeners"]
    broker.properties |= {
        "listeners": f"{listeners},FAR://127.0.0.1:{far}",
        "advertised.listeners": f"PLAINTEXT://127.0.0.1:{broker.port},FAR://127.0.0.1:{link}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT,FAR:PLAINTEXT",
        "inter.broker.listener.name": "PLAINTEXT",
    }
    broker.start()
    try:
        with socketserver.ThreadingTCPServer(("127.0.0.1", link), _Handler) as server:
            server.daemon_threads = True
            server.behind, server.rate = ("127.0.0.1", far), rate  # type: ignore[attr-defined]
            threading.Thread(target=server.serve_forever, daemon=True).start()
            try:
                yield {"bootstrap.servers": f"127.0.0.1:{link}"}
            finally:
                server.shutdown()
    finally:
        broker.stop()
