# SPDX-License-Identifier: GPL-3.0-or-later
"""The mark of unit tests that take their time; named here since ansible-test reads no pyproject.toml."""

from __future__ import annotations


def pytest_configure(config):
    config.addinivalue_line(
        "markers",
        "slow: starts programs (ansible-playbook, supervisord, Chromium) or waits for timeouts; "
        "part of make test, not of make test-unit",
    )
