# SPDX-License-Identifier: GPL-3.0-or-later
"""Set configs on topics, and see that the cluster shows them."""

from __future__ import annotations

import time
from collections.abc import Mapping

try:
    from confluent_kafka.admin import AlterConfigOpType, ConfigEntry, ConfigResource, ResourceType
except ImportError:
    pass

from .._errors import TimedOutError
from .._values.listing import named
from .._values.portions import requests
from .._values.setting import alike
from .client import KafkaClient
from .topics import topic_configs

# ``{topic: {config: value}}``; None takes the config away.
Settings = Mapping[str, Mapping[str, "str | None"]]
# How long a broker may take to learn what the controller has decided, before it is taken for one that shows what its
# controller does not know.
REVIVED_AFTER = 3


def configure(client: KafkaClient, changes: Settings, before: Settings) -> None:
    """Set or remove these configs in as few requests as the controller takes, and wait until a broker shows it.

    A broker of Kafka 4.3.1 that is started anew shows a topic with what a deleted one of its name had (seen in a test).
    The controller does not know of that, so that removing it has no effect; it is set as it is shown, and removed then.

    :param before: what these topics have now.
    :raises TimedOutError: a broker does not show it within the client's timeout.
    """
    if not changes:
        return
    _alter(client, changes)
    late = _await(client, changes, before, min(REVIVED_AFTER, client.timeout))
    revived = _not_empty(
        {
            name: {key: value for key, value in configs.items() if changes[name][key] is None}
            for name, configs in late.items()
        }
    )
    if revived:
        _alter(client, revived)
        _alter(client, {name: dict.fromkeys(configs) for name, configs in revived.items()})
    late = _await(client, changes, before, client.timeout) if late else {}
    if late:
        raise TimedOutError(
            f"{client.name} does not show the configs of {len(late)} topics as they were set, after {client.timeout} s",
            expected="; ".join(f"{name} {dict(changes[name])}" for name in list(late)[:3]),
            found=named(f"{name} {configs}" for name, configs in late.items()),
            remedy="Look whether somebody else, such as an operator, sets them too, and run this again",
        )


def _await(
    client: KafkaClient, changes: Settings, before: Settings, seconds: float
) -> dict[str, dict[str, str | None]]:
    """What is still shown as it was before, once everything else is as it was set."""
    end = time.monotonic() + seconds
    while True:
        shown = topic_configs(client, list(changes))
        late = _not_empty(
            {
                name: {
                    key: shown[name].get(key)
                    for key, value in configs.items()
                    if _is_late(value, before[name].get(key), shown[name].get(key))
                }
                for name, configs in changes.items()
            }
        )
        if not late or time.monotonic() > end:
            return late
        time.sleep(0.1)


def _not_empty(settings: dict[str, dict[str, str | None]]) -> dict[str, dict[str, str | None]]:
    return {name: configs for name, configs in settings.items() if configs}


def _is_late(wanted: str | None, before: str | None, shown: str | None) -> bool:
    """Whether a broker does not show yet what was set. It may write a value otherwise than it was given: any new one
    shows that it has learned of it.
    """
    if wanted is None:
        return shown is not None
    return not alike(shown, wanted) and shown == before


def _alter(client: KafkaClient, changes: Settings) -> None:
    for some in requests(changes.items(), lambda topic: len(topic[1])):
        _alter_some(client, dict(some))


def _alter_some(client: KafkaClient, changes: Settings) -> None:
    resources = []
    for name, configs in changes.items():
        entries = [
            ConfigEntry(
                key, value, incremental_operation=AlterConfigOpType.DELETE if value is None else AlterConfigOpType.SET
            )
            for key, value in configs.items()
        ]
        resources.append(ConfigResource(ResourceType.TOPIC, name, incremental_configs=entries))
    futures = client.ask(
        "alter topic configs", lambda: client.admin.incremental_alter_configs(resources, request_timeout=client.timeout)
    )
    for resource, future in futures.items():
        client.result(future, f"alter the configs of topic '{resource.name}'")
