#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Set and remove client quotas."""

from __future__ import annotations

DOCUMENTATION = r"""
module: client_quotas
short_description: Set and remove Kafka client quotas
version_added: "0.1.0"
author: The streamsafe.kafka_dr authors (@streamsafe)
description:
  - One request for any number of quotas. They are read back afterwards.
  - In check mode the cluster is asked whether it would accept the change.
  - The principal needs C(DESCRIBE_CONFIGS) and C(ALTER_CONFIGS) on the cluster.
extends_documentation_fragment:
  - streamsafe.kafka_dr.client
  - streamsafe.kafka_dr.client.attributes
requirements:
  - kafka-python >= 3.0, < 4
options:
  quotas:
    description: The quotas, as M(streamsafe.kafka_dr.cluster_info) returns them. Each entity is named once.
    type: list
    elements: dict
    required: true
    suboptions:
      entity:
        description:
          - Who is limited, C(user), C(client-id), or both, or C(ip). A name of V(null) means the default, for all that
            have no quota of their own.
        type: dict
        required: true
      limits:
        description:
          - C(producer_byte_rate) and C(consumer_byte_rate) in bytes a second and broker, C(request_percentage) of a
            thread's time,
            C(controller_mutation_rate) in partitions a second; for an C(ip) C(connection_creation_rate), in connections
            a second.
          - A limit of V(null) is removed.
        type: dict
        default: {}
  state:
    description:
      - With V(present) the limits given hold, and others are left as they are. V(exact) also removes whatever other
        limits the entities named have.
      - With V(absent) the limits named are removed, or all limits of an entity where none are.
    type: str
    choices: [present, absent, exact]
    default: present
"""

EXAMPLES = r"""
- name: Limit a producer, and everybody who has no quota of their own
  streamsafe.kafka_dr.client_quotas:
    client: "{{ kafka_dr_client }}"
    client_secrets: "{{ kafka_dr_client_secrets }}"
    quotas:
      - entity: {user: departures-producer}
        limits: {producer_byte_rate: 10485760}
      - entity: {user: null}
        limits: {producer_byte_rate: 1048576, request_percentage: 50}
"""

RETURN = r"""
altered:
  description: Whose quotas were changed, a line each.
  returned: always
  type: list
  elements: str
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import QUOTAS, run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._specs import CLIENT_SPEC
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.client_quotas import client_quotas


def main() -> None:
    """Ansible's entry."""
    run_module(
        {
            **CLIENT_SPEC,
            "quotas": {
                "type": "list",
                "elements": "dict",
                "required": True,
                "options": {"entity": {"type": "dict", "required": True}, "limits": {"type": "dict", "default": {}}},
            },
            "state": {"type": "str", "choices": ["present", "absent", "exact"], "default": "present"},
        },
        client_quotas,
        requires=("confluent_kafka", QUOTAS),
    )


if __name__ == "__main__":
    main()
