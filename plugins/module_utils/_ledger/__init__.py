# SPDX-License-Identifier: GPL-3.0-or-later
"""The ledger: the form of its entries, what makes them one authentic chain, and what they say together."""
