# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Kafka Connect through its REST interface (KIP-26, KIP-875, KIP-980). Standard library only; nothing here imports anything of Ansible."""

from __future__ import annotations
