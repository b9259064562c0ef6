# SPDX-License-Identifier: GPL-3.0-or-later
"""The form of a ledger's entry.

An entry without ``format`` was written before entries were chained; it is read and never written. An entry that names
the active region has ``epoch``, and ``epoch_from``, the move that it follows, unless an older version wrote it.
"""

from __future__ import annotations

import json
import math

from .._errors import FormatError

FORMAT = 2
STATES = (
    "started",
    "done",
    "failed",
    "refused",
    "active",
    "proven",
    "different",
    "not_provable",
    "override",
    "accepted",
)
NEEDED = ("run", "stage", "step", "state")
TEXTS = (*NEEDED, "region", "about", "at", "by", "collection")
DEFAULTS = {"region": "", "about": "", "at": "", "by": "", "collection": "", "found": {}, "fenced": True}
KEYS = {*TEXTS, "found", "fenced", "format", "previous", "mac", "epoch", "epoch_from"}
HEX = set("0123456789abcdef")
# Lists within lists; what is deeper can be read and, some calls further down, not written again.
DEEPEST = 50
# More moves than there will be; the next number has to be one that can be written.
LAST_EPOCH = 10**9


def decoded(raw: bytes) -> dict:
    """The entry in these bytes, with every key of :data:`DEFAULTS`.

    :raises FormatError: the bytes are no entry; ``found`` says why.
    """
    try:
        # What JSON cannot say could be neither verified nor written again.
        entry = json.loads(raw, parse_float=_finite, parse_constant=_finite)
    except (TypeError, ValueError, RecursionError) as error:
        raise _no_entry(str(error)) from error
    if not isinstance(entry, dict):
        raise _no_entry(f"a {type(entry).__name__}")
    if _too_deep(entry):
        raise _no_entry(f"more than {DEEPEST} lists within one another")
    kind = entry.get("format", 1)
    if "format" in entry and (isinstance(kind, bool) or not isinstance(kind, int) or kind < FORMAT):
        raise _no_entry(f"format {kind!r}")
    if kind > FORMAT:
        raise _no_entry(f"format {kind}, of a later version of the collection: install that version here")
    _check_types(entry)
    if kind == FORMAT:
        _check_chained(entry)
    return {**DEFAULTS, **entry}


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:40]} is no number of JSON")
    return number


def _too_deep(value: dict) -> bool:
    level: list = [value]
    for dummy in range(DEEPEST):
        level = [
            inner
            for outer in level
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, (dict, list))
        ]
        if not level:
            return False
    return True


def _check_types(entry: dict) -> None:
    for key in NEEDED:
        if not entry.get(key):
            raise _no_entry(f"no '{key}'")
    for key in TEXTS:
        if key in entry and not isinstance(entry[key], str):
            raise _no_entry(f"'{key}' is no text")
    if entry["state"] not in STATES:
        raise _no_entry(f"state {entry['state'][:40]!r}")
    if entry["state"] == "active" and not entry.get("region"):
        raise _no_entry("an active region without a name")
    if not isinstance(entry.get("found", {}), dict):
        raise _no_entry("'found' is no mapping")
    _check_found(entry)
    if not isinstance(entry.get("fenced", True), bool):
        raise _no_entry("'fenced' is neither true nor false")
    epoch = entry.get("epoch", 1)
    if isinstance(epoch, bool) or not isinstance(epoch, int) or not 1 <= epoch <= LAST_EPOCH:
        raise _no_entry(
            f"epoch {epoch!r}" if isinstance(epoch, bool) or not isinstance(epoch, int) else "no such epoch"
        )
    if "epoch_from" in entry or ("epoch" in entry and entry["state"] == "active"):
        _check_parent(entry.get("epoch_from"), entry.get("epoch", 0))


def _check_found(entry: dict) -> None:
    """The facts that every reader uses: decisions, and what a fence took away or gave back."""
    found = entry.get("found") or {}
    fence = entry["step"] in ("fencing", "fenced", "given_back", "revoking", "mirror_given_back")
    for key in ("region", "mirror") if fence else ():
        if not isinstance(found.get(key) or "", str):
            raise _no_entry(f"'found.{key}' is no text")
    lists = ("removed", "beyond") if fence else ("passed", "kept") if entry["state"] == "accepted" else ()
    for key in lists:
        if not isinstance(found.get(key) or [], list):
            raise _no_entry(f"'found.{key}' is no list")


def _check_parent(parent: object, epoch: int) -> None:
    if not isinstance(parent, dict) or set(parent) != {"epoch", "region", "hash"}:
        raise _no_entry("'epoch_from' is not epoch, region and hash")
    before = parent["epoch"]
    if isinstance(before, bool) or not isinstance(before, int) or before < 0 or before + 1 != epoch:
        raise _no_entry(f"epoch {epoch!r} that follows epoch {str(before)[:40]}")
    # Only the first move has none before it; the one before may be an entry without an epoch.
    first = before == 0 and parent["region"] == parent["hash"] == ""
    if not first and not (isinstance(parent["region"], str) and parent["region"] and is_digest(parent["hash"])):
        raise _no_entry("'epoch_from' names no entry")


def _check_chained(entry: dict) -> None:
    unknown = sorted(set(entry) - KEYS)
    if unknown:
        raise _no_entry(f"unknown keys {', '.join(key[:40] for key in unknown[:5])}")
    missing = sorted(KEYS - {"mac", "epoch", "epoch_from"} - set(entry))
    if missing:
        raise _no_entry(f"no '{missing[0]}'")
    if entry["previous"] != "" and not is_digest(entry["previous"]):
        raise _no_entry("'previous' is no SHA-256")
    if "mac" in entry and not is_digest(entry["mac"]):
        raise _no_entry("'mac' is no HMAC-SHA-256")


def is_digest(value: object) -> bool:
    """Whether this is a SHA-256 in lower-case hexadecimal digits."""
    return isinstance(value, str) and len(value) == 64 and set(value) <= HEX


def _no_entry(why: str) -> FormatError:
    return FormatError("The ledger holds a record that is no entry", found=why)
