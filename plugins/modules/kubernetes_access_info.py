#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Try what a stage will write, before it begins."""

from __future__ import annotations

DOCUMENTATION = r"""
module: kubernetes_access_info
author: The streamsafe.kafka_dr authors (@streamsafe)
version_added: "0.1.0"
short_description: Try whether namespaces may be written to
description:
  - Asks the API server which of the rights named the user has in each namespace (SelfSubjectRulesReview, and
    SelfSubjectAccessReview for what that does
    not list), and creates something as a dry run, since a namespace that is being deleted takes nothing. Nothing is
    changed.
  - Tells all that stands in the way at once, with the way out. An API server that does not answer stands in the way
    too.
options:
  places:
    description: The namespaces.
    type: list
    elements: dict
    required: true
    suboptions:
      name:
        description: What messages call the place, such as the region.
        type: str
        required: true
      connection:
        description: How to reach the API server, as in M(streamsafe.kafka_dr.strimzi_mirror_info).
        type: dict
        default: {}
        suboptions:
          kubeconfig:
            description: Path of a kubeconfig file.
            type: path
          context:
            description: Context of the kubeconfig file.
            type: str
          host:
            description: Address of the API server, instead of a kubeconfig.
            type: str
          api_key:
            description: Bearer token.
            type: str
          ca_cert:
            description: Path of the certificate of the API server's CA.
            type: path
          client_cert:
            description: Path of a client certificate.
            type: path
          client_key:
            description: Path of the client certificate's key.
            type: path
          validate_certs:
            description: Whether the API server's certificate is verified.
            type: bool
            default: true
          proxy:
            description: Address of an HTTP proxy.
            type: str
      namespace:
        description: The namespace.
        type: str
        required: true
      rules:
        description: What is to be allowed there, as rules of a Role.
        type: list
        elements: dict
        default: []
      needed:
        description: Whether nothing can be done where its API server does not answer. Elsewhere that is a refusal.
        type: bool
        default: true
      may_be_made:
        description: Whether a namespace that is not there is no obstacle.
        type: bool
        default: false
  timeout:
    description: Seconds that any single answer of an API server may take.
    type: int
    default: 30
requirements:
  - kubernetes >= 29
extends_documentation_fragment:
  - streamsafe.kafka_dr.client.info_attributes
"""

EXAMPLES = r"""
- name: Try whether the restore may write
  streamsafe.kafka_dr.kubernetes_access_info:
    places:
      - name: europe
        connection: {context: europe}
        namespace: kafka
        rules:
          - {apiGroups: [kafka.strimzi.io], resources: [kafkausers], verbs: [list, create]}
"""

RETURN = r"""
granted:
  description: Whether nothing stands in the way.
  returned: always
  type: bool
refusals:
  description: What the API servers refuse, one sentence each.
  returned: always
  type: list
  elements: str
unanswered:
  description: Which API servers that are needed do not answer, one sentence each.
  returned: always
  type: list
  elements: str
places:
  description: The same place by place, C(name), C(namespace), C(refusals), C(unanswered).
  returned: always
  type: list
  elements: dict
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._specs import KUBERNETES_SPEC
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.kubernetes_access_info import (
    kubernetes_access_info,
)

PLACE = {
    "name": {"type": "str", "required": True},
    "connection": {"type": "dict", "default": {}, "options": KUBERNETES_SPEC},
    "namespace": {"type": "str", "required": True},
    "rules": {"type": "list", "elements": "dict", "default": []},
    "needed": {"type": "bool", "default": True},
    "may_be_made": {"type": "bool", "default": False},
}


def main() -> None:
    """Ansible's entry."""
    run_module(
        {
            "places": {"type": "list", "elements": "dict", "required": True, "options": PLACE},
            "timeout": {"type": "int", "default": 30},
        },
        kubernetes_access_info,
        requires=("kubernetes",),
    )


if __name__ == "__main__":
    main()
