#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Accept differences that a watch has found."""

from __future__ import annotations

DOCUMENTATION = r"""
module: watch_accept
short_description: Accept differences that a watch has found and somebody has explained
version_added: "0.2.0"
author: The streamsafe.kafka_dr authors (@streamsafe)
description:
  - A difference ends what the standing proof of a mirror has proven of a partition. This records in the state of the
    watch who has explained it, and why it may stay. What is proven then goes on behind it, up to the next difference.
  - A difference is named by its C(id), as M(streamsafe.kafka_dr.watch_info) returns it. Nothing else is accepted.
  - An id that the state does not have any more is refused, and so is one whose number now belongs to another
    difference, as after the watch has begun anew. Then none of O(differences) is accepted.
  - What was accepted stays accepted. It is not undone.
extends_documentation_fragment:
  - streamsafe.kafka_dr.client
  - streamsafe.kafka_dr.client.attributes
  - streamsafe.kafka_dr.watch
options:
  differences:
    description: Ids of differences.
    type: list
    elements: str
    required: true
  by:
    description: Who has explained them.
    type: str
    required: true
  reason:
    description: Why they may stay.
    type: str
    required: true
"""

EXAMPLES = r"""
- name: Accept what a test has written into the copy
  streamsafe.kafka_dr.watch_accept:
    client: "{{ kafka_dr_client }}"
    client_secrets: "{{ kafka_dr_client_secrets }}"
    mirror: north_to_europe
    differences: [orders-0/3/9f2c01ab]
    by: ann
    reason: A test wrote three records into the copy, INC-4711
"""

RETURN = r"""
accepted:
  description: The differences that O(differences) names, one line each.
  returned: always
  type: list
open:
  description: How many differences of the mirror nobody has accepted.
  returned: always
  type: int
proven_goes_on:
  description: Partitions of these differences where none is open any more. The watch goes on there within ten seconds.
  returned: always
  type: list
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._specs import CLIENT_SPEC, WATCH_SPEC
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.watch_accept import watch_accept


def main() -> None:
    """Ansible's entry."""
    run_module(
        {
            **CLIENT_SPEC,
            **WATCH_SPEC,
            "differences": {"type": "list", "elements": "str", "required": True},
            "by": {"type": "str", "required": True},
            "reason": {"type": "str", "required": True},
        },
        watch_accept,
    )


if __name__ == "__main__":
    main()
