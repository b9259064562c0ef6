#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Bring topics to a described state."""

from __future__ import annotations

DOCUMENTATION = r"""
module: topics
short_description: Create, widen, reconfigure or delete topics
version_added: "0.1.0"
author: The streamsafe.kafka_dr authors (@streamsafe)
description:
  - One call for any number of topics. Configs that are not named are left alone; partitions are never reduced.
extends_documentation_fragment:
  - streamsafe.kafka_dr.client
  - streamsafe.kafka_dr.client.attributes
options:
  topics:
    description: The topics.
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description: Name of the topic.
        type: str
        required: true
      partitions:
        description: Number of partitions; the broker's default where it is not given.
        type: int
      replication_factor:
        description: Replication factor of a new topic; the broker's default where it is not given.
        type: int
      configs:
        description: Topic configs to set; V(null) removes one.
        type: dict
        default: {}
      id:
        description: With O(state=absent), the topic's id as it was read. Nothing is deleted where a topic has another
          one, since somebody made it again.
        type: str
  state:
    description: Whether the topics are to exist.
    type: str
    choices: [present, absent]
    default: present
"""

EXAMPLES = r"""
- name: Create the topics
  streamsafe.kafka_dr.topics:
    client: "{{ kafka_dr_client }}"
    client_secrets: "{{ kafka_dr_client_secrets }}"
    topics:
      - name: flights.departed
        partitions: 6
        configs:
          retention.ms: -1
"""

RETURN = r"""
created:
  description: Topics created.
  returned: always
  type: list
  elements: str
altered:
  description: Topics whose partitions or configs changed.
  returned: always
  type: list
  elements: str
deleted:
  description: Topics deleted.
  returned: always
  type: list
  elements: str
topics:
  description: The topics as they are now, with id and partitions.
  returned: always
  type: dict
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._specs import CLIENT_SPEC
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.topics import topics


def main() -> None:
    """Ansible's entry."""
    run_module(
        {
            **CLIENT_SPEC,
            "topics": {
                "type": "list",
                "elements": "dict",
                "required": True,
                "options": {
                    "name": {"type": "str", "required": True},
                    "partitions": {"type": "int"},
                    "replication_factor": {"type": "int"},
                    "configs": {"type": "dict", "default": {}},
                    "id": {"type": "str"},
                },
            },
            "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        },
        topics,
    )


if __name__ == "__main__":
    main()
