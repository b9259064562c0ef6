# SPDX-License-Identifier: GPL-3.0-or-later
"""The client quotas of a cluster. librdkafka has no request for them; kafka-python sends it (KIP-546)."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

try:
    from kafka.protocol.admin.client_quotas import AlterClientQuotasRequest, DescribeClientQuotasRequest
except ImportError:
    pass

from .._errors import TimedOutError
from .._values.quotas import ENTITIES, Entity, Limits, Quotas, as_dicts, as_text, changed, flatten, plain, planned
from .client import KafkaClient
from .python_client import PythonClient, refused


def describe_quotas(client: KafkaClient) -> list[dict[str, Any]]:
    """Every quota of the cluster, as :func:`as_dicts` gives them.

    :param client: a ``KafkaClient``; its principal needs DESCRIBE_CONFIGS on the cluster.
    """
    with PythonClient(client) as connection:
        return as_dicts(_describe(connection))


def _describe(connection: PythonClient) -> Quotas:
    answer = connection.ask(DescribeClientQuotasRequest(components=[], strict=False), "describe client quotas")
    error = refused(
        connection.client, answer.error_code, answer.error_message, "describe client quotas", "DESCRIBE_CONFIGS"
    )
    if error:
        raise error
    found: Quotas = {}
    for entry in answer.entries or []:
        names = {part.entity_type: part.entity_name for part in entry.entity}
        limits: Limits = {limit.key: plain(limit.value) for limit in entry.values}
        found[tuple((kind, names[kind]) for kind in ENTITIES if kind in names)] = limits
    return found


def ensure_quotas(
    client: KafkaClient, quotas: Iterable[Mapping[str, Any]], state: str, check_mode: bool
) -> dict[str, Any]:
    """Make these limits hold, or not, in one request; then wait until the cluster says so.

    In check mode the cluster is asked whether it would accept the change (``ValidateOnly``, KIP-546).

    :param client: a ``KafkaClient``; its principal needs DESCRIBE_CONFIGS and, where something changes, ALTER_CONFIGS
        on the cluster.
    :param state: ``present`` (a limit of None is removed), ``exact`` (other limits of the entities named are removed
        too), or ``absent`` (the limits named are removed, or all of an entity where none are).
    :returns: ``changed``, ``altered`` (as text), ``diff``.
    """
    wanted = flatten(quotas)
    if not wanted:
        return {"changed": False, "altered": [], "diff": {"before": {}, "after": {}}}
    with PythonClient(client) as connection:
        before = _describe(connection)
        changes = planned(before, wanted, state)
        after = changed(before, changes)
        if changes:
            _alter(connection, changes, check_mode)
            if not check_mode:
                _await(connection, changes, after)
    named = {key: limits for key, limits in before.items() if key in wanted}
    then = {**{key: limits for key, limits in named.items() if key not in changes}, **after}
    return {
        "changed": bool(changes),
        "altered": sorted(map(as_text, changes)),
        "diff": {"before": _as_diff(named), "after": _as_diff(then)},
    }


def _as_diff(flat: Quotas) -> dict[str, Limits]:
    return {
        as_text(key): dict(sorted(limits.items()))
        for key, limits in sorted(flat.items(), key=lambda item: as_text(item[0]))
    }


def _alter(connection: PythonClient, changes: Quotas, only_validate: bool) -> None:
    request = AlterClientQuotasRequest(
        entries=[
            (list(key), [(name, float(value or 0), value is None) for name, value in sorted(change.items())])
            for key, change in changes.items()
        ],
        validate_only=only_validate,
    )
    answer = connection.ask(request, "alter client quotas")
    for entry in answer.entries:
        names = {part.entity_type: part.entity_name for part in entry.entity}
        what = f"alter the quotas of {as_text(tuple((kind, names[kind]) for kind in ENTITIES if kind in names))}"
        error = refused(connection.client, entry.error_code, entry.error_message, what, "ALTER_CONFIGS")
        if error:
            raise error


def _await(connection: PythonClient, changes: Iterable[Entity], after: Quotas) -> None:
    """Brokers learn what the controller wrote a moment later."""
    end = time.monotonic() + connection.client.timeout
    while True:
        now = _describe(connection)
        late = [key for key in changes if now.get(key, {}) != after.get(key, {})]
        if not late:
            return
        if time.monotonic() > end:
            raise TimedOutError(
                f"The quotas of {as_text(late[0])} are not as they were set",
                expected=str(after.get(late[0], {})),
                found=str(now.get(late[0], {})),
                remedy="Look whether somebody else, such as an operator, sets them too",
            )
        time.sleep(0.05)
