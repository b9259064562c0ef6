#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Let a mirror go on after a restore instead of copying again."""

from __future__ import annotations

DOCUMENTATION = r"""
module: mirror_seed
short_description: Let a mirror go on after a restore instead of copying everything again
version_added: "0.1.0"
author: The streamsafe.kafka_dr authors (@streamsafe)
description:
  - A region was restored from its backup, and a proof showed that both hold the same. This writes to the internal
    topics of the mirror from the
    restored region to its backup that it has copied all of that already, and which offset of the one is which of the
    other.
  - The restored region is the mirror's source, the backup its target.
  - The mirror must be stopped and its old internal topics deleted. Nothing is written unless both regions are still as
    the proof saw them.
  - In check mode it says what would be written also where topics of an old mirror are still there.
extends_documentation_fragment:
  - streamsafe.kafka_dr.client.attributes
  - streamsafe.kafka_dr.clients
options:
  source_alias:
    description: Alias of the restored region in the mirror.
    type: str
    required: true
  target_alias:
    description: Alias of the backup in the mirror.
    type: str
    required: true
  separator:
    description: Separator of the replication policy.
    type: str
    default: .
  proof:
    description: What the ledger keeps of the proof of the restore, in the keys of the proof's summary. Its source is
      the backup.
    type: dict
    required: true
  without_pairs:
    description:
      - Seed no offset syncs where the report that O(proof) names is not there. Groups that are idle or behind then have
        no position in the backup until they
        move. Otherwise a report that is missing is refused.
    type: bool
    default: false
  source_in_use:
    description: Whether applications work in the restored region by now. Their open transactions, beyond the ranges of
      the proof, are no reason to refuse then.
    type: bool
    default: false
  connector:
    description: Name of the source connector in the keys of Connect's offset topic.
    type: str
    default: MirrorSourceConnector
  offsets_topic:
    description: Connect's offset topic; that of the dedicated mode where it is not given.
    type: str
  positions_topic:
    description:
      - Topic of the mirror's position witness. Where it tells of other topics of these names, such as those of the
        region before it was restored, the present ones are made known there; otherwise what is seeded counts for no
        translation of positions.
    type: str
  replication_factor:
    description: Replication factor of Connect's offset topic when it is created.
    type: int
"""

EXAMPLES = r"""
- name: Let the mirror go on from where the restore ended
  streamsafe.kafka_dr.mirror_seed:
    source_client: "{{ hostvars.north_america.kafka_dr_client }}"
    source_client_secrets: "{{ hostvars.north_america.kafka_dr_client_secrets }}"
    target_client: "{{ hostvars.europe.kafka_dr_client }}"
    target_client_secrets: "{{ hostvars.europe.kafka_dr_client_secrets }}"
    source_alias: north_america
    target_alias: europe
    proof: "{{ __proof.found }}"
"""

RETURN = r"""
partitions:
  description: Number of partitions that the mirror continues.
  returned: success
  type: int
pairs:
  description: Number of pairs of offsets.
  returned: success
  type: int
source_offsets:
  description: By topic and partition, the offset that was copied last.
  returned: success
  type: dict
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._specs import CLIENTS_SPEC
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.mirror_seed import mirror_seed


def main() -> None:
    """Ansible's entry."""
    run_module(
        {
            **CLIENTS_SPEC,
            "source_alias": {"type": "str", "required": True},
            "target_alias": {"type": "str", "required": True},
            "separator": {"type": "str", "default": "."},
            "proof": {"type": "dict", "required": True},
            "without_pairs": {"type": "bool", "default": False},
            "source_in_use": {"type": "bool", "default": False},
            "connector": {"type": "str", "default": "MirrorSourceConnector"},
            "offsets_topic": {"type": "str"},
            "positions_topic": {"type": "str"},
            "replication_factor": {"type": "int"},
        },
        mirror_seed,
    )


if __name__ == "__main__":
    main()
