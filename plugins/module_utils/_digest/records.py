# SPDX-License-Identifier: GPL-3.0-or-later
"""Records of one partition as columns: what a differing stretch is read into."""

from __future__ import annotations

from typing import Any

try:
    import numpy as np
except ImportError:
    np = None  # type: ignore[assignment]

from . import record

COLUMNS = {
    "offset": np.int64 if np else None,
    "content": np.uint64 if np else None,
    "timestamp": np.int64 if np else None,
    "size": np.int64 if np else None,
    "key": np.uint64 if np else None,
    "value": np.uint64 if np else None,
    "headers": np.uint64 if np else None,
    "key_high": np.uint64 if np else None,
    "key_low": np.uint64 if np else None,
    "tombstone": np.bool_ if np else None,
}


class Records:
    """Columns of equal length. The last six are None where they were not kept, as by a manifest."""

    offset: np.ndarray
    content: np.ndarray
    timestamp: np.ndarray
    size: np.ndarray
    key: Any
    value: Any
    headers: Any
    key_high: Any
    key_low: Any
    tombstone: Any

    def __init__(self, **columns: Any) -> None:
        for name, kind in COLUMNS.items():
            values = columns.get(name)
            setattr(self, name, None if values is None else np.asarray(values, kind))
        if columns.get("offset") is None:
            self.offset = np.empty(0, np.int64)
        for name in ("content", "timestamp", "size"):
            if getattr(self, name) is None:
                setattr(self, name, np.zeros(len(self), COLUMNS[name]))
        self._digest: dict[bool, np.ndarray] = {}

    def __len__(self) -> int:
        return len(self.offset)

    def digest(self, timestamps: bool = True) -> np.ndarray:
        """Record digests, with or without the timestamp."""
        if timestamps not in self._digest:
            self._digest[timestamps] = record.digests(self.content, self.timestamp if timestamps else None)
        return self._digest[timestamps]

    def take(self, index: np.ndarray | slice) -> Records:
        """The records at ``index`` (indices, mask or slice)."""
        return Records(**{name: getattr(self, name)[index] for name in COLUMNS if getattr(self, name) is not None})

    @classmethod
    def join(cls, parts: list[Records]) -> Records:
        """One after the other; a column is kept where every part has it."""
        parts = [part for part in parts if len(part)]
        if not parts:
            return cls()
        names = [name for name in COLUMNS if all(getattr(part, name) is not None for part in parts)]
        return cls(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in names})
