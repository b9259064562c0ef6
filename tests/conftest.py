# SPDX-License-Identifier: GPL-3.0-or-later
"""Make the checkout importable as the collection it is, whatever directory it was cloned into."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


sys.path[:0] = [str(ROOT), str(ROOT / "spark"), str(ROOT / "lab")]

from kafka_dr_lab import class_archive  # noqa: E402
from kafka_dr_lab.playbook import collections_path  # noqa: E402

sys.path.insert(0, str(collections_path()))
# Spark starts quicker.
os.environ.update(class_archive.environment())


@pytest.fixture(scope="session")
def two_clusters(tmp_path_factory):
    """Two real clusters, ``source`` and ``target``, shared by a session; tests use topics of their own names."""
    from tests.support.kafka import clusters

    made = clusters(
        ["source", "target"],
        tmp_path_factory.mktemp("clusters"),
        {"message.max.bytes": 12582912, "replica.fetch.max.bytes": 12582912},
    )
    yield made
    for one in made.values():
        one.stop()
