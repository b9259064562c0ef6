# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters from Java's stores to the PEM text of a client description."""

from __future__ import annotations

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka import truststore
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.speaking import speaking


@speaking
def truststore_pem(path, password=None):
    """Certificates of a truststore in PEM, PKCS12 or JKS."""
    return truststore.truststore_pem(path, password)


class FilterModule:
    """Ansible's entry."""

    def filters(self):
        return {"truststore_pem": truststore_pem, "keystore_pem": speaking(truststore.keystore_pem)}
