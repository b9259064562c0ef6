# SPDX-License-Identifier: GPL-3.0-or-later
"""Binary forms of MirrorMaker 2's own records: offset syncs, checkpoints and heartbeats.

Sources: ``OffsetSync``, ``Checkpoint`` and ``Heartbeat`` in ``org.apache.kafka.connect.mirror`` (Apache Kafka 2.4 to
4.3; KIP-382). All numbers are big endian and signed; a STRING is an INT16 length and that many bytes of UTF-8. Whatever
is not exactly one such record, trailing bytes included, is refused with the position at which it stopped being one.
"""

from __future__ import annotations

import struct
from typing import Any, NamedTuple, NoReturn

from .._errors import FormatError

KNOWN_VERSION = 0


class OffsetSync(NamedTuple):
    """The target has the source record ``upstream`` at ``downstream``; ``topic`` is the source's name."""

    topic: str
    partition: int
    upstream: int
    downstream: int


class Checkpoint(NamedTuple):
    """MM2's answer for a group: source position ``upstream`` became ``downstream``; ``topic`` is the target's name."""

    group: str
    topic: str
    partition: int
    upstream: int
    downstream: int
    metadata: str


class Heartbeat(NamedTuple):
    """Emitted at ``timestamp`` (milliseconds since the epoch) by the mirror ``source`` -> ``target``."""

    source: str
    target: str
    timestamp: int


class Cursor:
    """Reads the protocol's primitive types from bytes and knows where it is.

    :param what: the record's name in errors, e.g. ``offset sync key``.
    """

    def __init__(self, data: bytes | None, what: str) -> None:
        if data is None:
            raise FormatError(f"A {what} is missing", expected="bytes", found="null", position=0)
        self.data = bytes(data)
        self.what = what
        self.position = 0

    def fail(self, expected: str, found: object) -> NoReturn:
        """Refuse the record at the present position."""
        raise FormatError(
            f"Not a {self.what} at byte {self.position} of {len(self.data)}",
            expected=expected,
            found=found,
            position=self.position,
        )

    def _number(self, form: str, name: str) -> Any:
        size = struct.calcsize(form)
        if self.position + size > len(self.data):
            self.fail(f"{size} bytes of {name}", f"{len(self.data) - self.position}")
        value = struct.unpack_from(form, self.data, self.position)[0]
        self.position += size
        return value

    def int16(self, name: str) -> int:
        """INT16."""
        return self._number(">h", name)

    def int32(self, name: str, least: int | None = None) -> int:
        """INT32; below ``least`` it is refused."""
        return self._bounded(">i", name, least)

    def int64(self, name: str, least: int | None = None) -> int:
        """INT64; below ``least`` it is refused."""
        return self._bounded(">q", name, least)

    def _bounded(self, form: str, name: str, least: int | None) -> int:
        began = self.position
        value = self._number(form, name)
        if least is not None and value < least:
            self.position = began
            self.fail(f"{name} of at least {least}", value)
        return value

    def string(self, name: str) -> str:
        """STRING, not null."""
        began = self.position
        length = self.int16(f"the length of {name}")
        if length < 0 or self.position + length > len(self.data):
            left = len(self.data) - self.position
            self.position = began
            self.fail(f"a {name} of at most {left} bytes", length)
        raw = self.data[self.position : self.position + length]
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            self.position += error.start
            self.fail(f"UTF-8 in {name}", f"byte 0x{raw[error.start]:02x}")
        self.position += length
        return text

    def version(self) -> None:
        """The INT16 header of checkpoint and heartbeat values."""
        value = self.int16("the version")
        if value != KNOWN_VERSION:
            self.position = 0
            self.fail(f"version {KNOWN_VERSION}", value)

    def end(self) -> None:
        """Nothing may be left."""
        if self.position != len(self.data):
            self.fail("the end", f"{len(self.data) - self.position} more bytes")


def _string(text: str) -> bytes:
    raw = text.encode("utf-8")
    if len(raw) > 32767:
        raise FormatError("A string is too long for INT16", expected="at most 32767 bytes", found=len(raw), position=0)
    return struct.pack(">h", len(raw)) + raw


def decode_offset_sync(key: bytes | None, value: bytes | None) -> OffsetSync:
    """:class:`OffsetSync` of a record of ``mm2-offset-syncs.*.internal``: key STRING, INT32; value INT64, INT64 without
    a version.
    """
    topic, partition = decode_offset_sync_key(key)
    reader = Cursor(value, "offset sync value")
    upstream, downstream = reader.int64("upstream offset", 0), reader.int64("downstream offset", 0)
    reader.end()
    return OffsetSync(topic, partition, upstream, downstream)


def decode_offset_sync_key(key: bytes | None) -> tuple[str, int]:
    """The source's topic and partition that an offset sync is about."""
    reader = Cursor(key, "offset sync key")
    topic, partition = reader.string("topic"), reader.int32("partition", 0)
    reader.end()
    return topic, partition


def encode_offset_sync(sync: OffsetSync) -> tuple[bytes, bytes]:
    """``(key, value)`` of an offset sync."""
    return _string(sync.topic) + struct.pack(">i", sync.partition), struct.pack(">qq", sync.upstream, sync.downstream)


def decode_checkpoint(key: bytes | None, value: bytes | None) -> Checkpoint:
    """:class:`Checkpoint` of a record of ``*.checkpoints.internal``: key STRING, STRING, INT32; value INT16 version,
    INT64, INT64, STRING.
    """
    reader = Cursor(key, "checkpoint key")
    group, topic, partition = reader.string("group"), reader.string("topic"), reader.int32("partition", 0)
    reader.end()
    reader = Cursor(value, "checkpoint value")
    reader.version()
    upstream, downstream = reader.int64("upstream offset"), reader.int64("downstream offset")
    metadata = reader.string("metadata")
    reader.end()
    return Checkpoint(group, topic, partition, upstream, downstream, metadata)


def decode_heartbeat(key: bytes | None, value: bytes | None) -> Heartbeat:
    """:class:`Heartbeat` of a record of ``heartbeats``: key STRING, STRING; value INT16 version, INT64 milliseconds."""
    reader = Cursor(key, "heartbeat key")
    source, target = reader.string("source alias"), reader.string("target alias")
    reader.end()
    reader = Cursor(value, "heartbeat value")
    reader.version()
    timestamp = reader.int64("timestamp", 0)
    reader.end()
    return Heartbeat(source, target, timestamp)
