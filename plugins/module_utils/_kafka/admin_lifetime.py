# SPDX-License-Identifier: GPL-3.0-or-later
"""An admin client is destroyed by a thread of Python's own, whoever drops it.

librdkafka answers an admin client from a thread of its own, in which Python's garbage collector may run. A client that
is destroyed in its own thread ends the process with SIGABRT (``rd_kafka_destroy_app``).
"""

from __future__ import annotations

import weakref
from collections import deque
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient

_discarded: deque[AdminClient] = deque()


def keep_beyond(owner: object, admin: AdminClient) -> None:
    """Let an admin client live on when its owner is gone, until :func:`destroy_discarded`.

    :param owner: what nothing refers to that the admin client refers to.
    """
    weakref.finalize(owner, _discarded.append, admin).atexit = False


def destroy_discarded() -> None:
    """Destroy those whose owner is gone; never called from a thread of librdkafka."""
    _discarded.clear()
