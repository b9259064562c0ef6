# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's one exception: a sentence for the person at the terminal."""

from __future__ import annotations


class LabError(Exception):
    """What was expected, what was found, and the way out."""
