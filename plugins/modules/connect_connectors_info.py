#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Read the connectors of a Kafka Connect cluster."""

from __future__ import annotations

DOCUMENTATION = r"""
module: connect_connectors_info
short_description: Read connectors of a Kafka Connect cluster, their tasks and offsets
version_added: "0.1.0"
author: The streamsafe.kafka_dr authors (@streamsafe)
description:
  - Reads states, tasks, reasons of failures, configurations without their secrets, and offsets.
  - With O(until) it says whether that holds yet, to be polled under C(until).
extends_documentation_fragment:
  - streamsafe.kafka_dr.connect
  - streamsafe.kafka_dr.client.info_attributes
options:
  names:
    description: Connectors to look at; all where it is empty.
    type: list
    elements: str
    default: []
  offsets:
    description: Whether to read offsets, a request for each connector (Kafka 3.5).
    type: bool
    default: false
  plugins:
    description: Whether to read which connector classes the workers can run.
    type: bool
    default: false
  until:
    description: State that every connector of O(names) must have, with its tasks, for RV(ready) to be true.
    type: str
    choices: [running, paused, stopped, absent]
"""

EXAMPLES = r"""
- name: Wait until the mirror is stopped
  streamsafe.kafka_dr.connect_connectors_info:
    urls: [http://localhost:8083]
    names: [backup.MirrorSourceConnector]
    until: stopped
  register: result
  until: result.ready
  retries: 60
  delay: 1
"""

RETURN = r"""
version:
  description: Version of the worker that answered.
  returned: always
  type: str
kafka_cluster_id:
  description: Cluster that the workers keep their state in.
  returned: always
  type: str
connectors:
  description:
    - By name, C(state), C(worker), C(config) (secrets hidden), C(tasks) with C(id), C(state) and C(worker),
      C(failures),
      and C(offsets) where asked for.
  returned: always
  type: dict
missing:
  description: Names that the workers do not know.
  returned: always
  type: list
  elements: str
plugins:
  description: Version by class.
  returned: when O(plugins=true)
  type: dict
ready:
  description: Whether O(until) holds.
  returned: always
  type: bool
waiting_for:
  description: What is still missing, in words.
  returned: always
  type: str
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._specs import CONNECT_SPEC
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.connect_connectors_info import (
    connect_connectors_info,
)


def main() -> None:
    """Ansible's entry."""
    run_module(
        {
            **CONNECT_SPEC,
            "names": {"type": "list", "elements": "str", "default": []},
            "offsets": {"type": "bool", "default": False},
            "plugins": {"type": "bool", "default": False},
            "until": {"type": "str", "choices": ["running", "paused", "stopped", "absent"]},
        },
        connect_connectors_info,
        requires=(),
    )


if __name__ == "__main__":
    main()
