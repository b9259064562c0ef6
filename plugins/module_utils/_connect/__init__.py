# SPDX-License-Identifier: GPL-3.0-or-later
"""Kafka Connect through its REST interface (KIP-26, KIP-875, KIP-980). Standard library only; nothing here imports
anything of Ansible.
"""

from __future__ import annotations
