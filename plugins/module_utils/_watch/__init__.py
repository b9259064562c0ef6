# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""The standing proof: what of a copy is proven, kept up to date while the mirror works, in the target's region."""
