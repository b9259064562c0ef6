# SPDX-License-Identifier: GPL-3.0-or-later
"""Two clusters whose retention does not act by itself."""

from __future__ import annotations

import pytest

from tests.real.proof.conftest import QUIET
from tests.support.kafka import own_clusters


@pytest.fixture(scope="package")
def pair(tmp_path_factory):
    with own_clusters(tmp_path_factory.mktemp("watch"), config=QUIET) as made:
        yield made
