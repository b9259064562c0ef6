# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests that librdkafka does not send: commits for any group that brokers take, with any text, and members of any
protocol.
"""

from __future__ import annotations

import socket
import struct
import time

OFFSET_COMMIT, JOIN_GROUP, VERSION, NOT_COORDINATOR = 8, 11, 2, 16
SESSION_MS = 60_000


def commit_raw(cluster, group, topic, offset, metadata=""):
    """Commit a position in partition 0, as a consumer without membership does it; the broker is the only one."""
    body = _text(group) + struct.pack(">i", -1) + _text("") + struct.pack(">qi", -1, 1)
    body += _text(topic) + struct.pack(">iiq", 1, 0, offset) + _text(metadata)
    end, code = time.monotonic() + 60, NOT_COORDINATOR
    while code == NOT_COORDINATOR and time.monotonic() < end:
        with _connected(cluster) as connection:
            answer = _asked(connection, OFFSET_COMMIT, body)
        (code,) = struct.unpack(">h", answer[-2:])
    assert code == 0, answer


def join_raw(cluster, group, kind):
    """The connection of a member that has joined a group with a type of protocol, such as Connect's workers."""
    body = _text(group) + struct.pack(">ii", SESSION_MS, SESSION_MS) + _text("") + _text(kind)
    body += struct.pack(">i", 1) + _text("default") + struct.pack(">i", 0)
    connection = _connected(cluster)
    answer = _asked(connection, JOIN_GROUP, body)
    # The correlation id, and how long the broker throttles.
    (code,) = struct.unpack(">h", answer[8:10])
    assert code == 0, answer
    return connection


def _connected(cluster):
    host, port = cluster.client["bootstrap.servers"].split(",")[0].rsplit(":", 1)
    return socket.create_connection((host, int(port)), 30)


def _asked(connection, key, body):
    message = struct.pack(">hhi", key, VERSION, 1) + _text("raw") + body
    connection.sendall(struct.pack(">i", len(message)) + message)
    answers = connection.makefile("rb")
    return answers.read(struct.unpack(">i", answers.read(4))[0])


def _text(text):
    raw = text.encode("utf-8")
    return struct.pack(">h", len(raw)) + raw
