# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Compare topics of two clusters by content: what to read, what it shows, the report. Spark and the module run the same code."""
