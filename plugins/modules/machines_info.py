#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Ask machines whether they answer; the work is in the action plugin of the same name."""

from __future__ import annotations

DOCUMENTATION = r"""
module: machines_info
short_description: Ask machines and Kubernetes API servers whether they answer
version_added: "0.1.0"
author: The streamsafe.kafka_dr authors (@streamsafe)
description:
  - Opens the connection to every machine, as a task that is delegated to it does, and runs one command that does
    nothing, as the user that such a task becomes there.
  - All are asked at the same time, so that many dead ones cost no more time than one.
  - A machine that accepts the connection and then says nothing is silent too, and so is one where nobody becomes
    that user, such as where C(sudo) waits for a directory service that is lost.
  - A machine that is reached over the connection V(local) is the controller, and is not asked.
attributes:
  check_mode:
    description: Changes nothing, so that it acts the same in check mode.
    support: full
  diff_mode:
    description: There is nothing to show.
    support: none
options:
  machines:
    description: Names of hosts of the inventory.
    type: list
    elements: str
    default: []
  clusters:
    description:
      - Connections to Kubernetes, by the name that they are to be told by, each as for the modules of
        C(kubernetes.core).
      - An API server that refuses the request has answered.
    type: dict
    default: {}
  timeout:
    description: Seconds that all of them together may take.
    type: int
    default: 15
"""

EXAMPLES = r"""
- name: See which machines answer
  streamsafe.kafka_dr.machines_info:
    machines: [mirror-one, mirror-two]
  register: result

- name: Name those that do not
  ansible.builtin.debug:
    var: result.silent
"""

RETURN = r"""
silent:
  description: The machines that do not answer, each with the reason.
  returned: always
  type: dict
  sample: {"mirror-two": "Failed to connect to the host via ssh: connect to host mirror-two port 22: Connection
    refused"}
silent_clusters:
  description: The same of O(clusters).
  returned: always
  type: dict
"""

from ansible.module_utils.basic import AnsibleModule


def main() -> None:
    """Ansible's entry, where the action plugin was not found."""
    module = AnsibleModule(
        argument_spec={
            "machines": {"type": "list", "elements": "str", "default": []},
            "clusters": {"type": "dict", "default": {}},
            "timeout": {"type": "int", "default": 15},
        },
        supports_check_mode=True,
    )
    module.fail_json(
        msg="The action plugin machines_info was not found: expected the whole collection to be installed. Install "
        "streamsafe.kafka_dr anew."
    )


if __name__ == "__main__":
    main()
