# SPDX-License-Identifier: GPL-3.0-or-later
"""Argument specs that several modules share; each is documented by a fragment in ``plugins/doc_fragments``."""

from __future__ import annotations

from typing import Any

Spec = dict[str, dict[str, Any]]

# Options that every module needs that has them. The specs do not call them required, since module_defaults of an action
# group say them for several tasks, which linters do not see; run_module refuses a call without them.
NEEDED = ("client", "target_client", "source_alias", "target_alias", "urls")

CLIENT_SPEC = {
    "client": {"type": "dict"},
    "client_secrets": {"type": "dict", "default": {}, "no_log": True},
    "timeout": {"type": "int", "default": 30},
}

# Confidences of positions that are committed only where they are accepted.
ACCEPTABLE = ["interpolated", "left_over", "lower_bound", "unknown"]

LEDGER_SPEC = {
    "topic": {"type": "str", "default": "__kafka_dr_ledger"},
    "secret": {"type": "list", "elements": "str", "default": [], "no_log": True},
}

WATCH_SPEC = {
    "mirror": {"type": "str", "required": True},
    "state_topic": {"type": "str", "default": "__kafka_dr_windows"},
}

CLIENTS_SPEC = {
    "source_client": {"type": "dict", "required": True},
    "source_client_secrets": {"type": "dict", "default": {}, "no_log": True},
    "target_client": {"type": "dict", "required": True},
    "target_client_secrets": {"type": "dict", "default": {}, "no_log": True},
    "timeout": {"type": "int", "default": 30},
}

CONNECT_SPEC = {
    "urls": {"type": "list", "elements": "str"},
    "username": {"type": "str"},
    "password": {"type": "str", "no_log": True},
    "ca_pem": {"type": "str"},
    "certificate_pem": {"type": "str"},
    "key_pem": {"type": "str", "no_log": True},
    "key_password": {"type": "str", "no_log": True},
    "timeout": {"type": "int", "default": 60},
}

# Of one mirror; documented in the fragment ``mirror_clients``.
MIRROR_SPEC: Spec = {
    **CLIENTS_SPEC,
    # Left out where the source is lost.
    "source_client": {"type": "dict"},
    "target_client": {"type": "dict"},
    "source_alias": {"type": "str"},
    "target_alias": {"type": "str"},
    "policy": {"type": "str", "choices": ["identity", "default"], "default": "identity"},
    "separator": {"type": "str", "default": "."},
    "offsets_topic": {"type": "str"},
    "connector": {"type": "str"},
    "positions_topic": {"type": "str", "default": "__kafka_dr_positions"},
}

# Of a connection to Kubernetes; documented in the fragment ``kubernetes``.
KUBERNETES_SPEC = {
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

# Of the modules for an operator's resources.
OPERATOR_SPEC = {
    "connection": {"type": "dict", "default": {}, "options": KUBERNETES_SPEC},
    "namespace": {"type": "str", "required": True},
    "group": {"type": "str", "default": "kafka.strimzi.io"},
    "timeout": {"type": "int", "default": 30},
}
