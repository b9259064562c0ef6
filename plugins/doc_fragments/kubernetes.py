# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that describe one connection to Kubernetes."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  connection:
    description:
      - How to reach the API server, with the names that the modules of C(kubernetes.core) have.
      - Empty is E(KUBECONFIG), then C(~/.kube/config), then the Pod's own service account.
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
  group:
    description: API group of the operator.
    type: str
    default: kafka.strimzi.io
  timeout:
    description: Seconds that any single answer of the API server may take.
    type: int
    default: 30
requirements:
  - kubernetes >= 29
"""
