# SPDX-License-Identifier: GPL-3.0-or-later
"""Filter that checks the inventory's description of regions, mirrors and applications."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from jinja2 import pass_context
from jinja2.runtime import Context

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._inventory import check_all as described
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.as_filter import as_filter
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.extra_variables import mistaken_names
from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.plain import as_data, plain


@pass_context
@as_filter
def inventory_mistakes(
    context: Context,
    hostvars: dict[str, dict[str, Any]],
    about: Sequence[str] = (),
    complete: bool = True,
    own: Sequence[str] = (),
) -> dict[str, Any]:
    """Mistakes, warnings and decisions of the whole inventory, see ``described.examined``, after the mistakes of what
    was given with ``-e``.
    """
    hosts = {}
    for name in hostvars:
        variables = hostvars[name]
        hosts[str(name)] = {
            str(variable): plain(variables, variable)
            for variable in variables
            if str(variable).startswith(described.PREFIX)
        }
    # What a play gives by itself wins over what the hosts say.
    given = {str(variable): plain(context, variable) for variable in own}
    given = {
        variable: value
        for variable, value in given.items()
        if all(variables.get(variable) != value for variables in hosts.values())
    }
    if given:
        hosts.setdefault("localhost", {}).update(given)
    result = described.examined(hosts, [str(region) for region in about if region], complete)
    return as_data({**result, "mistakes": mistaken_names() + result["mistakes"]})


FILTERS: dict[str, Callable[..., Any]] = {"inventory_mistakes": inventory_mistakes}
