# SPDX-License-Identifier: GPL-3.0-or-later
"""Entries as records: one record each, or several parts where an entry is larger than brokers take.

A part is ``{"format": 2, "entry": <SHA-256 of the whole>, "part": 1, "parts": n, "text": <a piece of the entry's
JSON>}``. All parts of an entry are written in one transaction, so that readers of committed records see all of them or
none.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json

from .schema import FORMAT, is_digest

# Bytes of a record. Brokers and librdkafka refuse more than about 1,000,000 by default.
LARGEST = 512 * 1024
# Characters of JSON in a part; as text within JSON each takes two bytes at most.
PIECE = 250_000


@dataclasses.dataclass
class Piece:
    """What was read at one place: the bytes of an entry, or why there is none.

    ``offset`` is that of the last record that it took.
    """

    offset: int
    raw: bytes
    error: str = ""


def digest(raw: bytes | None) -> str:
    """SHA-256 in hexadecimal digits."""
    return hashlib.sha256(raw or b"").hexdigest()


def split(raw: bytes) -> list[bytes]:
    """The values of the records that an entry is written as. ``raw`` is ASCII."""
    if len(raw) <= LARGEST:
        return [raw]
    text, whole = raw.decode("ascii"), digest(raw)
    pieces = [text[at : at + PIECE] for at in range(0, len(text), PIECE)]
    return [
        json.dumps({"format": FORMAT, "entry": whole, "part": number, "parts": len(pieces), "text": piece}).encode(
            "ascii"
        )
        for number, piece in enumerate(pieces, 1)
    ]


def join(records: list[tuple[int, bytes | None]]) -> list[Piece]:
    """Records in order, parts put together.

    :param records: ``(offset, value)``.
    """
    pieces: list[Piece] = []
    waiting: dict[str, dict[int, tuple[int, bytes]]] = {}
    for offset, value in records:
        part = _part(value)
        if part is None:
            pieces.append(Piece(offset, value or b""))
            continue
        held = waiting.setdefault(part["entry"], {})
        if part["part"] in held:
            pieces.append(Piece(offset, value or b"", f"part {part['part']} of an entry is there twice"))
            continue
        held[part["part"]] = (offset, value or b"")
        if len(held) == part["parts"]:
            pieces.extend(_joined(part["entry"], waiting.pop(part["entry"])))
    for held in waiting.values():
        pieces.extend(
            Piece(offset, value, "a part of an entry whose other parts are missing") for offset, value in held.values()
        )
    return sorted(pieces, key=lambda piece: piece.offset)


def _part(value: bytes | None) -> dict | None:
    if not value or b'"parts"' not in value:
        return None
    try:
        part = json.loads(value)
    except (ValueError, RecursionError):
        return None
    if not isinstance(part, dict) or set(part) != {"format", "entry", "part", "parts", "text"}:
        return None
    numbers = [part["part"], part["parts"]]
    good = (
        all(isinstance(number, int) and not isinstance(number, bool) for number in numbers)
        and 1 <= part["part"] <= part["parts"]
    )
    return part if good and isinstance(part["text"], str) and is_digest(part["entry"]) else None


def _joined(whole: str, held: dict[int, tuple[int, bytes]]) -> list[Piece]:
    raw = "".join(json.loads(value)["text"] for dummy, (dummy_offset, value) in sorted(held.items())).encode(
        "utf-8", "surrogatepass"
    )
    if digest(raw) == whole:
        return [Piece(max(offset for offset, dummy in held.values()), raw)]
    return [
        Piece(offset, value, "a part of an entry that is not what its digest says") for offset, value in held.values()
    ]
