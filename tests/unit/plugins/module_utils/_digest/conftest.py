# SPDX-License-Identifier: GPL-3.0-or-later
"""No test asserts a time: a busy machine is no failure."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")
