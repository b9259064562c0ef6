#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Send records through a mirror."""

from __future__ import annotations

DOCUMENTATION = r"""
module: mirror_probe
short_description: Send records of one's own through a mirror that is at work
version_added: "0.1.0"
author: The streamsafe.kafka_dr authors (@streamsafe)
description:
  - Writes records to a topic of the source that is there for nothing else, and listens in the target until all of them
    have arrived, unaltered and once.
  - Tells how long each was on its way, and at which offset it stands on either side, so that a translation of positions
    can be held against the truth.
  - Touches no record, topic or group but its own. The role P(streamsafe.kafka_dr.probe#role) creates the topic and does
    the rest.
extends_documentation_fragment:
  - streamsafe.kafka_dr.client.attributes
  - streamsafe.kafka_dr.clients
attributes:
  idempotent:
    description: Each run writes records of its own.
    support: none
options:
  topic:
    description: The topic of the source to write to. It has to be mirrored.
    type: str
    required: true
  target_topic:
    description: The name of its copy.
    type: str
    required: true
  records:
    description: How many records to write, at 50 a second.
    type: int
    default: 100
  group_prefix:
    description:
      - Where it is given, a consumer group gets the position of the record in the middle of each partition, in the
        source.
      - Its name begins so and ends with the name of this run, so that nobody had it before. The group stays; RV(group)
        names it.
    type: str
    default: ""
  wait_seconds:
    description: Seconds that the last record may be on its way.
    type: int
    default: 60
  writer_client:
    description: The client that writes, where O(source_client) may not.
    type: dict
  writer_client_secrets:
    description: The secret keys of O(writer_client).
    type: dict
    default: {}
"""

EXAMPLES = r"""
- name: Send records through the mirror
  streamsafe.kafka_dr.mirror_probe:
    source_client: "{{ hostvars.north_america.kafka_dr_client }}"
    source_client_secrets: "{{ hostvars.north_america.kafka_dr_client_secrets }}"
    target_client: "{{ hostvars.europe.kafka_dr_client }}"
    target_client_secrets: "{{ hostvars.europe.kafka_dr_client_secrets }}"
    topic: orders.kafka-dr-probe
    target_topic: orders.kafka-dr-probe
  register: __probed
"""

RETURN = r"""
run:
  description: Name of this run; key of its records.
  returned: success
  type: str
records:
  description: How many records were sent.
  returned: success
  type: int
latency:
  description: Seconds from writing a record to seeing it in the target, C(least), C(median), C(p95) and C(most). Empty
    in check mode.
  returned: success
  type: dict
places:
  description: For each record its C(partition), C(source_offset) and C(target_offset).
  returned: success
  type: list
  elements: dict
group:
  description: The group that was made, empty where none was asked for.
  returned: success
  type: str
position:
  description: By partition the C(source_offset) that the group was set to, and the C(target_offset) where the same
    record stands.
  returned: success
  type: dict
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._specs import CLIENTS_SPEC
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.mirror_probe import mirror_probe


def main() -> None:
    """Ansible's entry."""
    run_module(
        {
            **CLIENTS_SPEC,
            "topic": {"type": "str", "required": True},
            "target_topic": {"type": "str", "required": True},
            "records": {"type": "int", "default": 100},
            "group_prefix": {"type": "str", "default": ""},
            "wait_seconds": {"type": "int", "default": 60},
            "writer_client": {"type": "dict"},
            "writer_client_secrets": {"type": "dict", "default": {}, "no_log": True},
        },
        mirror_probe,
    )


if __name__ == "__main__":
    main()
