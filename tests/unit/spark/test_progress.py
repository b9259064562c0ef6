# SPDX-License-Identifier: GPL-3.0-or-later
"""Figures come by datagrams, which everybody on the machine can send."""

from __future__ import annotations

import socket
import time

import pytest

from kafka_dr_spark.progress import Progress, Sender


@pytest.mark.parametrize(
    "word",
    [b"5", b"{}", b"[1]", b'["x", 1, 2, 3]', b"[" * 5000, b"\xff", b"null", b'["%s"]'],
    ids=lambda one: ascii(one)[:20],
)
def test_what_somebody_else_sends_is_passed_by(word):
    progress = Progress(quiet=True)
    try:
        progress.start("compare", 100)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
            stranger.sendto(word.replace(b"%s", progress.token.encode()) if b"%s" in word else word, progress.address)
        sender = Sender(progress.address, progress.token, "own")
        sender(50, 1000)
        sender.close()
        until = time.monotonic() + 5
        while progress.figures()["records"] != 50 and time.monotonic() < until:
            time.sleep(0.02)
        assert progress.figures()["records"] == 50 and progress.thread.is_alive()
    finally:
        progress.close()
