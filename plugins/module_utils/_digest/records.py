# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Records of one partition as columns: what a differing stretch is read into."""

from __future__ import annotations

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

from . import record

COLUMNS = {
    "offset": np.int64 if np else None, "content": np.uint64 if np else None, "timestamp": np.int64 if np else None,
    "size": np.int64 if np else None, "key": np.uint64 if np else None, "value": np.uint64 if np else None,
    "headers": np.uint64 if np else None, "key_high": np.uint64 if np else None, "key_low": np.uint64 if np else None,
    "tombstone": np.bool_ if np else None,
}


class Records:
    """Columns of equal length; ``key``, ``value``, ``headers`` (field digests) are None where only a manifest speaks."""

    def __init__(self, **columns):
        for name, kind in COLUMNS.items():
            values = columns.get(name)
            setattr(self, name, None if values is None else np.asarray(values, kind))
        if self.offset is None:
            self.offset = np.empty(0, np.int64)
        for name in ("content", "timestamp", "size"):
            if getattr(self, name) is None:
                setattr(self, name, np.zeros(len(self), COLUMNS[name]))
        self._digest = {}

    def __len__(self):
        return len(self.offset)

    def digest(self, timestamps=True):
        """Record digests, with or without the timestamp."""
        if timestamps not in self._digest:
            self._digest[timestamps] = record.digests(self.content, self.timestamp if timestamps else None)
        return self._digest[timestamps]

    def take(self, index):
        """The records at ``index`` (indices, mask or slice)."""
        return Records(**{name: getattr(self, name)[index] for name in COLUMNS if getattr(self, name) is not None})

    @classmethod
    def join(cls, parts):
        """One after the other; a column is kept where every part has it."""
        parts = [part for part in parts if len(part)]
        if not parts:
            return cls()
        names = [name for name in COLUMNS if all(getattr(part, name) is not None for part in parts)]
        return cls(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})


def from_rows(rows):
    """Records of ``[(offset, timestamp, key, value, headers)]``, every column filled."""
    wide = [record.key_digest(row[2]) for row in rows]
    split = [record.fields(*row[2:]) for row in rows]
    return Records(
        offset=[row[0] for row in rows], timestamp=[row[1] for row in rows], content=np.array([record.content(*row[2:]) for row in rows], np.uint64),
        size=[len(row[2] or b"") + len(row[3] or b"") for row in rows],
        key=np.array([one[0] for one in split], np.uint64), value=np.array([one[1] for one in split], np.uint64),
        headers=np.array([one[2] for one in split], np.uint64), key_high=np.array([one[0] for one in wide], np.uint64),
        key_low=np.array([one[1] for one in wide], np.uint64), tombstone=[row[3] is None for row in rows],
    )
