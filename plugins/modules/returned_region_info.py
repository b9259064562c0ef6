#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Tell how a region is back that was left."""

from __future__ import annotations

DOCUMENTATION = r"""
module: returned_region_info
short_description: Tell whether a region that comes back after a failover has its data, is empty, or is another cluster
version_added: "0.1.0"
author: The streamsafe.kafka_dr authors (@streamsafe)
description:
  - Compares the region with what is known of it in the region that works meanwhile, which are the cluster id and the
    topic ids that the position witness saw, and the ends up to which records had been copied.
  - What records both regions have, a proof says.
  - Fails where the region that is back hides topics from this principal that had been copied from it. They would count
    as gone.
extends_documentation_fragment:
  - streamsafe.kafka_dr.client.info_attributes
  - streamsafe.kafka_dr.clients
options:
  source_client:
    description: The region that is back, as librdkafka configuration keys without secrets.
    type: dict
    required: true
  target_client:
    description: The region that works meanwhile, as librdkafka configuration keys without secrets.
    type: dict
    required: true
  topics:
    description: Regular expression for whole names of the topics that were mirrored.
    type: str
    required: true
  ends:
    description: By topic and partition, the offset after the last record that was copied when the region was left.
    type: dict
    required: true
  further_copy:
    description:
      - Whether the region was never left, and is a further copy of the region that was.
      - It is known as such where its own position witness saw the same cluster as that of the region that works.
    type: bool
    default: false
  positions_topic:
    description: Topic of the position witness, in the region that works, and with O(further_copy) in the region.
    type: str
    default: __kafka_dr_positions
  region_positions_topic:
    description: With O(further_copy), the topic of the region's own position witness; O(positions_topic) if left out.
    type: str
    version_added: "0.2.0"
  source_alias:
    description:
      - Alias of the region that was left.
      - With the aliases, records that the witness of another mirror wrote are not believed. Older witnesses did not
        write whose they are.
    type: str
    version_added: "0.2.0"
  target_alias:
    description: Alias of the region that works meanwhile.
    type: str
    version_added: "0.2.0"
  region_alias:
    description: With O(further_copy), the alias of the region that is back.
    type: str
    version_added: "0.2.0"
"""

EXAMPLES = r"""
- name: Find out how the region is back
  streamsafe.kafka_dr.returned_region_info:
    source_client: "{{ hostvars.north_america.kafka_dr_client }}"
    source_client_secrets: "{{ hostvars.north_america.kafka_dr_client_secrets }}"
    target_client: "{{ hostvars.europe.kafka_dr_client }}"
    target_client_secrets: "{{ hostvars.europe.kafka_dr_client_secrets }}"
    topics: orders\..*
    ends: "{{ ledger_known.ends['north_america to europe'].found.source }}"
  register: __returned
"""

RETURN = r"""
state:
  description:
    - V(with_data) where it is the cluster that was left, and holds records.
    - V(empty) where no topic ever held a record, or where the cluster that was left has none of its topics any more.
      RV(holding) names topics that got records since.
    - V(other) where another cluster, or one that nobody knows, holds records.
  returned: success
  type: str
cluster_id:
  description: The id of the cluster that answers.
  returned: success
  type: str
known_cluster_id:
  description: The id of the cluster that was left; empty where nobody knows it.
  returned: success
  type: str
copied_from:
  description: With O(further_copy), the id of the cluster that the region's own position witness saw; empty where there
    is none.
  returned: success
  type: str
topics:
  description:
    - By name, what became of each topic. V(holds) where nothing that was copied is missing by its ends, V(made_again)
      where another topic has its name, V(shorter) where it ends before what was copied from it, V(gone) where it is
      not there.
  returned: success
  type: dict
holding:
  description: Topics that hold records.
  returned: success
  type: list
  elements: str
told:
  description: The same in sentences.
  returned: success
  type: list
  elements: str
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._specs import CLIENTS_SPEC
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.returned_region_info import returned_region_info


def main() -> None:
    """Ansible's entry."""
    run_module(
        {
            **CLIENTS_SPEC,
            "topics": {"type": "str", "required": True},
            "ends": {"type": "dict", "required": True},
            "further_copy": {"type": "bool", "default": False},
            "positions_topic": {"type": "str", "default": "__kafka_dr_positions"},
            "region_positions_topic": {"type": "str"},
            "source_alias": {"type": "str"},
            "target_alias": {"type": "str"},
            "region_alias": {"type": "str"},
        },
        returned_region_info,
    )


if __name__ == "__main__":
    main()
