# SPDX-License-Identifier: GPL-3.0-or-later
"""What Python's TLS wants otherwise than our callers have it."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator


@contextlib.contextmanager
def private_file(content: str) -> Iterator[str]:
    """Path of a file that nobody else can read and that is gone afterwards: Python reads certificate chains and keys
    from files only.
    """
    handle, path = tempfile.mkstemp(prefix="kafka-dr-")
    try:
        with os.fdopen(handle, "w") as file:
            file.write(content)
        yield path
    finally:
        os.unlink(path)
