# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports for people and for machines: of a drill, of a stage as the ledger tells it, and of a proof. Values in, text
out; nothing is asked of Kafka.
"""

from __future__ import annotations
