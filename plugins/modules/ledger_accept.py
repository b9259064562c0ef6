#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Decide on records that keep a ledger from being used."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ledger_accept
short_description: Decide on records that keep a ledger from being used
version_added: "0.2.0"
author: The streamsafe.kafka_dr authors (@streamsafe)
description:
  - Every reader of a ledger refuses it while a record in it is no entry, is not authentic, or follows entries that are
    not there.
  - This writes an entry that passes such records over, or keeps an entry although what came before it is missing.
    Nothing is deleted.
  - Refused unless every record that is wrong is named, and no other.
extends_documentation_fragment:
  - streamsafe.kafka_dr.client
  - streamsafe.kafka_dr.client.attributes
  - streamsafe.kafka_dr.ledger
options:
  pass_over:
    description: Offsets of records that are not to be used, and spans of them, such as V(4-30003).
    type: list
    elements: str
    default: []
  keep:
    description: Offsets of entries that are to be used although what came before them is missing; the log's start where
      its first entries were deleted. Spans as in O(pass_over).
    type: list
    elements: str
    default: []
  run:
    description: Identity of this run.
    type: str
    required: true
"""

EXAMPLES = r"""
- name: Pass a record over that somebody else wrote
  streamsafe.kafka_dr.ledger_accept:
    client: "{{ kafka_dr_client }}"
    client_secrets: "{{ kafka_dr_client_secrets }}"
    secret: "{{ kafka_dr_ledger_secret }}"
    pass_over: [12, 17-30016]
    run: "{{ __run }}"
"""

RETURN = r"""
known:
  description: What the ledger says then, in the keys of M(streamsafe.kafka_dr.ledger_info) without RV(ignore:entries).
  returned: always
  type: dict
entry:
  description: The entry as written.
  returned: always
  type: dict
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._specs import CLIENT_SPEC, LEDGER_SPEC
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.ledger_accept import ledger_accept


def main() -> None:
    """Ansible's entry."""
    run_module(
        {
            **CLIENT_SPEC,
            **LEDGER_SPEC,
            "pass_over": {"type": "list", "elements": "str", "default": [], "no_log": False},
            "keep": {"type": "list", "elements": "str", "default": []},
            "run": {"type": "str", "required": True},
        },
        ledger_accept,
    )


if __name__ == "__main__":
    main()
