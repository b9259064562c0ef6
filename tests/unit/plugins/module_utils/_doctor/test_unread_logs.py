# SPDX-License-Identifier: GPL-3.0-or-later
"""A log that nobody read is named, whatever kept it from being read."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._doctor.unread import log_unread, unread_logs


def test_it_is_named_with_the_reason_unless_its_machine_does_not_answer():
    read = {"item": "a", "rc": 0, "stdout": "", "stderr": ""}
    refused = {"item": "b", "rc": 1, "stderr": "tail: cannot open 'mm2.log' for reading: Permission denied\n"}
    hung = {"item": "c", "failed": True, "msg": "Task failed: Timed out after 25 second(s)."}
    silent = {"item": "d", "unreachable": True, "msg": "no route"}
    left = {"item": "e", "skipped": True}
    assert unread_logs([read, refused, hung, silent, left]) == {
        "b": "tail: cannot open 'mm2.log' for reading: Permission denied",
        "c": "Task failed: Timed out after 25 second(s).",
    }


@pytest.mark.parametrize(("why", "severity"), [("No such file or directory", "info"), ("Timed out", "warning")])
def test_one_that_is_not_there_yet_is_no_fault(why, severity):
    assert log_unread("a", why)["severity"] == severity
