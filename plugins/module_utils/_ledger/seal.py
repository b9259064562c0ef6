# SPDX-License-Identifier: GPL-3.0-or-later
"""What makes an entry the collection's own: the hash of the entry before it, and a message authentication code over
both.

The code also covers the id of the topic, so that entries of another ledger, or of one that was deleted and made again,
are not taken for this one's.
"""

from __future__ import annotations

import hashlib
import hmac
import json

from .._errors import UsageError
from .parts import digest
from .schema import FORMAT

# Characters; a code over known text lets whoever reads the ledger try secrets at leisure.
SHORTEST = 16
PURPOSE = b"streamsafe.kafka_dr ledger"


def keys(secrets: list[str] | tuple[str, ...] | None) -> list[bytes]:
    """The keys of these secrets: the first signs, any verifies.

    :raises UsageError: a secret is too short to be one.
    """
    derived = []
    for number, secret in enumerate(secrets or [], 1):
        if not isinstance(secret, str) or len(secret) < SHORTEST:
            raise UsageError(
                f"Secret {number} of the ledger is too short",
                expected=f"at least {SHORTEST} characters in each of kafka_dr_ledger_secret",
                found=f"{len(secret or '')}",
                remedy="Make one with: openssl rand -base64 32",
            )
        derived.append(hmac.new(secret.encode(), PURPOSE, hashlib.sha256).digest())
    return derived


def encoded(entry: dict) -> bytes:
    """An entry as bytes, the same for the same entry. :raises UsageError: it holds what JSON cannot say."""
    try:
        return json.dumps(entry, sort_keys=True, separators=(",", ":"), allow_nan=False).encode("ascii")
    except (TypeError, ValueError) as error:
        raise UsageError("The entry cannot be written as JSON", found=str(error)) from error


def code(key: bytes, topic_id: str, entry: dict) -> str:
    """The code of an entry, whatever stands in its ``mac``."""
    body = {name: value for name, value in entry.items() if name != "mac"}
    return hmac.new(key, topic_id.encode() + b"\n" + encoded(body), hashlib.sha256).hexdigest()


def sealed(entry: dict, previous: str, topic_id: str, signing: list[bytes]) -> bytes:
    """The bytes of an entry that follows ``previous``, signed with the first key where there is one."""
    signed = dict(entry, format=FORMAT, previous=previous)
    if signing:
        signed["mac"] = code(signing[0], topic_id, signed)
    return encoded(signed)


def verifies(raw: bytes, topic_id: str, verifying: list[bytes]) -> bool:
    """Whether these bytes are an entry as it was signed with one of the keys.

    The code is over what the entry says. The same in other bytes is a copy that somebody else wrote: with another hash,
    it would stand in the place of the true one.
    """
    entry = json.loads(raw)
    given = entry.get("mac")
    if not isinstance(given, str) or encoded(entry) != raw:
        return False
    return any(hmac.compare_digest(given, code(key, topic_id, entry)) for key in verifying)


def root(raws: list[bytes]) -> str:
    """What the first chained entry names as the one before it: nothing, or the hash of all entries of before there was
    a chain.
    """
    combined = ""
    for raw in raws:
        combined = digest(combined.encode() + digest(raw).encode())
    return combined
