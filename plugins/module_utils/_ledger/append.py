# SPDX-License-Identifier: GPL-3.0-or-later
"""Append an entry to the ledger, if it may follow what is there."""

from __future__ import annotations

from .._errors import RefusedError, UsageError
from .._kafka.client import KafkaClient
from .._kafka.log import read_log
from .._kafka.topics import describe_topics
from .chain import Chain
from .fold import NOBODY, fold
from .ledger import no_secret, sound
from .parts import split
from .topic import ensure_ledger_topic
from .writing import Write


def append(
    client: KafkaClient,
    topic: str,
    entry: dict,
    check_mode: bool,
    replication_factor: int | None = None,
    secrets: list[str] | tuple[str, ...] = (),
    after: str | None = None,
) -> dict:
    """Write one entry.

    :param entry: ``run``, ``stage``, ``step``, ``state``, ``region``, ``about``, ``found``, ``by``, ``collection``,
        ``fenced``; for one that names the active region ``epoch`` and ``epoch_from`` too.
    :param after: ``head.hash`` of what the caller read last; empty where there was no fenced entry. Needed for a fenced
        entry; another one with it is refused as well where a run has begun there since.
    :returns: ``changed``, ``entry``, ``known`` (what the ledger says with it, as :func:`.ledger.known` does), ``diff``.
    :raises RefusedError: a later run owns the ledger, somebody wrote since the caller read it, or the ledger has the
        entry's epoch or a higher one by now.
    """
    write = _Append(client, topic, entry, secrets, after, check_mode)
    if entry["fenced"] and after is None:
        raise UsageError(
            "A fenced entry needs to know the ledger",
            remedy="Give in 'after' the head.hash that ledger_info returned, empty for a new ledger",
        )
    if check_mode:
        described = describe_topics(client, [topic])
        write.topic_id = described[topic]["id"] if topic in described else ""
        write.compose(*(read_log(client, topic) if described else (0, [])))
    else:
        write.topic_id = ensure_ledger_topic(client, topic, replication_factor)
        write.commit()
    return write.result()


class _Append(Write):
    def __init__(
        self,
        client: KafkaClient,
        topic: str,
        entry: dict,
        secrets: list[str] | tuple[str, ...],
        after: str | None,
        check_mode: bool,
    ) -> None:
        super().__init__(client, topic, entry, secrets)
        self.after, self.check_mode = after, check_mode

    def compose(self, start: int, records: list) -> list[bytes]:
        chain = sound(self.client, self.topic, self.examined(start, records))
        # An earlier attempt may have been committed although its answer was lost.
        is_there = bool(self.hash) and any(entry["hash"] == self.hash for entry in chain.entries)
        raw = b""
        if not is_there:
            _allowed(self.topic, chain, self.entry, self.after, self.keys, self.check_mode)
            raw = self.sealed(self.entry, chain)
        chain.entries = [entry for entry in chain.entries if entry["hash"] != self.hash]
        chain.signed, chain.authentic = chain.signed or bool(self.keys), chain.authentic or bool(self.keys)
        self.add_to(chain, records)
        return split(raw) if raw else []


def _allowed(topic: str, chain: Chain, entry: dict, after: str | None, keys: list[bytes], check_mode: bool) -> None:
    """Whether this entry may follow. :raises RefusedError: it may not.

    :param check_mode: what began in check mode stands nowhere, so that what follows it is not compared with the ledger.
    """
    if chain.signed and not keys:
        raise no_secret(topic)
    state = fold(chain.entries)
    _next_epoch(topic, state, entry)
    if not entry["fenced"]:
        if after is not None:
            _unchanged(topic, state, after)
        # One with an epoch may be told beside a run, which has to learn of it.
        if entry["state"] == "active" and "epoch" not in entry and state["open"] and state["run"] != entry["run"]:
            raise RefusedError(
                f"The ledger '{topic}' is owned by another run",
                expected="no open stage",
                found=_who(state["head"]),
                remedy="Let that one finish, then run this again",
            )
        return
    begins = entry["step"] == "stage" and entry["state"] == "started"
    if check_mode and not begins:
        return
    if not begins:
        _own(topic, state, entry)
    _unchanged(topic, state, after)


def _unchanged(topic: str, state: dict, after: str | None) -> None:
    """:raises RefusedError: the last fenced entry is not the one that the caller knows."""
    if state["head"]["hash"] != after:
        raise RefusedError(
            f"The ledger '{topic}' has changed since this run read it",
            expected=f"{'hash ' + after[:12] if after else 'nothing'} as its last fenced entry",
            found=_who(state["head"]),
            remedy="Let the other run finish, then run this stage again from its beginning",
        )


def _own(topic: str, state: dict, entry: dict) -> None:
    """:raises RefusedError: a later run has begun, or another one has moved the applications."""
    if state["run"] != entry["run"]:
        raise RefusedError(
            f"Run {entry['run']} no longer owns the ledger '{topic}'",
            expected="to be the latest run",
            found=f"run {state['run'] or '(none)'} of stage {state['stage'] or '(none)'}, begun later",
            remedy="Let that one finish, or run this stage again from its beginning",
        )
    if state["overtaken"] == entry["run"]:
        raise RefusedError(
            f"The ledger '{topic}' was told of another move since run {entry['run']} began",
            expected="no move of another run",
            found=f"epoch {state['epoch']}, {state['active_region']} since {state['active_at'] or '-'}",
            remedy="Run this stage again: its gates compare the ledgers of all regions",
        )


def _next_epoch(topic: str, state: dict, entry: dict) -> None:
    """:raises RefusedError: the ledger has the entry's epoch or a higher one by now."""
    if entry.get("epoch", state["epoch"] + 1) <= state["epoch"]:
        raise RefusedError(
            f"The ledger '{topic}' was told of another move meanwhile",
            expected=f"an epoch below {entry['epoch']}, which this run would write for {entry['region']}",
            found=f"epoch {state['epoch']}, {state['active_region']} since {state['active_at'] or '-'}",
            remedy="Run this stage again: its gates compare the ledgers of all regions",
        )


def _who(head: dict) -> str:
    if head == NOBODY:
        return "none at all: entries were lost"
    return (
        f"{head['run']} of stage {head['stage']}, step {head['step']} {head['state']} at {head['at'] or '-'} by "
        f"{head['by'] or '-'}"
    )
