#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Create SCRAM users."""

from __future__ import annotations

DOCUMENTATION = r"""
module: scram_users
short_description: Create SCRAM users and correct their passwords
version_added: "0.1.0"
author: The streamsafe.kafka_dr authors (@streamsafe)
description:
  - One call for any number of users. Passwords cannot be read back, so a password is right when the cluster lets the
    user in with it.
extends_documentation_fragment:
  - streamsafe.kafka_dr.client
  - streamsafe.kafka_dr.client.attributes
options:
  users:
    description: The users, in the form of the inventory's C(kafka_dr_users).
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description: Name of the user.
        type: str
        required: true
      password:
        description: The password; not needed for O(state=absent).
        type: str
      mechanism:
        description: The SCRAM mechanism.
        type: str
        choices: [SCRAM-SHA-256, SCRAM-SHA-512]
        default: SCRAM-SHA-512
      authentication:
        description: Type of its KafkaUser on Kubernetes. A user of another type than V(scram-sha-512) is left alone.
        type: str
      password_learned:
        description: Whether a stage has learnt the password. Not used here.
        type: bool
      purpose:
        description: What the user is for. Not used here.
        type: str
      acls:
        description: What the user may do. Not used here.
        type: list
        elements: dict
  state:
    description: Whether the users are to exist.
    type: str
    choices: [present, absent]
    default: present
"""

EXAMPLES = r"""
- name: Create the mirror's user
  streamsafe.kafka_dr.scram_users:
    client: "{{ kafka_dr_client }}"
    client_secrets: "{{ kafka_dr_client_secrets }}"
    users:
      - name: kdr-mirror
        password: "{{ vault_kdr_mirror }}"
"""

RETURN = r"""
created:
  description: Users created.
  returned: always
  type: list
  elements: str
rotated:
  description: Users whose password was corrected.
  returned: always
  type: list
  elements: str
deleted:
  description: Users deleted.
  returned: always
  type: list
  elements: str
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._specs import CLIENT_SPEC
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.scram_users import scram_users


def main() -> None:
    """Ansible's entry."""
    run_module(
        {
            **CLIENT_SPEC,
            "users": {
                "type": "list",
                "elements": "dict",
                "required": True,
                "options": {
                    "name": {"type": "str", "required": True},
                    # The password alone is hidden: hiding the whole would mask the users' names in every answer.
                    "password": {"type": "str", "no_log": True},
                    "mechanism": {
                        "type": "str",
                        "choices": ["SCRAM-SHA-256", "SCRAM-SHA-512"],
                        "default": "SCRAM-SHA-512",
                    },
                    "authentication": {"type": "str"},
                    "password_learned": {"type": "bool"},
                    "purpose": {"type": "str"},
                    "acls": {"type": "list", "elements": "dict"},
                },
            },
            "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        },
        scram_users,
    )


if __name__ == "__main__":
    main()
