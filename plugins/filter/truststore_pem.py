# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters from Java's stores to the PEM text of a client description."""

from __future__ import annotations

from ansible.errors import AnsibleFilterError

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka import truststore


def truststore_pem(path, password=None):
    """Certificates of a truststore in PEM, PKCS12 or JKS."""
    try:
        return truststore.truststore_pem(path, password)
    except KafkaDrError as error:
        raise AnsibleFilterError(str(error)) from error


def keystore_pem(path, password=None):
    """Certificate and key of a PKCS12 keystore."""
    try:
        return truststore.keystore_pem(path, password)
    except KafkaDrError as error:
        raise AnsibleFilterError(str(error)) from error


class FilterModule:
    """Ansible's entry."""

    def filters(self):
        return {"truststore_pem": truststore_pem, "keystore_pem": keystore_pem}
