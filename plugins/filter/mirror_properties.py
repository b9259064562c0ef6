# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters from mirror descriptions to MirrorMaker 2's files."""

from __future__ import annotations

from ansible.errors import AnsibleFilterError

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2 import properties


def mirror_properties(mirrors, clients, secrets_file, rest_port=0, rest_host="127.0.0.1"):
    """Text of the properties file of a dedicated MirrorMaker 2."""
    try:
        return properties.render_properties(properties.mirror_properties(mirrors, clients, secrets_file, rest_port, rest_host))
    except KafkaDrError as error:
        raise AnsibleFilterError(str(error)) from error


def mirror_secrets(secrets):
    """Text of the secrets file that such a properties file refers to."""
    try:
        return properties.render_properties(properties.mirror_secrets(secrets))
    except KafkaDrError as error:
        raise AnsibleFilterError(str(error)) from error


class FilterModule:
    """Ansible's entry."""

    def filters(self):
        return {"mirror_properties": mirror_properties, "mirror_secrets": mirror_secrets}
