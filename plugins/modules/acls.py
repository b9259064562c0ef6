#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Grant and revoke ACLs."""

from __future__ import annotations

DOCUMENTATION = r"""
module: acls
short_description: Grant and revoke Kafka ACLs
version_added: "0.1.0"
author: The streamsafe.kafka_dr authors (@streamsafe)
description:
  - One call for any number of ACLs. They are read from the cluster again afterwards, until they are as they were
    written.
  - A fence is this module with O(state=absent) and O(principals), which takes away every ALLOW that they have; it never
    writes a DENY.
extends_documentation_fragment:
  - streamsafe.kafka_dr.client
  - streamsafe.kafka_dr.client.attributes
options:
  acls:
    description: The ACLs.
    type: list
    elements: dict
    default: []
    suboptions:
      principal:
        description: Name of the principal; C(User:) is put before it where it has no type.
        type: str
        required: true
      resource:
        description: Type of the resource.
        type: str
        choices: [topic, group, cluster, transactional_id]
        required: true
      name:
        description: Name of the resource; not needed for V(cluster).
        type: str
      pattern:
        description: How the name is meant.
        type: str
        choices: [literal, prefixed]
        default: literal
      operations:
        description: Operations, such as V(READ) and V(DESCRIBE).
        type: list
        elements: str
        required: true
      permission:
        description: Whether the operations are allowed or denied.
        type: str
        choices: [allow, deny]
        default: allow
      host:
        description: Host the principal comes from.
        type: str
        default: "*"
  principals:
    description:
      - With O(state=absent), principals that lose every ALLOW they have, whatever its resource, pattern and operation.
      - RV(removed_acls) says which those were, word for word, for them to be given back.
    type: list
    elements: str
    default: []
  state:
    description: V(exact) also removes whatever else the principals named have.
    type: str
    choices: [present, absent, exact]
    default: present
"""

EXAMPLES = r"""
- name: Let the mirror read
  streamsafe.kafka_dr.acls:
    client: "{{ kafka_dr_client }}"
    client_secrets: "{{ kafka_dr_client_secrets }}"
    acls:
      - principal: kdr-mirror
        resource: topic
        name: flights.
        pattern: prefixed
        operations: [READ, DESCRIBE]

- name: Take away all that two applications may do
  streamsafe.kafka_dr.acls:
    client: "{{ kafka_dr_client }}"
    client_secrets: "{{ kafka_dr_client_secrets }}"
    principals: [orders, payments]
    state: absent
  register: __taken
"""

RETURN = r"""
added:
  description: ACLs added, a line each.
  returned: always
  type: list
  elements: str
added_acls:
  description: The same in the form of O(acls), to take them away again.
  returned: always
  type: list
  elements: dict
removed:
  description: ACLs removed, a line each.
  returned: always
  type: list
  elements: str
removed_acls:
  description: The same in the form of O(acls), to put them back.
  returned: always
  type: list
  elements: dict
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._specs import CLIENT_SPEC
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.acls import acls


def main() -> None:
    """Ansible's entry."""
    run_module(
        {
            **CLIENT_SPEC,
            "acls": {
                "type": "list",
                "elements": "dict",
                "default": [],
                "options": {
                    "principal": {"type": "str", "required": True},
                    "resource": {
                        "type": "str",
                        "choices": ["topic", "group", "cluster", "transactional_id"],
                        "required": True,
                    },
                    "name": {"type": "str"},
                    "pattern": {"type": "str", "choices": ["literal", "prefixed"], "default": "literal"},
                    "operations": {"type": "list", "elements": "str", "required": True},
                    "permission": {"type": "str", "choices": ["allow", "deny"], "default": "allow"},
                    "host": {"type": "str", "default": "*"},
                },
            },
            "principals": {"type": "list", "elements": "str", "default": []},
            "state": {"type": "str", "choices": ["present", "absent", "exact"], "default": "present"},
        },
        acls,
    )


if __name__ == "__main__":
    main()
