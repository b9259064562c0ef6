# SPDX-License-Identifier: GPL-3.0-or-later
"""Two clusters for all cases."""

from __future__ import annotations

import pytest

from tests.real.proof.conftest import BROKER
from tests.support.kafka import own_clusters


@pytest.fixture(scope="package")
def pair(tmp_path_factory):
    with own_clusters(tmp_path_factory.mktemp("watch"), config=BROKER) as made:
        yield made
