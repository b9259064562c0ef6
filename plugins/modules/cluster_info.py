#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Read a Kafka cluster's state."""

from __future__ import annotations

DOCUMENTATION = r"""
module: cluster_info
short_description: Read topics, configs, offsets, groups, ACLs and quotas of a Kafka cluster
version_added: "0.1.0"
author: The streamsafe.kafka_dr authors (@streamsafe)
description:
  - Reads everything asked for in a handful of batched requests, for any number of topics and groups.
  - A cluster that does not answer is an answer when O(allow_unreachable=true), so that a stage can ask whether a region
    is lost.
  - With the C(until) options it says whether that holds yet, to be polled under C(until).
extends_documentation_fragment:
  - streamsafe.kafka_dr.client
  - streamsafe.kafka_dr.client.info_attributes
requirements:
  - kafka-python >= 3.0, < 4 (for O(read=quotas))
options:
  read:
    description: What to read. V(quotas) needs kafka-python; V(quotas) and V(deletion) need C(DESCRIBE_CONFIGS) on the
      cluster.
    type: list
    elements: str
    choices: [topics, configs, retention, offsets, groups, acls, quotas, deletion]
    default: [topics]
  topics:
    description: Regular expression for whole topic names.
    type: str
    default: .*
  groups:
    description: Regular expression for whole consumer group names.
    type: str
    default: .*
  allow_unreachable:
    description: Return RV(reachable=false) with the reason instead of failing.
    type: bool
    default: false
  until_groups:
    description: Consumer groups that must have at least one member for RV(ready) to be true.
    type: list
    elements: str
    default: []
  until_empty_groups:
    description: Consumer groups that must have no member for RV(ready) to be true.
    type: list
    elements: str
    default: []
  until_topics:
    description: Topics that must exist for RV(ready) to be true.
    type: list
    elements: str
    default: []
  until_settled:
    description: The ends of the topics must stand still for a second for RV(ready) to be true. Not ready either while
      the cluster shows no matching topic, since a wrong pattern, or a principal without DESCRIBE, shows none.
    type: bool
    default: false
  allow_none:
    description: Whether O(until_settled) counts a cluster that shows no matching topic as settled.
    type: bool
    default: false
  until_moving:
    description: The end of at least one topic must move within a second for RV(ready) to be true.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Ask whether the source still answers
  streamsafe.kafka_dr.cluster_info:
    client: "{{ kafka_dr_client }}"
    client_secrets: "{{ kafka_dr_client_secrets }}"
    allow_unreachable: true
    timeout: 10
  register: __source
"""

RETURN = r"""
reachable:
  description: Whether a broker answered.
  returned: always
  type: bool
reason:
  description: Why it did not answer, or did not accept us.
  returned: always
  type: str
error:
  description: Kind of that reason, such as V(unreachable) or V(authentication).
  returned: always
  type: str
cluster_id:
  description: The cluster's id.
  returned: when reachable
  type: str
topics:
  description: By name, with id, partitions, replication_factor, and where asked for configs that are set on the topic,
    retention (C(retention.ms) and C(retention.bytes) in effect, brokers' defaults included) and offsets (start, end,
    stable) by partition.
  returned: when asked for
  type: dict
groups:
  description: By name, with state and members.
  returned: when asked for
  type: dict
acls:
  description: Every ACL, in the form that M(streamsafe.kafka_dr.acls) takes.
  returned: when asked for
  type: list
  elements: dict
acls_bind:
  description: Whether ACLs bind anybody, which they do not in a cluster without an authorizer.
  returned: when O(read) has V(acls)
  type: bool
quotas:
  description: Every client quota, in the form that M(streamsafe.kafka_dr.client_quotas) takes.
  returned: when asked for
  type: list
  elements: dict
deletion_held:
  description: By broker, whether it was started so that it deletes no expired segment and compacts nothing.
  returned: when asked for
  type: dict
ready:
  description: Whether everything named by the C(until) options holds.
  returned: always
  type: bool
waiting_for:
  description: What is still missing.
  returned: always
  type: str
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.cluster import ASPECTS
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import QUOTAS, run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._specs import CLIENT_SPEC
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.cluster_info import cluster_info


def main() -> None:
    """Ansible's entry."""
    run_module(
        {
            **CLIENT_SPEC,
            "read": {"type": "list", "elements": "str", "choices": list(ASPECTS), "default": ["topics"]},
            "topics": {"type": "str", "default": ".*"},
            "groups": {"type": "str", "default": ".*"},
            "allow_unreachable": {"type": "bool", "default": False},
            "until_groups": {"type": "list", "elements": "str", "default": []},
            "until_empty_groups": {"type": "list", "elements": "str", "default": []},
            "until_topics": {"type": "list", "elements": "str", "default": []},
            "until_settled": {"type": "bool", "default": False},
            "until_moving": {"type": "bool", "default": False},
            "allow_none": {"type": "bool", "default": False},
        },
        cluster_info,
        requires=lambda params: ("confluent_kafka", QUOTAS) if "quotas" in params["read"] else ("confluent_kafka",),
    )


if __name__ == "__main__":
    main()
