# SPDX-License-Identifier: GPL-3.0-or-later
"""The plugin under test."""

from __future__ import annotations

import pytest

from tests.unit.eda.health import SOURCE


@pytest.fixture
def source():
    """The plugin as ansible-rulebook loads it."""
    import runpy

    return runpy.run_path(str(SOURCE))
