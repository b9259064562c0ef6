# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a manifest is: a directory, or a URI of an object store, opened in one way by everybody who reads or writes
one.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator
from typing import Any

try:
    import pyarrow as pa
    import pyarrow.fs
except ImportError:
    pa = None

from .._errors import UsageError
from .._values.place import has_credentials, is_uri, shown

# A pyarrow file system, and the path inside it.
Place = tuple[Any, str]


def locate(path: str) -> Place:
    """``(pyarrow file system, path inside)`` of a directory or URI.

    :raises UsageError: it is neither, it has credentials in it, or pyarrow is missing.
    """
    if pa is None:
        raise UsageError(
            "A manifest cannot be read or written here", expected="the Python library pyarrow", remedy="Install pyarrow"
        )
    if has_credentials(path):
        raise UsageError(
            "The manifest's URI has credentials in it, which would stand in logs, reports and the ledger",
            expected="a URI without them",
            found=shown(path),
            remedy="Give them by the environment, AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY for s3",
        )
    try:
        if is_uri(path):
            system, inside = from_uri(path)
        else:
            system, inside = pyarrow.fs.LocalFileSystem(), path
    except (pa.ArrowException, OSError) as error:
        raise UsageError(f"{shown(path)} is no directory and no URI that can be opened", found=str(error)) from error
    return system, inside.rstrip("/")


@contextlib.contextmanager
def private() -> Iterator[None]:
    """What is written to a directory within is for its owner alone; object stores have rights of their own."""
    before = os.umask(0o077)
    try:
        yield
    finally:
        os.umask(before)


def sha256(system: Any, inside: str) -> str:
    """The digest of a file. :raises OSError: it cannot be read."""
    found = hashlib.sha256()
    with system.open_input_stream(inside) as stream:
        while block := stream.read(1 << 20):
            found.update(block)
    return found.hexdigest()


def keep(system: Any, inside: str) -> None:
    """Let what was written to a file or directory outlast a loss of power; object stores keep what they acknowledge.

    :raises OSError: the storage does not keep it.
    """
    if isinstance(system, pyarrow.fs.LocalFileSystem):
        opened = os.open(inside, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def from_uri(uri: str) -> Place:
    """``(pyarrow file system, path inside)``, with pyarrow's own errors."""
    return pyarrow.fs.FileSystem.from_uri(uri)
