# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter from the old MirrorMaker's files to a mirror description."""

from __future__ import annotations

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.mirror_maker_1 import from_mirror_maker_1
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.speaking import speaking


@speaking
def mirror_from_mm1(consumer, producer, source, target, name=None, whitelist=".*", streams=1, message_handler=None):
    """The new description and what changes with it."""
    return from_mirror_maker_1(consumer, producer, source, target, name, whitelist, streams, message_handler)


class FilterModule:
    """Ansible's entry."""

    def filters(self):
        return {"mirror_from_mm1": mirror_from_mm1}
