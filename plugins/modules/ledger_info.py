#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Read the ledger."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ledger_info
short_description: Read the ledger and what it says together
version_added: "0.1.0"
author: The streamsafe.kafka_dr authors (@streamsafe)
description:
  - Reads the ledger to its end; a ledger that exists and cannot be read whole is an error, never an empty answer.
  - A record that is no entry, or an entry that is lost, forged, moved or copied, is named and ends the reading.
extends_documentation_fragment:
  - streamsafe.kafka_dr.client
  - streamsafe.kafka_dr.client.info_attributes
  - streamsafe.kafka_dr.ledger
options:
  last:
    description: How many of the last entries to return in RV(entries).
    type: int
    default: 200
  positions_topics:
    description: Topics of the position witnesses, which are looked for where the ledger has no entry.
    type: list
    elements: str
    default: [__kafka_dr_positions]
  writers_allowed:
    description: Principals by topic, as P(streamsafe.kafka_dr.ledger_writers#filter) gives them. Then RV(writers) tells
      of all others.
    type: dict
"""

EXAMPLES = r"""
- name: Read the ledger
  streamsafe.kafka_dr.ledger_info:
    client: "{{ kafka_dr_client }}"
    client_secrets: "{{ kafka_dr_client_secrets }}"
    secret: "{{ kafka_dr_ledger_secret }}"
  register: __ledger
"""

RETURN = r"""
active_region:
  description: The region that applications belong to; empty where none was named yet.
  returned: always
  type: str
active_at:
  description: Since when, or empty. The highest epoch counts, and the last entry where none has one.
  returned: always
  type: str
epoch:
  description: The epoch of the move that made it active; each move raises it. 0 where no entry has one, because older
    versions wrote them all, or there is none.
  returned: always
  type: int
moves:
  description: What entries that name the active region say, by C(epoch), C(region), C(ledger) (the region whose ledger
    the move was written to first; empty for this one), C(hash), C(from) (the move before), C(settles) (hashes of moves
    that it decides between), C(at), C(by), C(run), C(stage). Where none has an epoch, the last one.
  returned: always
  type: list
  elements: dict
present:
  description: Whether the ledger has any entry.
  returned: always
  type: bool
witnessed:
  description: Whether it has none although the topic of a position witness is there, so that it was deleted.
  returned: always
  type: bool
moved_to:
  description: The active region where a failover wrote it that owned that region's ledger, or empty.
  returned: always
  type: str
run:
  description: The run that owns the ledger.
  returned: always
  type: str
stage:
  description: That run's stage.
  returned: always
  type: str
about:
  description: The region or regions that stage is about.
  returned: always
  type: str
open:
  description: Whether that stage has neither ended nor been overtaken by the move of another run.
  returned: always
  type: bool
overtaken:
  description: The run of that stage, where another run has told the ledger of its own move since it began; or empty.
  returned: always
  type: str
done:
  description: Entries of steps done, by stage and step, since the stage was last begun afresh.
  returned: always
  type: dict
last:
  description: The entry that ended each stage last.
  returned: always
  type: dict
taken:
  description: By region, the ACLs that a fence took away there and that were not given back, in the form that
    M(streamsafe.kafka_dr.acls) takes.
  returned: always
  type: dict
beyond:
  description: By mirror and region, the ACLs that the mirror lost there beyond what it was given for it, and that were
    not given back.
  returned: always
  type: dict
begun:
  description: The entry that began each stage last.
  returned: always
  type: dict
ends:
  description: By what a failover was about, the entry with the ends of its last run that stopped the mirror.
  returned: always
  type: dict
clearing:
  description: By what a failback was about, the entry after which its last run began to delete topics.
  returned: always
  type: dict
copied_back:
  description: As C(clearing), also once a decision between two stories has made that count no more. A mirror may have
    written to the region since.
  returned: always
  type: dict
brought_back:
  description: By what a failback was about, the entry that ended it last.
  returned: always
  type: dict
naming:
  description: Epochs by the names of regions that moves of other regions' ledgers were about to name, until that move
    or a later one is told, or a stage that owns that region's ledger begins anew.
  returned: always
  type: dict
filling:
  description: C(to), C(from) and C(stage) of a copy that another ledger's stage began in this region, which lacks
    records until it is whole; empty where there is none.
  returned: always
  type: dict
head:
  description: The last entry that a run wrote as the ledger's owner, by C(hash), C(offset), C(run), C(stage), C(step),
    C(state), C(at), C(by).
  returned: always
  type: dict
owner:
  description: Which stage began last, in words.
  returned: always
  type: str
signed:
  description: Whether the ledger's entries are signed.
  returned: always
  type: bool
verified:
  description: Whether they were verified with O(secret).
  returned: always
  type: bool
writers:
  description: Who else may write there by the cluster's ACLs, a sentence each.
  returned: where O(writers_allowed) is given
  type: list
  elements: str
verification:
  description: Why they were not, or empty.
  returned: always
  type: str
manifests:
  description: Entries of manifests that were made, oldest first.
  returned: always
  type: list
  elements: dict
proofs:
  description: Entries of proofs, oldest first.
  returned: always
  type: list
  elements: dict
entries:
  description: The last entries.
  returned: always
  type: list
  elements: dict
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._specs import CLIENT_SPEC, LEDGER_SPEC
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.ledger_info import ledger_info


def main() -> None:
    """Ansible's entry."""
    run_module(
        {
            **CLIENT_SPEC,
            **LEDGER_SPEC,
            "positions_topics": {"type": "list", "elements": "str", "default": ["__kafka_dr_positions"]},
            "writers_allowed": {"type": "dict"},
            "last": {"type": "int", "default": 200},
        },
        ledger_info,
    )


if __name__ == "__main__":
    main()
