#!/usr/bin/python
# SPDX-License-Identifier: GPL-3.0-or-later
# GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
"""Copy Secrets between namespaces and clusters."""

from __future__ import annotations

DOCUMENTATION = r"""
module: secret_copy
author: The streamsafe.kafka_dr authors (@streamsafe)
version_added: "0.1.0"
short_description: Copy Kubernetes Secrets between namespaces and clusters
description:
  - Copies one or many Secrets in one call, and brings copies that have drifted back to their source.
  - Type, labels and annotations are kept; what the API server sets, owner references and marks of deployment tools are
    left behind.
  - What is already there and is no copy of the same Secret is never written over unless that is asked for.
  - Everything is planned and tried as a dry run before the first Secret is written. No value is ever shown, in
    differences neither.
options:
  source:
    description: The namespace to copy from. Required for O(state=present).
    type: dict
    suboptions: &side
      namespace:
        description: The namespace.
        type: str
        required: true
      kubeconfig:
        description:
          - Path of a kubeconfig file.
          - Without this and O(source.host) it is E(KUBECONFIG), then C(~/.kube/config), then the Pod's own service
            account.
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
  target:
    description: The namespace to copy into.
    type: dict
    required: true
    suboptions: *side
  state:
    description: With V(absent) the copies are deleted; Secrets that are no copies are refused.
    type: str
    choices: [present, absent]
    default: present
  names:
    description: Secrets by name. Each has to be there. Needs no right to list, only to get these.
    type: list
    elements: str
  label_selector:
    description: Secrets by label, in Kubernetes' notation.
    type: str
  name_regex:
    description: Secrets whose whole name matches; together with O(label_selector) both have to hold. With
      O(state=absent) it is about the copies' names.
    type: str
  allow_none:
    description: Whether a selection may match no Secret.
    type: bool
    default: false
  rename:
    description: New names by old ones.
    type: dict
  prefix:
    description: Put before the name of each copy that O(rename) does not name.
    type: str
    default: ""
  keys:
    description: Keys to copy; all where it is not given. Each has to be there.
    type: list
    elements: str
  labels:
    description: Labels to set on the copies, over those of the source.
    type: dict
  annotations:
    description: Annotations to set on the copies, over those of the source.
    type: dict
  without:
    description: Shell patterns of label and annotation keys that are left behind, for example V(app.kubernetes.io/*).
    type: list
    elements: str
  on_existing:
    description:
      - What to do with a Secret that is there, differs, and is no copy of the same Secret, or whose labels somebody
        else has set.
      - Copies made by this module are always brought up to date.
    type: str
    choices: [refuse, replace, keep]
    default: refuse
  recreate:
    description: Whether to delete and make again what cannot be changed in place, which is an immutable Secret and one
      of another type.
    type: bool
    default: false
  timeout:
    description: Seconds that any single answer of an API server may take.
    type: int
    default: 30
attributes:
  check_mode:
    description: The API server is asked by a dry run, so that missing rights are found too. A source that is not there
      yet is no error.
    support: full
  diff_mode:
    description: Shows names of keys, never values.
    support: full
  idempotent:
    description: A second call changes nothing.
    support: full
requirements:
  - kubernetes >= 29
notes:
  - Reads with C(get) for O(names), with C(list) for a selection; writes with C(get), C(create), C(update) and, to
    delete, C(delete).
  - The copy is not immutable even where the source is, since it has to follow a rotation.
"""

EXAMPLES = r"""
- name: Give the mirror the password that it has in the source region
  streamsafe.kafka_dr.secret_copy:
    source:
      context: north-america
      namespace: kafka
    target:
      context: europe
      namespace: kafka
    names: [mirror, main-cluster-ca-cert]
    prefix: north-america-

- name: Keep certificates and passwords safe, in one call
  streamsafe.kafka_dr.secret_copy:
    source:
      namespace: kafka
    target:
      namespace: kafka-backup
    label_selector: strimzi.io/cluster=main
    name_regex: ".*-(cluster|clients)-ca(-cert)?"
"""

RETURN = r"""
secrets:
  description: What was done, or would be, for each Secret.
  returned: always
  type: list
  elements: dict
  contains:
    source:
      description: Namespace and name of the source.
      type: str
    target:
      description: Namespace and name of the copy.
      type: str
    action:
      description: V(created), V(updated), V(recreated), V(unchanged), V(kept), V(deleted), V(absent) or, in check mode,
        V(source_absent).
      type: str
    differences:
      description: What differed, as paths such as V(data.password) or V(labels.team). Never a value.
      type: list
      elements: str
"""

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._module import run_module
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._specs import KUBERNETES_SPEC
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.secret_copy import secret_copy

SIDE = {"namespace": {"type": "str", "required": True}, **KUBERNETES_SPEC}


def main() -> None:
    """Ansible's entry."""
    run_module(
        {
            "source": {"type": "dict", "options": SIDE},
            "target": {"type": "dict", "required": True, "options": SIDE},
            "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
            "names": {"type": "list", "elements": "str"},
            "label_selector": {"type": "str"},
            "name_regex": {"type": "str"},
            "allow_none": {"type": "bool", "default": False},
            "rename": {"type": "dict"},
            "prefix": {"type": "str", "default": ""},
            "keys": {"type": "list", "elements": "str", "no_log": False},
            "labels": {"type": "dict"},
            "annotations": {"type": "dict"},
            "without": {"type": "list", "elements": "str"},
            "on_existing": {"type": "str", "choices": ["refuse", "replace", "keep"], "default": "refuse"},
            "recreate": {"type": "bool", "default": False},
            "timeout": {"type": "int", "default": 30},
        },
        secret_copy,
        requires=("kubernetes",),
        required_if=[("state", "present", ["source"])],
        required_one_of=[("names", "label_selector", "name_regex")],
    )


if __name__ == "__main__":
    main()
