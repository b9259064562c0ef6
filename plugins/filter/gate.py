# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter that looks at gates."""

from __future__ import annotations

from ansible.errors import AnsibleFilterError

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils import _gates
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError


def gate(gates, require=None, facts=None):
    """Which gates do not hold, and which of these were overridden."""
    try:
        return _gates.look(gates, require, facts or {})
    except KafkaDrError as error:
        raise AnsibleFilterError(str(error)) from error


class FilterModule:
    """Ansible's entry."""

    def filters(self):
        return {"gate": gate}
