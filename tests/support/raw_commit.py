# SPDX-License-Identifier: GPL-3.0-or-later
"""Commits that librdkafka does not send: for any group that brokers take, with any text."""

from __future__ import annotations

import socket
import struct
import time

OFFSET_COMMIT, VERSION, NOT_COORDINATOR = 8, 2, 16


def commit_raw(cluster, group, topic, offset, metadata=""):
    """Commit a position in partition 0, as a consumer without membership does it; the broker is the only one."""
    host, port = cluster.client["bootstrap.servers"].split(",")[0].rsplit(":", 1)
    body = _text(group) + struct.pack(">i", -1) + _text("") + struct.pack(">qi", -1, 1)
    body += _text(topic) + struct.pack(">iiq", 1, 0, offset) + _text(metadata)
    message = struct.pack(">hhi", OFFSET_COMMIT, VERSION, 1) + _text("raw") + body
    end, code = time.monotonic() + 60, NOT_COORDINATOR
    while code == NOT_COORDINATOR and time.monotonic() < end:
        with socket.create_connection((host, int(port)), 30) as connection:
            connection.sendall(struct.pack(">i", len(message)) + message)
            answers = connection.makefile("rb")
            answer = answers.read(struct.unpack(">i", answers.read(4))[0])
        (code,) = struct.unpack(">h", answer[-2:])
    assert code == 0, answer


def _text(text):
    raw = text.encode("utf-8")
    return struct.pack(">h", len(raw)) + raw
