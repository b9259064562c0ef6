# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings of topics and brokers, changed as an operator changes them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from confluent_kafka.admin import AdminClient, AlterConfigOpType, ConfigEntry, ConfigResource, ResourceType


def configure(
    client: Mapping[str, Any], name: str, settings: Mapping[str, Any], kind: ResourceType = ResourceType.TOPIC
) -> None:
    """Set these, beside what is set already, and wait until the broker shows them: it follows the controller later.

    :param client: librdkafka's configuration. :param name: a topic's name, or a broker's id.
    """
    entries = [
        ConfigEntry(key, str(value), incremental_operation=AlterConfigOpType.SET) for key, value in settings.items()
    ]
    # Kept: a client that is dropped ends its futures.
    admin = AdminClient(dict(client))
    for future in admin.incremental_alter_configs([ConfigResource(kind, name, incremental_configs=entries)]).values():
        future.result(30)
    wanted = {key: str(value) for key, value in settings.items()}
    end = time.monotonic() + 30
    while (shown := _shown(admin, ConfigResource(kind, name), wanted)) != wanted:
        assert time.monotonic() < end, f"{kind.name.lower()} {name} has {shown} and not {wanted}"
        time.sleep(0.05)


def _shown(admin: AdminClient, resource: ConfigResource, keys: Mapping[str, Any]) -> dict[str, Any]:
    (asked,) = admin.describe_configs([resource]).values()
    return {key: entry.value for key, entry in asked.result(30).items() if key in keys}
