# SPDX-License-Identifier: GPL-3.0-or-later
"""One broker for the tests of this package."""

from __future__ import annotations

import pytest

from tests.support.kafka import Kafka


@pytest.fixture(scope="package")
def broker(tmp_path_factory):
    made = Kafka(tmp_path_factory.mktemp("ledger")).start()
    yield made
    made.stop()
