#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
"""Create SCRAM users."""

from __future__ import annotations

DOCUMENTATION = r"""
module: scram_users
short_description: Create SCRAM users and correct their passwords
version_added: "0.1.0"
author: The streamsafe.kafka_dr authors (@streamsafe)
description:
  - One call for any number of users. Passwords cannot be read back, so a password is right when the cluster lets the user in with it.
extends_documentation_fragment:
  - streamsafe.kafka_dr.client
  - streamsafe.kafka_dr.client.attributes
options:
  users:
    description: The users. Holds passwords, so it is never shown.
    type: list
    elements: dict
    required: true
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

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.users import ensure_users
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import CLIENT_SPEC, run_module


def work(params, check_mode):
    """Ensure the users."""
    client = KafkaClient(params["client"], params["client_secrets"], params["timeout"])
    return ensure_users(client, params["users"], params["state"], check_mode)


def main():
    """Ansible's entry."""
    run_module(
        {
            **CLIENT_SPEC,
            "users": {"type": "list", "elements": "dict", "required": True, "no_log": True},
            "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
        },
        work,
    )


if __name__ == "__main__":
    main()
