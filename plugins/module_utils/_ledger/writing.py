# SPDX-License-Identifier: GPL-3.0-or-later
"""What every write to the ledger has in common.

A run owns the ledger from the moment it writes a stage's ``started``. Every write first fences other writers (one fixed
``transactional.id``), then reads the ledger to its end, and is refused where a later run has begun, or where the last
fenced entry is another than the caller knows: so two runs at a time cannot both go on, and a run that was killed is
simply run again.
"""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod

from .._kafka.client import KafkaClient
from .._kafka.log import append_log
from .._values.moment import moment
from . import seal
from .chain import Chain, examine
from .ledger import known
from .parts import LARGEST, digest

TRANSACTIONAL_ID = "kafka-dr-ledger"


class Write(ABC):
    """One entry on its way into the ledger.

    :ivar topic_id: of the ledger's topic; empty where there is none yet.
    :ivar written: the entry as it is written, :ivar hash: its hash, :ivar known: what the ledger says with it.
    """

    def __init__(self, client: KafkaClient, topic: str, entry: dict, secrets: list[str] | tuple[str, ...]) -> None:
        self.client, self.topic, self.entry, self.secrets = client, topic, entry, secrets
        self.keys = seal.keys(secrets)
        self.topic_id = ""
        self.written: dict = {}
        self.hash = ""
        self.known: dict = {}

    @abstractmethod
    def compose(self, start: int, records: list) -> list[bytes]:
        """What is appended to these records of the ledger; called again where an attempt has to be repeated."""

    def commit(self) -> None:
        size = len(seal.encoded(self.entry))
        append_log(self.client, self.topic, TRANSACTIONAL_ID, self.entry["stage"].encode(), self.compose, size)

    def result(self) -> dict:
        return {
            "changed": True,
            "entry": self.written,
            "known": self.known,
            "diff": {"before": "", "after": _as_diff(self.written)},
        }

    def examined(self, start: int, records: list, decided: dict | None = None) -> Chain:
        return examine(records, start, self.topic_id, self.keys, decided)

    def sealed(self, entry: dict, chain: Chain) -> bytes:
        """The entry as it follows this chain; sets ``written`` and ``hash``."""
        raw = seal.sealed(dict(entry, at=moment(time.time())), chain.tip, self.topic_id, self.keys)
        self.written, self.hash = json.loads(raw), digest(raw)
        return raw

    def add_to(self, chain: Chain, records: list) -> None:
        """Count the written entry among those of the chain; sets ``known``."""
        offset = records[-1][0] + 1 if records else 0
        chain.entries.append(dict(self.written, hash=self.hash, offset=offset))
        self.known = known(chain, self.secrets)


def _as_diff(entry: dict) -> str:
    """An entry for a diff; what would fill the screen is told by its size."""
    printed = {key: value for key, value in entry.items() if key not in ("mac", "previous")}
    size = len(seal.encoded(entry["found"]))
    if size > LARGEST:
        printed["found"] = f"{size} bytes, in the ledger"
    return json.dumps(printed, indent=1, sort_keys=True) + "\n"
