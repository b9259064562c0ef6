# SPDX-License-Identifier: GPL-3.0-or-later
"""The canonical digest of a record.

Two steps, so that a saved digest can be used with and without the timestamp, and a changed timestamp be told from
changed content: ``content`` covers key, value and ordered headers; :func:`digests` mixes the timestamp in.

Each field is hashed by itself, seeded with the hash of what came before, so field boundaries cannot shift; null has its
own seed, so null and empty differ. XXH64 (xxhash specification 0.1.1) is not cryptographic: the digest finds faults,
not forgers. Two different records have equal digests with probability 2^-64.
"""

from __future__ import annotations

from .shapes import Headers

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]
try:
    from xxhash import xxh3_128_intdigest, xxh64_intdigest
except ImportError:
    pass

MASK = (1 << 64) - 1
NULL_KEY = 0x9E6C63D0876A9A47
NULL_VALUE = 0xD1B54A32D192ED03
NULL_HEADER = 0x8CB92BA72F3D8DD7
HEADERS = 0xAAAAAAAAAAAAAAAA
FIELDS = ("key", "value", "headers", "timestamp")


def content(key: bytes | None, value: bytes | None, headers: Headers | None = None) -> int:
    """64 bits over key (bytes or None), value (bytes or None) and headers (list of (name, bytes or None), or None)."""
    state = NULL_KEY if key is None else xxh64_intdigest(key, 1)
    if headers:
        state = headers_digest(headers, state) ^ HEADERS
    if value is None:
        return xxh64_intdigest(b"", state ^ NULL_VALUE)
    return xxh64_intdigest(value, state)


def headers_digest(headers: Headers, state: int = 0) -> int:
    """64 bits over ordered headers, chained from ``state``."""
    for name, value in headers:
        state = xxh64_intdigest(name.encode(), state)
        state = state ^ NULL_HEADER if value is None else xxh64_intdigest(value, state)
    return state


def fields(key: bytes | None, value: bytes | None, headers: Headers | None = None) -> tuple[int, int, int]:
    """One 64-bit digest for each of key, value and headers: which field of an altered record differs."""
    return (
        NULL_KEY if key is None else xxh64_intdigest(key, 1),
        NULL_VALUE if value is None else xxh64_intdigest(value, 2),
        headers_digest(headers) if headers else 0,
    )


def key_digest(key: bytes | None) -> tuple[int, int]:
    """128 bits of a key as two 64-bit halves: at 1e9 keys a collision has probability 1.5e-21 (64 bits: 2.7 %)."""
    if key is None:
        return NULL_KEY, 0
    wide = xxh3_128_intdigest(key)
    return wide >> 64, wide & MASK


def mix(values: np.ndarray) -> np.ndarray:
    """The finaliser of MurmurHash3 (fmix64): a bijection of 64 bits. Array of uint64 in and out."""
    values = values ^ (values >> np.uint64(33))
    values = values * np.uint64(0xFF51AFD7ED558CCD)
    values ^= values >> np.uint64(33)
    values *= np.uint64(0xC4CEB9FE1A85EC53)
    values ^= values >> np.uint64(33)
    return values


def digests(contents: np.ndarray, timestamps: np.ndarray | None = None) -> np.ndarray:
    """Record digests of content digests (uint64) and timestamps (int64 ms); without timestamps, of the content
    alone.
    """
    contents = np.asarray(contents, np.uint64)
    if timestamps is None:
        return mix(contents ^ np.uint64(NULL_HEADER))
    return mix(contents ^ mix(np.asarray(timestamps, np.int64).view(np.uint64) ^ np.uint64(NULL_KEY)))
