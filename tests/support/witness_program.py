# SPDX-License-Identifier: GPL-3.0-or-later
"""The position witness's own files, as modules."""

from __future__ import annotations

import contextlib
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

FILES = Path(__file__).resolve().parents[2] / "roles" / "mirror" / "files"


@contextlib.contextmanager
def witness_module(name: str) -> Iterator[ModuleType]:
    """One of the files, where the others can be imported by it."""
    sys.path.insert(0, str(FILES))
    try:
        yield importlib.import_module(name)
    finally:
        sys.path.remove(str(FILES))
