# SPDX-License-Identifier: GPL-3.0-or-later
"""Checkpoints and heartbeats as MirrorMaker 2 writes them (``Checkpoint``, ``Heartbeat`` of connect-mirror-client)."""

from __future__ import annotations

import struct

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.codec import KNOWN_VERSION, Checkpoint, Heartbeat


def _string(text: str) -> bytes:
    raw = text.encode("utf-8")
    return struct.pack(">h", len(raw)) + raw


def encode_checkpoint(checkpoint: Checkpoint) -> tuple[bytes, bytes]:
    """``(key, value)`` of a checkpoint."""
    key = _string(checkpoint.group) + _string(checkpoint.topic) + struct.pack(">i", checkpoint.partition)
    offsets = struct.pack(">hqq", KNOWN_VERSION, checkpoint.upstream, checkpoint.downstream)
    return key, offsets + _string(checkpoint.metadata)


def encode_heartbeat(heartbeat: Heartbeat) -> tuple[bytes, bytes]:
    """``(key, value)`` of a heartbeat."""
    return _string(heartbeat.source) + _string(heartbeat.target), struct.pack(">hq", KNOWN_VERSION, heartbeat.timestamp)
