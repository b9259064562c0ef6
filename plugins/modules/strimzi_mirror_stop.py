#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Stop a KafkaMirrorMaker2 and wait until its operator confirms it."""

from __future__ import annotations

DOCUMENTATION = r"""
module: strimzi_mirror_stop
author: The streamsafe.kafka_dr authors (@streamsafe)
version_added: "0.1.0"
short_description: Stop a KafkaMirrorMaker2, also where its source is dead
description:
  - Tells every connector of the resource to stop and waits until the operator confirms that none runs and no task is
    left.
  - An operator that found a connector still running looks again with its period only, two minutes in Strimzi. The
    annotation
    C(kafka-dr.streamsafe/look) is changed until the status is as wanted, so that it looks earlier.
  - The operator leaves connectors that failed as they are, and their tasks may still copy. Where one has failed, or the
    states are not confirmed within
    O(state_timeout), the workers are scaled to zero too.
  - A status with zero replicas repeats the specification; wait until the workers' group is empty before you take the
    mirror for stopped.
options:
  name:
    description: Name of the resource.
    type: str
    required: true
  stop_by:
    description: Whether connectors are told their state, or the workers are scaled to zero at once, for operators that
      know no states.
    type: str
    choices: [state, replicas]
    default: state
  state_timeout:
    description: Seconds for the states to be confirmed before the workers are scaled to zero.
    type: int
    default: 60
  wait_timeout:
    description: Seconds for all of it.
    type: int
    default: 300
extends_documentation_fragment:
  - streamsafe.kafka_dr.kubernetes
  - streamsafe.kafka_dr.client.attributes
"""

EXAMPLES = r"""
- name: Stop the mirror for good
  streamsafe.kafka_dr.strimzi_mirror_stop:
    connection:
      context: europe
    namespace: kafka
    name: backup
"""

RETURN = r"""
stopped:
  description: Whether the operator confirms that nothing runs.
  returned: always
  type: bool
stopped_by:
  description: What holds it, V(state), V(replicas), or V(absent) where there is no resource.
  returned: always
  type: str
waiting_for:
  description: What is missing, in check mode.
  returned: always
  type: list
  elements: str
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._specs import OPERATOR_SPEC
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.strimzi_mirror_stop import strimzi_mirror_stop


def main() -> None:
    """Ansible's entry."""
    run_module(
        {
            **OPERATOR_SPEC,
            "name": {"type": "str", "required": True},
            "stop_by": {"type": "str", "choices": ["state", "replicas"], "default": "state"},
            "state_timeout": {"type": "int", "default": 60},
            "wait_timeout": {"type": "int", "default": 300},
        },
        strimzi_mirror_stop,
        requires=("kubernetes",),
    )


if __name__ == "__main__":
    main()
