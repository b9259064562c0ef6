# SPDX-License-Identifier: GPL-3.0-or-later
"""The applications' own journals in SQLite: the ground truth of what was acknowledged and what was processed."""

from __future__ import annotations

import os
import sqlite3

PRODUCED = """CREATE TABLE IF NOT EXISTS produced (
  call INTEGER PRIMARY KEY, id TEXT, topic TEXT, attempt INTEGER, region TEXT, state TEXT,
  partition INTEGER, offset INTEGER, sent_at REAL, answered_at REAL)"""
PROCESSED = """CREATE TABLE IF NOT EXISTS processed (
  call INTEGER PRIMARY KEY, id TEXT, topic TEXT, region TEXT, partition INTEGER, offset INTEGER, at REAL)"""
COMMITTED = """CREATE TABLE IF NOT EXISTS committed (
  call INTEGER PRIMARY KEY, region TEXT, asked_at REAL, answered_at REAL)"""


def open_journal(path: str, *tables: str) -> sqlite3.Connection:
    """The journal at this path, made with mode 0600 where it does not exist."""
    os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    # What a process wrote survives its own death; only the machine's would need more.
    connection.execute("PRAGMA synchronous=OFF")
    for table in tables:
        connection.execute(table)
    return connection
