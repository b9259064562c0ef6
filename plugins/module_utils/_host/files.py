# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that are written at once, or not at all."""

from __future__ import annotations

import os

# Of a file that only its owner may read.
FILE_MODE = 0o600


def replace(path: str, data: bytes, mode: int, owner: tuple[int, int] | None = None) -> None:
    """Put ``data`` at ``path`` at once, or not at all; with this mode (less what the umask takes) from its first moment
    on.

    :param owner: ``(uid, gid)``, or None for who runs this.
    :raises OSError: the system refuses; what was there stays.
    """
    aside = f"{path}.{os.getpid()}.new"
    try:
        with open(os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            if owner:
                # Not by its name, at which its next owner, whose directory it is, could have put a link.
                os.fchown(file.fileno(), *owner)
        os.replace(aside, path)
    finally:
        if os.path.exists(aside):
            os.unlink(aside)
