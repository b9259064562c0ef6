#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Read a Kafka client from a Kafka resource."""

from __future__ import annotations

DOCUMENTATION = r"""
module: strimzi_client_info
author: The streamsafe.kafka_dr authors (@streamsafe)
version_added: "0.1.0"
short_description: Read the client of a Kafka cluster that an operator keeps
description:
  - Takes address and CA from the status and the Secrets of a Kafka resource, the user from its own Secret, and gives
    them as one client description.
  - Reads many users' Secrets in one call, each by its name, so that no right to list Secrets is needed.
  - Returns secrets; give the task C(no_log).
options:
  cluster:
    description: Name of the Kafka resource.
    type: str
    required: true
  listener:
    description: Name of the listener to use; not needed where there is only one.
    type: str
  user:
    description: Name of the KafkaUser that the client is to be.
    type: str
    required: true
  users:
    description: Further users whose passwords are wanted.
    type: list
    elements: str
    default: []
  allow_unreachable:
    description:
      - Whether an API server that does not answer, or does not let us in, is an answer too.
      - With a lost namespace the rights in it are lost, and often the account, so that gone and forbidden cannot be
        told apart.
    type: bool
    default: false
extends_documentation_fragment:
  - streamsafe.kafka_dr.kubernetes
  - streamsafe.kafka_dr.client.info_attributes
"""

EXAMPLES = r"""
- name: Learn the client of the region
  streamsafe.kafka_dr.strimzi_client_info:
    connection:
      context: europe
    namespace: kafka
    cluster: main
    listener: external
    user: kdr-stages
  register: found
  no_log: true
"""

RETURN = r"""
reachable:
  description: Whether the API server answered and let us in.
  returned: always
  type: bool
exists:
  description: Whether the Kafka resource is there.
  returned: always
  type: bool
ready:
  description: Whether the cluster is Ready as of its latest generation, and the client complete.
  returned: always
  type: bool
waiting_for:
  description: What is missing for that, in the operator's words where it has any.
  returned: always
  type: list
  elements: str
client:
  description: librdkafka keys without secrets; empty where the address is not known yet. Without the user it still says
    where the cluster is.
  returned: always
  type: dict
client_secrets:
  description: The secret keys of the same configuration.
  returned: always
  type: dict
passwords:
  description: Passwords of O(users) by name, of those that have one.
  returned: always
  type: dict
api_version:
  description: Group and version that the operator's resources, KafkaMirrorMaker2 apart, are to be read and written
    with; the newest that is served.
  returned: always
  type: str
served:
  description: Versions that are served; empty where the API server does not answer.
  returned: always
  type: list
  elements: str
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._specs import OPERATOR_SPEC
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.strimzi_client_info import strimzi_client_info


def main() -> None:
    """Ansible's entry."""
    run_module(
        {
            **OPERATOR_SPEC,
            "cluster": {"type": "str", "required": True},
            "listener": {"type": "str"},
            "user": {"type": "str", "required": True},
            "users": {"type": "list", "elements": "str", "default": []},
            "allow_unreachable": {"type": "bool", "default": False},
        },
        strimzi_client_info,
        requires=("kubernetes",),
    )


if __name__ == "__main__":
    main()
