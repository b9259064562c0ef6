# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that describe one Kafka client."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  client:
    description:
      - The cluster to talk to, as librdkafka configuration keys without secrets.
      - V(bootstrap.servers) is required; V(security.protocol), V(sasl.mechanism), V(sasl.username) and V(ssl.ca.pem)
        are usual.
      - Required, here or in C(module_defaults) of the module's action group.
    type: dict
  client_secrets:
    description: The secret keys of the same configuration, such as V(sasl.password), V(ssl.key.pem) and
      V(ssl.key.password).
    type: dict
    default: {}
  timeout:
    description: Seconds that any single answer of the cluster may take.
    type: int
    default: 30
requirements:
  - confluent-kafka >= 2.6
"""
    ATTRIBUTES = r"""
attributes:
  check_mode:
    description: Can run in check mode and return what would be changed without changing it.
    support: full
  diff_mode:
    description: Returns what changed, or would change, when in diff mode.
    support: full
"""
    INFO_ATTRIBUTES = r"""
attributes:
  check_mode:
    description: Reads only, in check mode as well as without it.
    support: full
  diff_mode:
    description: Changes nothing, so there is no difference to show.
    support: N/A
"""
