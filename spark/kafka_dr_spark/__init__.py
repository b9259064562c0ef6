# SPDX-License-Identifier: GPL-3.0-or-later
"""The proof at scale: the collection's digests and comparison, spread over offset ranges by Spark."""
