# SPDX-License-Identifier: GPL-3.0-or-later
"""The inventory as the collection reads it: its schema, and the check of a description against it."""

from __future__ import annotations
