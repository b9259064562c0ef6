# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Topic configs as they hold, brokers' defaults included: two clusters with the same settings and other defaults still differ."""

from __future__ import annotations

try:
    from confluent_kafka.admin import ConfigResource, ResourceType
except ImportError:
    pass


def effective_configs(client, names, keys):
    """``{topic: {key: value}}`` for the keys asked for."""
    if not names:
        return {}
    resources = [ConfigResource(ResourceType.TOPIC, name) for name in names]
    futures = client.ask("read topic configs", lambda: client.admin.describe_configs(resources, request_timeout=client.timeout))
    found = {}
    for resource, future in futures.items():
        entries = client.result(future, "read the configs of topic '%s'" % resource.name)
        found[resource.name] = {key: entries[key].value for key in keys if key in entries}
    return found
