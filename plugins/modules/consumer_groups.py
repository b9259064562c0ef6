#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Delete groups."""

from __future__ import annotations

DOCUMENTATION = r"""
module: consumer_groups
short_description: Delete groups that have no members
version_added: "0.1.0"
author: The streamsafe.kafka_dr authors (@streamsafe)
description:
  - Deletes consumer groups and groups of Connect workers with their positions, many in one call. A group with members
    is an error.
extends_documentation_fragment:
  - streamsafe.kafka_dr.client
  - streamsafe.kafka_dr.client.attributes
options:
  groups:
    description: Names of the groups.
    type: list
    elements: str
    required: true
  state:
    description: What they are to be.
    type: str
    choices: [absent]
    default: absent
"""

EXAMPLES = r"""
- name: Delete the group of a removed mirror's workers
  streamsafe.kafka_dr.consumer_groups:
    client: "{{ kafka_dr_client }}"
    client_secrets: "{{ kafka_dr_client_secrets }}"
    groups: [europe-mm2]
"""

RETURN = r"""
deleted:
  description: Groups that were deleted.
  returned: success
  type: list
  elements: str
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._specs import CLIENT_SPEC
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.consumer_groups import consumer_groups


def main() -> None:
    """Ansible's entry."""
    run_module(
        {
            **CLIENT_SPEC,
            "groups": {"type": "list", "elements": "str", "required": True},
            "state": {"type": "str", "choices": ["absent"], "default": "absent"},
        },
        consumer_groups,
    )


if __name__ == "__main__":
    main()
