# SPDX-License-Identifier: GPL-3.0-or-later
"""Make the checkout importable as the collection it is, whatever directory it was cloned into."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


def _collection_root() -> Path:
    if ROOT.parent.name == "streamsafe" and ROOT.parent.parent.name == "ansible_collections":
        return ROOT.parent.parent.parent
    base = Path(tempfile.mkdtemp(prefix="kafka-dr-collections-"))
    link = base / "ansible_collections" / "streamsafe" / "kafka_dr"
    link.parent.mkdir(parents=True)
    link.symlink_to(ROOT)
    return base


for path in (str(_collection_root()), str(ROOT), str(ROOT / "spark"), str(ROOT / "lab")):
    if path not in sys.path:
        sys.path.insert(0, path)


@pytest.fixture(scope="session")
def two_clusters(tmp_path_factory):
    """Two real clusters, ``source`` and ``target``, shared by a session; tests use topics of their own names."""
    from tests.support.kafka import clusters

    made = clusters(["source", "target"], tmp_path_factory.mktemp("clusters"), {"message.max.bytes": 12582912, "replica.fetch.max.bytes": 12582912})
    yield made
    for one in made.values():
        one.stop()
