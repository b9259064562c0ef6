# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter that checks the inventory's description of regions, mirrors and applications."""

from __future__ import annotations

from jinja2 import pass_context

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import described
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.plain import plain
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.speaking import speaking


@pass_context
@speaking
def inventory_mistakes(context, hostvars, about=(), complete=True, own=()):
    """Mistakes, warnings and decisions of the whole inventory; see ``described.examined``."""
    hosts = {}
    for name in hostvars:
        variables = hostvars[name]
        hosts[str(name)] = {str(one): plain(variables, one) for one in variables if str(one).startswith(described.PREFIX)}
    # What a play gives by itself wins over what the hosts say.
    here = {str(one): plain(context, one) for one in own}
    here = {one: value for one, value in here.items() if all(variables.get(one) != value for variables in hosts.values())}
    if here:
        hosts.setdefault("localhost", {}).update(here)
    return described.examined(hosts, [str(one) for one in about if one], complete)


class FilterModule:
    """Ansible's entry."""

    def filters(self):
        return {"inventory_mistakes": inventory_mistakes}
