# SPDX-License-Identifier: GPL-3.0-or-later
"""Options that describe the REST interface of one Kafka Connect cluster."""

from __future__ import annotations


class ModuleDocFragment:
    DOCUMENTATION = r"""
options:
  urls:
    description:
      - Addresses of the workers' REST interfaces. Any worker of the cluster that answers will do.
      - Proxies of the environment are not used.
      - Required, here or in C(module_defaults) of the action group C(streamsafe.kafka_dr.connect).
    type: list
    elements: str
  username:
    description: User, where the workers want basic authentication.
    type: str
  password:
    description: Its password.
    type: str
  ca_pem:
    description:
      - Certificate authority of the workers, in PEM. Without it, those that the system trusts.
      - Certificates and names are always verified.
    type: str
  certificate_pem:
    description: Client certificate with its chain, in PEM, where the workers want one.
    type: str
  key_pem:
    description: The private key that belongs to O(certificate_pem), in PEM.
    type: str
  key_password:
    description: Password of O(key_pem), where it has one.
    type: str
  timeout:
    description: Seconds for all of it. Requests that a worker does not take because the group is rebalancing are made
      again within this time.
    type: int
    default: 60
"""
