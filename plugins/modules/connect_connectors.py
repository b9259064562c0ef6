#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Keep connectors on a Kafka Connect cluster."""

from __future__ import annotations

DOCUMENTATION = r"""
module: connect_connectors
short_description: Keep connectors of a Kafka Connect cluster, their states and offsets
version_added: "0.1.0"
author: The streamsafe.kafka_dr authors (@streamsafe)
description:
  - Creates, updates, pauses, stops, resumes and deletes any number of connectors in one call, and sets or resets their
    offsets.
  - The workers judge every new configuration before anything is changed, in check mode too.
  - Ends when every connector and task is as wanted, or fails with the worker's own reason.
extends_documentation_fragment:
  - streamsafe.kafka_dr.connect
options:
  connectors:
    description: The connectors.
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description: Name of the connector.
        type: str
        required: true
      config:
        description:
          - Its whole configuration. Settings that are not in it are removed.
          - Without it, the configuration is left alone.
        type: dict
      config_secrets:
        description:
          - Settings of the same configuration that hold a secret. Never shown.
          - Connect keeps them in clear in its configuration topic. References such as V(${file:/path:key}) are better,
            and need not be hidden.
        type: dict
      state:
        description: What this connector is to be, if not O(state).
        type: str
        choices: [running, paused, stopped, absent]
      offsets:
        description:
          - Positions to set, for a connector that is to be stopped. Others stay as they are.
          - An offset of null removes the position.
        type: list
        elements: dict
        suboptions:
          partition:
            description: What the position is of, in the connector's own words.
            type: dict
            required: true
          offset:
            description: The position, in the connector's own words.
            type: dict
      reset_offsets:
        description: Whether positions that O(connectors[].offsets) does not name are removed.
        type: bool
        default: false
  state:
    description:
      - What the connectors are to be.
      - A V(paused) connector keeps its tasks, a V(stopped) one (Kafka 3.5) has none.
    type: str
    choices: [running, paused, stopped, absent]
    default: running
  restart_failed:
    description: Whether what has failed is restarted once, before it counts as failed.
    type: bool
    default: true
attributes:
  check_mode:
    description: Can run in check mode and return what would be changed without changing it.
    support: full
  diff_mode:
    description: Returns what changed, or would change, when in diff mode. Of a secret only that it changes.
    support: full
"""

EXAMPLES = r"""
- name: Run a mirror on a Connect cluster
  streamsafe.kafka_dr.connect_connectors:
    urls: [https://connect-1:8083, https://connect-2:8083]
    username: stages
    password: "{{ vault_connect }}"
    ca_pem: "{{ lookup('ansible.builtin.file', 'connect-ca.pem') }}"
    connectors: "{{ mirror | streamsafe.kafka_dr.mirror_connectors(clients, reference) }}"
  vars:
    reference: '${file:/etc/connect/mirror.properties:{region}.{key}}'

- name: Stop it
  streamsafe.kafka_dr.connect_connectors:
    urls: [https://connect-1:8083]
    state: stopped
    connectors:
      - name: backup.MirrorSourceConnector
      - name: backup.MirrorCheckpointConnector

- name: Let it copy one partition again from its begin
  streamsafe.kafka_dr.connect_connectors:
    urls: [https://connect-1:8083]
    state: stopped
    connectors:
      - name: backup.MirrorSourceConnector
        offsets:
          - partition: {cluster: north_america, partition: 0, topic: orders}
            offset:
"""

RETURN = r"""
created:
  description: Connectors created.
  returned: always
  type: list
  elements: str
updated:
  description: Connectors whose configuration was changed.
  returned: always
  type: list
  elements: str
deleted:
  description: Connectors deleted.
  returned: always
  type: list
  elements: str
moved:
  description: Connectors that were resumed, paused or stopped.
  returned: always
  type: list
  elements: str
restarted:
  description: Connectors of which something had failed.
  returned: always
  type: list
  elements: str
offsets_set:
  description: Connectors whose offsets were set or reset.
  returned: always
  type: list
  elements: str
connectors:
  description: By name, C(state) (as Connect says it, or V(ABSENT)) and C(tasks) with C(id), C(state) and C(worker).
  returned: success
  type: dict
failures:
  description: What has failed, and the worker's reason.
  returned: when a connector or task has failed
  type: list
  elements: dict
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._specs import CONNECT_SPEC
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.connect_connectors import connect_connectors

STATES = ["running", "paused", "stopped", "absent"]


def main() -> None:
    """Ansible's entry."""
    run_module(
        {
            **CONNECT_SPEC,
            "connectors": {
                "type": "list",
                "elements": "dict",
                "required": True,
                "options": {
                    "name": {"type": "str", "required": True},
                    "config": {"type": "dict"},
                    "config_secrets": {"type": "dict", "no_log": True},
                    "state": {"type": "str", "choices": STATES},
                    "offsets": {
                        "type": "list",
                        "elements": "dict",
                        "options": {"partition": {"type": "dict", "required": True}, "offset": {"type": "dict"}},
                    },
                    "reset_offsets": {"type": "bool", "default": False},
                },
            },
            "state": {"type": "str", "choices": STATES, "default": "running"},
            "restart_failed": {"type": "bool", "default": True},
        },
        connect_connectors,
        requires=(),
    )


if __name__ == "__main__":
    main()
