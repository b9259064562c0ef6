# SPDX-License-Identifier: GPL-3.0-or-later
"""Two clusters whose retention does not act by itself, so that cases stay as they were written."""

from __future__ import annotations

import pytest

from tests.support.kafka import clusters

QUIET = {
    "message.max.bytes": 12582912, "replica.fetch.max.bytes": 12582912, "log.retention.check.interval.ms": 3600000, "log.initial.task.delay.ms": 3600000,
    "log.cleaner.enable": "true",
}


@pytest.fixture(scope="package")
def pair(tmp_path_factory):
    made = clusters(["source", "target"], tmp_path_factory.mktemp("proof"), QUIET)
    yield made
    for one in made.values():
        one.stop()
