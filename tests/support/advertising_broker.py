# SPDX-License-Identifier: GPL-3.0-or-later
"""A broker that advertises whatever host, rack and cluster id it is told to, which Kafka's own broker refuses to. It
answers which requests it knows, and which brokers there are.
"""

from __future__ import annotations

import contextlib
import socketserver
import struct
import threading
from collections.abc import Iterator

API_VERSIONS, METADATA = 18, 3
UNSUPPORTED_VERSION = 35


def _text(value: str) -> bytes:
    raw = value.encode()[:32767]
    return struct.pack(">h", len(raw)) + raw


class _Handler(socketserver.BaseRequestHandler):
    """One connection of a client."""

    def handle(self) -> None:
        with contextlib.suppress(OSError, struct.error):
            while True:
                (size,) = struct.unpack(">i", self._read(4))
                key, version, correlation = struct.unpack(">hhi", self._read(size)[:8])
                body = struct.pack(">i", correlation) + self._answer(key, version)
                self.request.sendall(struct.pack(">i", len(body)) + body)

    def _read(self, size: int) -> bytes:
        data = b""
        while len(data) < size:
            more = self.request.recv(size - len(data))
            if not more:
                raise OSError("the client is gone")
            data += more
        return data

    def _answer(self, key: int, version: int) -> bytes:
        if key == API_VERSIONS:
            known = struct.pack(">hhh", API_VERSIONS, 0, 0) + struct.pack(">hhh", METADATA, 0, 8)
            return struct.pack(">hi", UNSUPPORTED_VERSION if version else 0, 2) + known
        told = self.server.told  # type: ignore[attr-defined]
        broker = struct.pack(">i", 1) + _text(told) + struct.pack(">i", 9092) + _text(told)
        return struct.pack(">ii", 0, 1) + broker + _text(told) + struct.pack(">iii", 1, 0, -(2**31))


@contextlib.contextmanager
def advertising(told: str) -> Iterator[str]:
    """The address of such a broker; what it tells may be changed by making another."""
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Handler) as server:
        server.daemon_threads = True
        server.told = told  # type: ignore[attr-defined]
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"127.0.0.1:{server.server_address[1]}"
        finally:
            server.shutdown()
