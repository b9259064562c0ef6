# SPDX-License-Identifier: GPL-3.0-or-later
"""How large a record is on its way to a broker: a batch of its own, not compressed (KIP-98, message format 2)."""

from __future__ import annotations

from .._digest.shapes import Headers

# Base offset, length, leader epoch, magic, checksum, attributes, last offset delta, two timestamps, producer id, epoch,
# sequence, count.
BATCH = 61


def _varint(value: int) -> int:
    """Bytes of a number in zig-zag variable length."""
    value = (value << 1) ^ (value >> 63)
    length = 1
    while value >= 0x80:
        value >>= 7
        length += 1
    return length


def _field(data: bytes | None) -> int:
    return _varint(-1) if data is None else _varint(len(data)) + len(data)


def batch_size(key: bytes | None, value: bytes | None, headers: Headers | None) -> int:
    """Bytes of the batch of this record alone, which is what ``max.message.bytes`` limits."""
    # Attributes, and the deltas of timestamp and offset, which are 0.
    body = 3 + _field(key) + _field(value) + _varint(len(headers or []))
    for name, data in headers or []:
        body += _field(name.encode()) + _field(data)
    return BATCH + _varint(body) + body
