# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Topic configs as they hold, brokers' defaults included: two clusters with the same settings and other defaults still differ."""

from __future__ import annotations

from .cluster import config_entries


def effective_configs(client, names, keys):
    """``{topic: {key: value}}`` for the keys asked for."""
    return {name: {key: entries[key].value for key in keys if key in entries} for name, entries in config_entries(client, names).items()}
