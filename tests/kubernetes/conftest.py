# SPDX-License-Identifier: GPL-3.0-or-later
"""API servers shared by a session: ``new`` has Strimzi 1.2.0 (``v1``), ``old`` has 0.51.0 (both versions) and Event
Streams' group.
"""

from __future__ import annotations

import pytest

from tests.support import kubernetes


def pytest_collection_modifyitems(items):
    why = kubernetes.missing()
    if why:
        for one in items:
            if "kubernetes" in one.keywords:
                one.add_marker(pytest.mark.skip(reason=why))


@pytest.fixture(scope="session")
def new(tmp_path_factory):
    """A cluster whose operator is Strimzi 1.2.0."""
    cluster = kubernetes.Cluster.start(tmp_path_factory.mktemp("new"), "new").install("1.2.0")
    yield cluster
    cluster.stop()


@pytest.fixture(scope="session")
def old(tmp_path_factory):
    """A cluster whose operator is Strimzi 0.51.0, IBM Event Streams' group beside it."""
    cluster = kubernetes.Cluster.start(tmp_path_factory.mktemp("old"), "old").install("0.51.0", event_streams=True)
    yield cluster
    cluster.stop()


@pytest.fixture
def pair(new):
    """Two namespaces of the new cluster, and ``secret_copy`` between them."""
    from .secret_pairs import Pair

    return Pair(new)
