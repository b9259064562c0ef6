# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Digests of records, their alignment, verdicts, and the comparison of two regions."""
