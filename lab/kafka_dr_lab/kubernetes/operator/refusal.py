# SPDX-License-Identifier: GPL-3.0-or-later
"""How a reconciler refuses a resource."""

from __future__ import annotations


class Refusal(Exception):
    """The resource cannot be reconciled: its condition is ``NotReady`` with this reason and message."""

    def __init__(self, message: str, reason: str = "InvalidConfigurationException"):
        super().__init__(message)
        self.reason = reason
