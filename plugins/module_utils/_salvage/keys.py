# SPDX-License-Identifier: GPL-3.0-or-later
"""Of a compacted partition, a key's records are replayed or exported together: a value without the tombstone that
follows it would bring a deleted key back.
"""

from __future__ import annotations

from typing import Any, NamedTuple

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

from . import spans


class Since(NamedTuple):
    """Keys (digests) of what was written to the copy since it ended.

    :ivar others: by anybody but the partition's own salvage. :ivar own: by that.
    :ivar whole: whether none of these records was deleted by the copy's retention.
    """

    others: Any
    own: Any
    whole: bool


class Keyed(NamedTuple):
    """Records that may be written.

    :ivar offsets, keys: of all that the target never got; the keys as digests.
    :ivar there: runs of the offsets of these that salvages have written.
    :ivar todo: runs of those that are not. :ivar passed: of these, those that the writing has gone past.
    """

    offsets: Any
    keys: Any
    there: Any
    todo: Any
    passed: Any


def together(records: Keyed, export: Any, since: Since) -> tuple[Any, Any]:
    """What is exported, given what has to be, so that no key is divided; and of that, what follows a record of its key
    that was written.

    A key of which an earlier run wrote some is written to its end, unless others have written it since, may have, or
    the writing has gone past it. A cleaner takes a tombstone no earlier than the records before it: where none of the
    run's own is left, the key may have been deleted.
    """
    if not len(records.offsets):
        return export, spans.as_runs([])
    names, which = np.unique(records.keys, return_inverse=True)
    there, todo, out, passed = (
        spans.holds(runs, records.offsets) for runs in (records.there, records.todo, export, records.passed)
    )
    last = np.full(len(names), -1, np.int64)
    np.maximum.at(last, which[there], records.offsets[there])
    follows = records.offsets > last[which]
    left = np.isin(names, since.own)
    begun = left | (last >= 0)
    stuck = np.isin(names, since.others) | (not since.whole) | (begun & ~left)
    stuck |= _any(which, out & passed & follows, names)
    apart = _any(which, out, names)
    on = (apart & begun & ~stuck)[which]
    kept = (todo & (apart & (stuck | ~begun))[which]) | (out & on & ~follows)
    torn = kept & (begun & stuck)[which] & follows
    return spans.of_offsets(records.offsets[kept]), spans.of_offsets(records.offsets[torn])


def _any(which: Any, marked: Any, names: Any) -> Any:
    """The keys (array of bool) of which a record is marked."""
    return np.bincount(which[marked], minlength=len(names)) > 0
