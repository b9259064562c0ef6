# SPDX-License-Identifier: GPL-3.0-or-later
"""Wait for transactions: a reader of committed records gets nothing that stands behind an open one (KIP-98)."""

from __future__ import annotations

import time

from .._errors import TimedOutError
from .client import KafkaClient
from .offsets import Partition, list_offsets

POLL_SECONDS = 0.2


def await_decided(client: KafkaClient, partition: Partition, end: int, seconds: float, what: str, remedy: str) -> None:
    """Wait until no transaction is open below the offset ``end``. Others come and go behind it, and do not matter.

    :param what: the begin of the error's sentence: what cannot be read, and where.
    :param remedy: what becomes possible again; whose transaction it is and how to end it is said before.
    :raises TimedOutError: one stays open for ``seconds``.
    :raises KafkaDrError: a broker does not answer.
    """
    until = time.monotonic() + seconds
    while (stable := list_offsets(client, [partition], gone="error")[partition]) < end:
        if time.monotonic() > until:
            raise TimedOutError(
                f"{what}: a transaction is open in it",
                expected=f"no record before offset {end} to be undecided",
                found=f"an open transaction from offset {stable} on",
                remedy=f"Find whose it is with 'kafka-transactions.sh describe-producers', abort it, {remedy}",
            )
        time.sleep(POLL_SECONDS)
