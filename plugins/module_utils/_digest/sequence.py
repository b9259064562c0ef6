# SPDX-License-Identifier: GPL-3.0-or-later
"""An order-sensitive hash of a sequence of digests that merges: polynomial modulo the Mersenne prime 2^61-1.

``H(d1..dn) = sum(di * B^(n-i)) mod p`` and ``H(x + y) = H(x) * B^len(y) + H(y)``, so Spark splits merge without moving
records. Two different sequences of n digests agree with probability at most n / 2^61 (a polynomial of degree n has at
most n roots; digests are taken as random and B was chosen without looking at them). Modulo 2^64 would not do: there,
swaps at distances that are powers of two go unseen.
"""

from __future__ import annotations

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

PRIME = (1 << 61) - 1
BASE = 0x13198A2E03707344
INVERSE = pow(BASE, -1, PRIME)
LIMIT = 1 << 16
_powers: dict = {}


def multiply(left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Elementwise product modulo 2^61-1 of arrays of uint64 below 2^61, by 31-bit halves."""
    low31, low30 = np.uint64((1 << 31) - 1), np.uint64((1 << 30) - 1)
    bits31, bits30 = np.uint64(31), np.uint64(30)
    left_high, left_low = left >> bits31, left & low31
    right_high, right_low = right >> bits31, right & low31
    middle = left_low * right_high + left_high * right_low
    total = (
        ((left_high * right_high) << np.uint64(1))
        + (middle >> bits30)
        + ((middle & low30) << bits31)
        + left_low * right_low
    )
    return reduce(total)


def reduce(values: np.ndarray) -> np.ndarray:
    """Values of uint64 modulo 2^61-1."""
    prime = np.uint64(PRIME)
    values = (values & prime) + (values >> np.uint64(61))
    return np.where(values >= prime, values - prime, values)


def powers(base: int, count: int) -> np.ndarray:
    """``base^0 .. base^(count-1)`` as uint64, kept for the next call."""
    have = _powers.get(base)
    if have is None or len(have) < count:
        have = np.ones(1, np.uint64)
        while len(have) < count:
            step = np.full(len(have), pow(base, len(have), PRIME), np.uint64)
            have = np.concatenate([have, multiply(have, step)])
        _powers[base] = have
    return have[:count]


def segments(digests: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """The hashes of the segments of ``digests`` (at most LIMIT) that begin at ``starts`` (ascending, the first 0)."""
    count = len(digests)
    terms = multiply(reduce(digests), powers(BASE, count)[::-1])
    low = np.add.reduceat(terms & np.uint64(0xFFFFFFFF), starts)
    high = np.add.reduceat(terms >> np.uint64(32), starts)
    sums = reduce(multiply(high, np.full(len(starts), 1 << 32, np.uint64)) + reduce(low))
    ends = np.append(starts[1:], count)
    return multiply(sums, powers(INVERSE, count + 1)[count - ends])


def join(left: int, right: int, right_count: int) -> int:
    """Hash of two sequences one after the other; plain integers."""
    return (int(left) * pow(BASE, int(right_count), PRIME) + int(right)) % PRIME
