# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Argument specs of a connection to Kubernetes; their documentation is the fragment ``kubernetes``."""

from __future__ import annotations

CONNECTION = {
    "kubeconfig": {"type": "path"},
    "context": {"type": "str"},
    "host": {"type": "str"},
    "api_key": {"type": "str", "no_log": True},
    "ca_cert": {"type": "path"},
    "client_cert": {"type": "path"},
    "client_key": {"type": "path", "no_log": False},
    "validate_certs": {"type": "bool", "default": True},
    "proxy": {"type": "str"},
}

OPERATOR = {
    "connection": {"type": "dict", "default": {}, "options": CONNECTION},
    "namespace": {"type": "str", "required": True},
    "group": {"type": "str", "default": "kafka.strimzi.io"},
    "timeout": {"type": "int", "default": 30},
}
