# SPDX-License-Identifier: GPL-3.0-or-later
"""The mark of unit tests that take their time, and no deadline for examples that are made up: a busy machine is no
fault. Named here since ansible-test reads no pyproject.toml.
"""

from __future__ import annotations

from hypothesis import settings


def pytest_configure(config):
    config.addinivalue_line(
        "markers",
        "slow: starts programs (ansible-playbook, supervisord, Chromium) or waits for timeouts; "
        "part of make test, not of make test-unit",
    )
    settings.register_profile("calm", deadline=None)
    settings.load_profile("calm")
