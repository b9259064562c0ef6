# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""The ledger: the form of its entries, what makes them one authentic chain, and what they say together."""
