# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""What stages decide by, from what was read: gates, fences, restores, requests. Pure."""
