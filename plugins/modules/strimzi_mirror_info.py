#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Read a KafkaMirrorMaker2 without losing a field of it."""

from __future__ import annotations

DOCUMENTATION = r"""
module: strimzi_mirror_info
author: The streamsafe.kafka_dr authors (@streamsafe)
version_added: "0.1.0"
short_description: Read a KafkaMirrorMaker2, and the version to write it with
description:
  - Finds out which versions are served, reads the resource with the one that shows both shapes, and tells which one to
    write it with.
    An API server that serves two versions drops the fields of one shape, for good, when the object is written through
    the other.
  - Tells in the operator's words what keeps the mirror from being as wanted. Use it under C(until).
options:
  name:
    description: Name of the resource.
    type: str
    required: true
  until:
    description: What RV(ready) and RV(waiting_for) are about.
    type: str
    choices: [any, ready, running, stopped, absent]
    default: any
extends_documentation_fragment:
  - streamsafe.kafka_dr.kubernetes
  - streamsafe.kafka_dr.client.info_attributes
"""

EXAMPLES = r"""
- name: Await the stopped mirror
  streamsafe.kafka_dr.strimzi_mirror_info:
    connection:
      context: europe
    namespace: kafka
    name: backup
    until: stopped
  register: found
  until: found.ready | default(false)
  retries: 60
  delay: 1
"""

RETURN = r"""
exists:
  description: Whether the resource is there.
  returned: always
  type: bool
resource:
  description: The resource as read.
  returned: always
  type: dict
served:
  description: Versions that are served.
  returned: always
  type: list
  elements: str
read_with:
  description: Group and version it was read with; a JSON patch has to go the same way.
  returned: always
  type: str
api_version:
  description: Group and version to write it with.
  returned: always
  type: str
state:
  description: V(absent), V(pending), V(not_ready), V(running), V(paused), V(stopped) or V(mixed).
  returned: always
  type: str
connectors:
  description: States of the connectors by name.
  returned: always
  type: dict
message:
  description: What the operator says where it is not content.
  returned: always
  type: str
stopped:
  description: Whether the operator confirms that nothing runs.
  returned: always
  type: bool
ready:
  description: Whether it is as O(until) says.
  returned: always
  type: bool
waiting_for:
  description: What is missing for that.
  returned: always
  type: list
  elements: str
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._specs import OPERATOR_SPEC
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.strimzi_mirror_info import strimzi_mirror_info


def main() -> None:
    """Ansible's entry."""
    run_module(
        {
            **OPERATOR_SPEC,
            "name": {"type": "str", "required": True},
            "until": {"type": "str", "choices": ["any", "ready", "running", "stopped", "absent"], "default": "any"},
        },
        strimzi_mirror_info,
        requires=("kubernetes",),
    )


if __name__ == "__main__":
    main()
