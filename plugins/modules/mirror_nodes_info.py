#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Read which nodes run a mirror."""

from __future__ import annotations

DOCUMENTATION = r"""
module: mirror_nodes_info
short_description: Read which nodes run a dedicated MirrorMaker 2, and whether its tasks run
version_added: "0.1.0"
author: The streamsafe.kafka_dr authors (@streamsafe)
description:
  - Reads the workers' group and the states of connectors and tasks from the target.
  - With the C(until) options it says whether that holds yet, to be polled under C(until), so that nodes can be
    restarted one at a time.
extends_documentation_fragment:
  - streamsafe.kafka_dr.client
  - streamsafe.kafka_dr.client.info_attributes
options:
  source_alias:
    description: Alias of the mirror's source.
    type: str
    required: true
  status_topic:
    description: Topic with the states of its tasks; C(mm2-status.<source_alias>.internal) where it is not given.
    type: str
  until_members:
    description: Nodes that must be in the group for RV(ready) to be true.
    type: int
    default: 0
  until_new_since:
    description: Members of an earlier time; one that is not among them must be in the group for RV(ready) to be true.
    type: list
    elements: str
    default: []
  until_working:
    description: The group must be stable and every connector and task run for RV(ready) to be true.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Wait until both nodes work
  streamsafe.kafka_dr.mirror_nodes_info:
    client: "{{ hostvars['europe'].kafka_dr_client }}"
    client_secrets: "{{ hostvars['europe'].kafka_dr_client_secrets }}"
    source_alias: north_america
    until_members: 2
    until_working: true
  register: result
  until: result.ready
  retries: 60
  delay: 1
"""

RETURN = r"""
group:
  description: The workers' group.
  returned: always
  type: str
state:
  description: Its state, as Kafka says it.
  returned: always
  type: str
members:
  description: Ids of its members.
  returned: always
  type: list
  elements: str
tasks:
  description: Connectors (C(task) null) and tasks, with C(connector), C(task), C(state) and C(worker).
  returned: always
  type: list
  elements: dict
ready:
  description: Whether all that the C(until) options ask for holds.
  returned: always
  type: bool
waiting_for:
  description: What is still missing, in words.
  returned: always
  type: str
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._specs import CLIENT_SPEC
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.mirror_nodes_info import mirror_nodes_info


def main() -> None:
    """Ansible's entry."""
    run_module(
        {
            **CLIENT_SPEC,
            "source_alias": {"type": "str", "required": True},
            "status_topic": {"type": "str"},
            "until_members": {"type": "int", "default": 0},
            "until_new_since": {"type": "list", "elements": "str", "default": []},
            "until_working": {"type": "bool", "default": False},
        },
        mirror_nodes_info,
    )


if __name__ == "__main__":
    main()
