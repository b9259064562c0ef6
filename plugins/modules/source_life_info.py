#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Tell whether a mirror's source is lost."""

from __future__ import annotations

DOCUMENTATION = r"""
module: source_life_info
short_description: Tell whether a mirror's source is lost, or only out of this machine's reach
version_added: "0.1.0"
author: The streamsafe.kafka_dr authors (@streamsafe)
description:
  - Asks the source. Where it does not answer, looks whether those in the target region that talk to it heard from it
    meanwhile, which are the position
    witness and the mirror.
  - What they wrote is read before and after the source is asked, so that their clock and this machine's need not agree
    to hear them.
  - A mirror writes on what it had fetched when its source was lost. Where something arrived, the module therefore looks
    for up to 25 seconds longer, and takes the source for lost where nothing arrives for 12 seconds.
  - Both are 30 seconds where the witness was silent before, since it may have died and not the source.
  - A witness whose last round is more than two minutes old by the clock of this machine counts as ended. The first sign
    then stands.
extends_documentation_fragment:
  - streamsafe.kafka_dr.client.info_attributes
  - streamsafe.kafka_dr.mirror_clients
options:
  source_client:
    description: The mirror's source, as librdkafka configuration keys without secrets.
    type: dict
    required: true
  topics:
    description: Regular expression for whole names of topics of the source.
    type: str
    default: ".*"
  read:
    description: What to read of a source that answers.
    type: list
    elements: str
    choices: [topics, offsets]
    default: [topics]
  source_timeout:
    description: Seconds that the source has for its answer.
    type: int
    default: 6
"""

EXAMPLES = r"""
- name: Ask whether the region is lost
  streamsafe.kafka_dr.source_life_info:
    source_client: "{{ hostvars['north_america'].kafka_dr_client }}"
    source_client_secrets: "{{ hostvars['north_america'].kafka_dr_client_secrets }}"
    target_client: "{{ hostvars['europe'].kafka_dr_client }}"
    target_client_secrets: "{{ hostvars['europe'].kafka_dr_client_secrets }}"
    source_alias: north_america
    target_alias: europe
  register: __source
"""

RETURN = r"""
alive:
  description: Whether it answers, or was heard from while it was asked.
  returned: always
  type: bool
reachable:
  description: Whether a broker answered us.
  returned: always
  type: bool
reason:
  description: Why none did, or why it did not accept us.
  returned: always
  type: str
error:
  description: Kind of that reason, such as V(unreachable) or V(authentication).
  returned: always
  type: str
cluster_id:
  description: The source's cluster id.
  returned: when reachable
  type: str
brokers:
  description: How many brokers the source has.
  returned: when reachable
  type: int
topics:
  description: As M(streamsafe.kafka_dr.cluster_info) returns them.
  returned: always
  type: dict
hidden:
  description:
    - Topics that the mirror copied and that the source does not let this principal describe, so that nobody knows
      whether it holds them.
    - Looked for where O(read) names V(offsets).
  returned: always
  type: list
  elements: str
seen:
  description: Who in the target region heard from it while it did not answer us, a sentence each.
  returned: always
  type: list
  elements: str
  sample: ["the position witness saw it 0.8 s ago"]
ended:
  description: What arrived at first, a sentence each, where nothing followed.
  returned: always
  type: list
  elements: str
  sample: ["the mirror copied 2 records of orders-1 meanwhile"]
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._specs import MIRROR_SPEC
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.source_life_info import source_life_info


def main() -> None:
    """Ansible's entry."""
    run_module(
        {
            **MIRROR_SPEC,
            "source_client": {"type": "dict", "required": True},
            "topics": {"type": "str", "default": ".*"},
            "read": {"type": "list", "elements": "str", "choices": ["topics", "offsets"], "default": ["topics"]},
            "source_timeout": {"type": "int", "default": 6},
        },
        source_life_info,
    )


if __name__ == "__main__":
    main()
