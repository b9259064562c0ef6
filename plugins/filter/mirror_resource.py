# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters between mirror descriptions and KafkaMirrorMaker2 resources."""

from __future__ import annotations

from ansible.errors import AnsibleFilterError

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import KafkaDrError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2 import resource as shapes
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2 import resource_state


def _filter(function):
    def called(*positional, **named):
        try:
            return function(*positional, **named)
        except KafkaDrError as error:
            raise AnsibleFilterError(str(error)) from error

    return called


def mirror_api_version(served, existing=None, group=shapes.STRIMZI_GROUP):
    """Group and version to write a KafkaMirrorMaker2 with."""
    return "%s/%s" % (group, shapes.writing_version(served, existing))


class FilterModule:
    """Ansible's entry."""

    def filters(self):
        return {
            "mirror_resource": _filter(shapes.mirror_resource),
            "mirror_api_version": _filter(mirror_api_version),
            "mirror_state_patch": _filter(resource_state.state_patch),
            "mirror_status": _filter(resource_state.mirror_status),
            "mirror_stopped": _filter(resource_state.stopped),
        }
