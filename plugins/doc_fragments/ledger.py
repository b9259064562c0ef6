# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Options that name a ledger."""

from __future__ import annotations


class ModuleDocFragment:
    """The ledger's topic, and what its entries are signed with."""

    DOCUMENTATION = r"""
options:
  topic:
    description: Name of the ledger's topic.
    type: str
    default: __kafka_dr_ledger
  secret:
    description:
      - Secrets that entries are signed with (HMAC-SHA-256), at least 16 characters each. The first signs, any verifies.
      - Without one, entries are not verified, and a ledger that is signed is not written to.
    type: list
    elements: str
    default: []
"""
