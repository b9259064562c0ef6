# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that describe two Kafka clients, both of which are there."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  source_client:
    description: The source, as librdkafka configuration keys without secrets.
    type: dict
    required: true
  source_client_secrets:
    description: The secret keys of O(source_client).
    type: dict
    default: {}
  target_client:
    description: The target, as librdkafka configuration keys without secrets.
    type: dict
    required: true
  target_client_secrets:
    description: The secret keys of O(target_client).
    type: dict
    default: {}
  timeout:
    description: Seconds that any single answer may take.
    type: int
    default: 30
requirements:
  - confluent-kafka >= 2.6
"""
