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
  - Deletes consumer groups and groups of Connect workers with their positions, many in one call. A group with members is an error.
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

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.groups import delete_groups, every_group
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import CLIENT_SPEC, run_module


def work(params, check_mode):
    """Delete those that exist."""
    client = KafkaClient(params["client"], params["client_secrets"], params["timeout"])
    client.metadata()
    doomed = sorted(set(params["groups"]) & set(every_group(client)))
    deleted = doomed if check_mode or not doomed else delete_groups(client, doomed)
    return {"changed": bool(doomed), "deleted": deleted, "diff": {"before": doomed, "after": []}}


def main():
    """Ansible's entry."""
    run_module(
        {
            **CLIENT_SPEC,
            "groups": {"type": "list", "elements": "str", "required": True},
            "state": {"type": "str", "choices": ["absent"], "default": "absent"},
        },
        work,
    )


if __name__ == "__main__":
    main()
