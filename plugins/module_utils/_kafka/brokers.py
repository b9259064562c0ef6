# SPDX-License-Identifier: GPL-3.0-or-later
"""The settings of single brokers."""

from __future__ import annotations

from typing import Any

try:
    from confluent_kafka.admin import ConfigResource, ResourceType
except ImportError:
    pass

from .._errors import AuthorizationError, TimedOutError, UnreachableError
from .client import KafkaClient

AUTHORIZER = "authorizer.class.name"


def broker_settings(client: KafkaClient, broker: int) -> dict[str, Any]:
    """``{key: ConfigEntry}`` of one broker, which librdkafka sends the request to; it refuses one about several."""
    what = f"read the settings of broker {broker}"
    resource = ConfigResource(ResourceType.BROKER, str(broker))
    futures = client.ask(what, lambda: client.admin.describe_configs([resource], request_timeout=client.timeout))
    return client.result(futures[resource], what)


def binds_nobody(settings: dict[str, Any]) -> bool:
    """Whether a broker with these settings has no authorizer, so that everybody may do everything there."""
    return AUTHORIZER in settings and not settings[AUTHORIZER].value


def without_authorizer(client: KafkaClient) -> list[int]:
    """Ids of the brokers that say that they have no authorizer. Who may not see their settings is bound by one."""
    found = []
    for broker in sorted(client.metadata().brokers):
        try:
            settings = broker_settings(client, broker)
        except (AuthorizationError, TimedOutError, UnreachableError):
            continue
        if binds_nobody(settings):
            found.append(broker)
    return found
