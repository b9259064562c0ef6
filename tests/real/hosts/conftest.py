# SPDX-License-Identifier: GPL-3.0-or-later
"""Regions that several tests need for themselves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .moved import World
from .spare import given_back


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """Two regions; whatever a test does to them ends with it."""
    made = World(tmp_path)
    yield made
    for broker in made.brokers.values():
        given_back(broker)
