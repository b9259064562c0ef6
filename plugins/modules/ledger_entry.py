#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Write one step to the ledger."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ledger_entry
short_description: Write what a stage did or showed to the ledger
version_added: "0.1.0"
author: The streamsafe.kafka_dr authors (@streamsafe)
description:
  - The ledger is a topic in the surviving region; it is created where it does not exist.
  - Refused when a later run owns the ledger, or when a fenced entry was written that the caller does not know, so that
    two runs at a time cannot both go on.
  - An entry that names the active region has an epoch. It is refused where the ledger has that epoch or a higher one
    by now, so that two moves at a time cannot both be made.
  - An entry names the hash of the one before it and is signed, so that a lost, forged or moved one is seen. Large ones
    are split.
extends_documentation_fragment:
  - streamsafe.kafka_dr.client
  - streamsafe.kafka_dr.client.attributes
  - streamsafe.kafka_dr.ledger
options:
  replication_factor:
    description: Replication factor of the topic when it is created.
    type: int
  run:
    description: Identity of this run, the same for all its entries.
    type: str
    required: true
  stage:
    description: The stage.
    type: str
    required: true
  step:
    description: The step; V(stage) for the stage as a whole.
    type: str
    required: true
  state:
    description: What became of it. V(active) names O(about) as the active region.
    type: str
    choices: [started, done, failed, refused, active, proven, different, not_provable, override, accepted]
    required: true
  about:
    description: The region or regions the entry is about.
    type: str
    default: ""
  found:
    description: What was found or shown. Never secrets.
    type: dict
    default: {}
  fenced:
    description: Whether only the run that owns the ledger may write this. V(false) for what is recorded outside a
      stage, such as a proof.
    type: bool
    default: true
  after:
    description:
      - What RV(streamsafe.kafka_dr.ledger_info#module:head) has as C(hash), empty for a ledger without fenced entries.
      - The entry is refused where the last fenced entry is another one. Needed where O(fenced=true).
    type: str
  epoch:
    description: Where O(state=active), one more than the epoch of the move before. Where V(naming) is the O(step), the
      epoch of the move that is about to be made.
    type: int
  epoch_from:
    description: With O(epoch), the move before, by C(epoch), C(region) whose ledger it was written to, and
      C(hash), as C(origin) of P(streamsafe.kafka_dr.ledger_truth#filter).
    type: dict
"""

EXAMPLES = r"""
- name: Record that the mirror is stopped
  streamsafe.kafka_dr.ledger_entry:
    client: "{{ kafka_dr_client }}"
    client_secrets: "{{ kafka_dr_client_secrets }}"
    run: "{{ __run }}"
    stage: failover
    step: mirror_stopped
    state: done
    secret: "{{ kafka_dr_ledger_secret }}"
    after: "{{ __ledger.head.hash }}"
"""

RETURN = r"""
known:
  description: What the ledger says with this entry, in the keys of M(streamsafe.kafka_dr.ledger_info) without
    RV(ignore:entries).
  returned: always
  type: dict
entry:
  description: The entry as written.
  returned: always
  type: dict
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.schema import STATES
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._specs import CLIENT_SPEC, LEDGER_SPEC
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.ledger_entry import ledger_entry


def main() -> None:
    """Ansible's entry."""
    run_module(
        {
            **CLIENT_SPEC,
            **LEDGER_SPEC,
            "replication_factor": {"type": "int"},
            "run": {"type": "str", "required": True},
            "stage": {"type": "str", "required": True},
            "step": {"type": "str", "required": True},
            "state": {"type": "str", "choices": list(STATES), "required": True},
            "about": {"type": "str", "default": ""},
            "found": {"type": "dict", "default": {}},
            "fenced": {"type": "bool", "default": True},
            "after": {"type": "str"},
            "epoch": {"type": "int"},
            "epoch_from": {"type": "dict"},
        },
        ledger_entry,
    )


if __name__ == "__main__":
    main()
