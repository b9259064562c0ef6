#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Read what a fence has to take away, what it cannot, and what is left after it."""

from __future__ import annotations

DOCUMENTATION = r"""
module: fence_info
short_description: Read what principals may do to topics, and who else may
version_added: "0.1.0"
author: The streamsafe.kafka_dr authors (@streamsafe)
description:
  - Describes the ACLs of the cluster and asks every broker, with the password of each principal that has one, what it
    may do to the topics.
    Nothing is produced.
  - Names what taking away ACLs cannot reach, which are rights of everybody, principals that the inventory does not
    know, super-users, and brokers that
    allow everybody what no ACL speaks of.
extends_documentation_fragment:
  - streamsafe.kafka_dr.client
  - streamsafe.kafka_dr.client.info_attributes
requirements:
  - kafka-python >= 3.0, < 4
options:
  topics:
    description: Regular expression for whole names of the topics.
    type: str
    required: true
  principals:
    description: Principals that are, or are to be, fenced.
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description: Name of the principal; C(User:) is put before it where it has no type.
        type: str
        required: true
      username:
        description: Name that it logs in with, if that is another.
        type: str
      password:
        description: Its password. Without one its brokers cannot be asked.
        type: str
  known:
    description: Further principals that the inventory knows.
    type: list
    elements: str
    default: []
  readers:
    description: Principals among O(known) that only read. One that may write to the topics is named like a stranger.
    type: list
    elements: str
    default: []
  others:
    description:
      - Whether every principal beside O(principals) and O(known) counts that has rights on the topics, or C(ALTER) on
        the cluster and so may grant them, and every right that O(principals) have is left over.
      - Without it, what lets O(principals) write is left over alone.
    type: bool
    default: true
  above:
    description: Names that the inventory calls super-users.
    type: list
    elements: str
    default: []
  super_users:
    description:
      - C(super.users) of the brokers, where it could be read. Brokers tell no client.
      - With O(others), one that O(principals), O(known) and O(above) do not name is named like a stranger.
    type: list
    elements: str
  allow_everyone:
    description: C(allow.everyone.if.no.acl.found) of the brokers, where it could be read.
    type: bool
  given_back:
    description:
      - Of O(principals), what gives their rights back once they are taken away, and the way out, by the name of the
        resource. Each is named in RV(unfenceable).
    type: dict
    default: {}
  fenced:
    description: Whether the fence stands, so that nothing may be left.
    type: bool
    default: false
  accepted:
    description: Names of RV(unfenceable) that were accepted.
    type: list
    elements: str
    default: []
"""

EXAMPLES = r"""
- name: Show that two applications can no longer write
  streamsafe.kafka_dr.fence_info:
    client: "{{ kafka_dr_client }}"
    client_secrets: "{{ kafka_dr_client_secrets }}"
    topics: orders\..*
    principals:
      - name: orders
        password: "{{ orders_password }}"
      - name: payments
        password: "{{ payments_password }}"
    fenced: true
  register: __shown
  until: __shown.ready | default(false)
"""

RETURN = r"""
topics:
  description: The topics.
  returned: always
  type: list
  elements: str
rights:
  description: Every ALLOW of the principals, one operation each, in the form that M(streamsafe.kafka_dr.acls) takes.
  returned: always
  type: list
  elements: dict
unfenceable:
  description: By name, a principal or a setting of the brokers, why taking away ACLs leaves it able to write.
  returned: always
  type: dict
left:
  description: What is left, a sentence each. With O(fenced=true) also what brokers told the principals themselves,
    brokers that did not answer them, and with O(others=true) who else has rights that were not accepted.
  returned: always
  type: list
  elements: str
ready:
  description: Whether nothing is left.
  returned: always
  type: bool
asked:
  description: By principal, how many brokers answered when they were asked with its own password.
  returned: always
  type: dict
not_asked:
  description: By principal, why not every broker was asked, or did not answer.
  returned: always
  type: dict
copies:
  description:
    - With O(fenced=true), how many brokers told their own copy of the ACLs; RV(rights) and RV(left) say what is in any
      of them.
    - V(0) where the client cannot ask a broker by name, such as one with Kerberos.
  returned: always
  type: int
settings:
  description: V(super.users) and V(allow.everyone.if.no.acl.found) as far as they are known; V(hidden) where brokers
    say only that they are set.
  returned: always
  type: dict
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import QUOTAS, run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._specs import CLIENT_SPEC
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.fence_info import fence_info


def main() -> None:
    """Ansible's entry."""
    run_module(
        {
            **CLIENT_SPEC,
            "topics": {"type": "str", "required": True},
            "principals": {
                "type": "list",
                "elements": "dict",
                "required": True,
                "options": {
                    "name": {"type": "str", "required": True},
                    "username": {"type": "str"},
                    "password": {"type": "str", "no_log": True},
                },
            },
            "known": {"type": "list", "elements": "str", "default": []},
            "readers": {"type": "list", "elements": "str", "default": []},
            "others": {"type": "bool", "default": True},
            "above": {"type": "list", "elements": "str", "default": []},
            "super_users": {"type": "list", "elements": "str"},
            "allow_everyone": {"type": "bool"},
            "given_back": {"type": "dict", "default": {}},
            "fenced": {"type": "bool", "default": False},
            "accepted": {"type": "list", "elements": "str", "default": []},
        },
        fence_info,
        requires=("confluent_kafka", QUOTAS),
    )


if __name__ == "__main__":
    main()
