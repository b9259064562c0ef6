# SPDX-License-Identifier: GPL-3.0-or-later
"""Two clusters whose retention does not act by itself."""

from __future__ import annotations

import pytest

from tests.real.proof.conftest import QUIET
from tests.support.kafka import clusters


@pytest.fixture(scope="package")
def pair(tmp_path_factory):
    running = clusters(["source", "target"], tmp_path_factory.mktemp("watch"), QUIET)
    yield running
    for cluster in running.values():
        cluster.stop()
