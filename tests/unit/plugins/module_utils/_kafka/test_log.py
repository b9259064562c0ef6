# SPDX-License-Identifier: GPL-3.0-or-later
"""Appending to a log whose coordinator answers a commit with nothing that says whether it was made."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka import log


class Producer:
    """Commits, or does not, and then answers with an error of this code as often as it is told."""

    def __init__(self, records, answers):
        self.records, self.answers, self.open = records, answers, []

    def init_transactions(self):
        pass

    def begin_transaction(self):
        self.open = []

    def produce(self, topic, key, value, partition):
        self.open.append(value)

    def commit_transaction(self, seconds):
        committed, code = self.answers.pop(0) if self.answers else (True, None)
        if committed:
            self.records += self.open
        if code:
            raise KafkaDrError("Cannot commit a transaction on na", found="Unknown broker error", code=code)


def append(monkeypatch, answers):
    records: list = []
    monkeypatch.setattr(log, "read_log", lambda client, topic: (0, list(enumerate(records))))
    monkeypatch.setattr(log.time, "sleep", lambda seconds: None)
    client = type("Client", (), {"producer": lambda self, **words: Producer(records, answers), "timeout": 30})()

    def compose(start, found):
        return [] if b"entry" in [value for dummy, value in found] else [b"entry"]

    log.append_log(client, "ledger", "id", b"key", compose)
    return records


@pytest.mark.parametrize("committed", [True, False])
def test_what_nobody_knows_is_read_and_written_once(monkeypatch, committed):
    assert append(monkeypatch, [(committed, "UNKNOWN")]) == [b"entry"]


def test_it_ends_where_no_attempt_is_answered(monkeypatch):
    with pytest.raises(KafkaDrError, match="Unknown broker error"):
        append(monkeypatch, [(False, "UNKNOWN")] * log.ATTEMPTS)


def test_any_other_refusal_ends_it(monkeypatch):
    with pytest.raises(KafkaDrError):
        append(monkeypatch, [(False, "TOPIC_AUTHORIZATION_FAILED")])
