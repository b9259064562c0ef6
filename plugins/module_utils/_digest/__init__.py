# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Digests of records, and what comparing two sequences of them shows. Pure: bytes and numbers in, values out.

``record`` one record to 64 bits · ``sequence`` the order-sensitive hash · ``chunks`` content-defined chunks and runs of offsets ·
``align`` what of two sequences belongs together · ``classify`` what the rest is · ``latest`` the same for compacted topics ·
``verdict`` what follows.
"""
