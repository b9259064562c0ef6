# SPDX-License-Identifier: GPL-3.0-or-later
"""Decide on records of the ledger that cannot be taken as they are: an entry says which are passed over or kept."""

from __future__ import annotations

from .._errors import RefusedError
from .._kafka.client import KafkaClient
from .._kafka.log import read_log
from .._kafka.topics import describe_topics
from .chain import ACCEPTED, Fault
from .ledger import no_secret, sound
from .parts import split
from .writing import Write


def accept(
    client: KafkaClient,
    topic: str,
    decisions: dict,
    entry: dict,
    check_mode: bool,
    secrets: list[str] | tuple[str, ...] = (),
) -> dict:
    """Write that faults are passed over, or that entries are kept although what came before them is missing.

    :param decisions: ``{"passed": [offset, ...], "kept": [offset, ...]}``.
    :param entry: as for :func:`.append.append`, without ``step``, ``state`` and ``found``.
    :returns: as :func:`.append.append`.
    :raises RefusedError: a fault is named that there is not, or one that there is would stay.
    """
    write = _Accept(client, topic, decisions, entry, secrets)
    described = describe_topics(client, [topic])
    if topic not in described:
        raise RefusedError(f"There is no ledger '{topic}' on {client.name}", remedy="Name the region that holds it")
    write.topic_id = described[topic]["id"]
    if check_mode:
        write.compose(*read_log(client, topic))
    else:
        write.commit()
    return write.result()


class _Accept(Write):
    def __init__(
        self, client: KafkaClient, topic: str, decisions: dict, entry: dict, secrets: list[str] | tuple[str, ...]
    ) -> None:
        super().__init__(client, topic, entry, secrets)
        self.decisions = decisions

    def compose(self, start: int, records: list) -> list[bytes]:
        before = self.examined(start, records)
        if before.signed and not self.keys:
            raise no_secret(self.topic)
        found = _decided(self.topic, before.faults, self.decisions)
        decided = {name: {(row["offset"], row["hash"]) for row in rows} for name, rows in found.items()}
        after = sound(self.client, self.topic, self.examined(start, records, decided))
        step, state = ACCEPTED
        raw = self.sealed(dict(self.entry, step=step, state=state, found=found), after)
        self.add_to(after, records)
        return split(raw)


def _decided(topic: str, faults: list[Fault], decisions: dict) -> dict:
    by_offset = {fault.offset: fault for fault in faults}
    unknown = sorted({offset for rows in decisions.values() for offset in rows} - set(by_offset))
    if unknown:
        raise RefusedError(
            f"Nothing is wrong with offset {', '.join(map(str, unknown))} of the ledger '{topic}'",
            expected=f"one of {', '.join(map(str, sorted(by_offset))) or 'no offset'}",
            remedy="Name what is wrong, and nothing else",
        )
    wrong = [offset for offset in decisions["kept"] if not by_offset[offset].keep]
    if wrong:
        raise RefusedError(
            f"Offset {wrong[0]} of the ledger '{topic}' cannot be kept",
            found=by_offset[wrong[0]].text(),
            remedy="Pass it over",
        )
    return {
        name: [
            {"offset": offset, "hash": by_offset[offset].hash, "what": by_offset[offset].what}
            for offset in sorted(set(rows))
        ]
        for name, rows in decisions.items()
    }
