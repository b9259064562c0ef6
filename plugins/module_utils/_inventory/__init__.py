# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""The inventory as the collection reads it: its schema, and the check of a description against it."""

from __future__ import annotations
