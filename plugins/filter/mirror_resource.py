# SPDX-License-Identifier: GPL-3.0-or-later
"""Filters between mirror descriptions and KafkaMirrorMaker2 resources."""

from __future__ import annotations

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2 import resource as shapes
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2 import resource_state
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.speaking import speaking


def mirror_api_version(served, existing=None, group=shapes.STRIMZI_GROUP):
    """Group and version to write a KafkaMirrorMaker2 with."""
    return "%s/%s" % (group, shapes.writing_version(served, existing))


class FilterModule:
    """Ansible's entry."""

    def filters(self):
        return {
            "mirror_resource": speaking(shapes.mirror_resource),
            "mirror_api_version": speaking(mirror_api_version),
            "mirror_state_patch": speaking(resource_state.state_patch),
            "mirror_status": speaking(resource_state.mirror_status),
            "mirror_stopped": speaking(resource_state.stopped),
        }
