# SPDX-License-Identifier: GPL-3.0-or-later
"""Client quotas (KIP-13, KIP-124, KIP-257, KIP-546, KIP-599, KIP-612). librdkafka has no request for them; kafka-python
sends it.

A quota is ``{entity: {user, client-id, ip}, limits: {name: number}}``; in ``entity`` a name is None for the default,
and what is not there is not meant.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

try:
    from kafka.protocol.admin.client_quotas import AlterClientQuotasRequest, DescribeClientQuotasRequest
except ImportError:
    pass

from .._errors import TimedOutError, UsageError
from .client import KafkaClient
from .python_client import PythonClient, refused

# Types and names, in the order of ENTITIES; the name None is the default.
Entity = tuple[tuple[str, "str | None"], ...]
# None is a limit to remove.
Limits = dict[str, "float | None"]
Quotas = dict[Entity, Limits]

ENTITIES = ("user", "client-id", "ip")
# Names and kinds of numbers as in QuotaConfig (org.apache.kafka.server.config).
WHOLE = ("producer_byte_rate", "consumer_byte_rate", "connection_creation_rate")
FRACTIONS = ("request_percentage", "controller_mutation_rate")
OF_ADDRESSES = ("connection_creation_rate",)


def flatten(quotas: Iterable[Mapping[str, Any]]) -> Quotas:
    """Quotas by their entity: ``{((type, name or None), ...): {limit: number, or None for one that is not to be}}``.

    :raises UsageError: an entity or limit is unknown, an entity is named twice, or a limit is no number.
    """
    flat: Quotas = {}
    for quota in quotas:
        entity = quota.get("entity") or {}
        key = tuple((kind, None if entity[kind] is None else str(entity[kind])) for kind in ENTITIES if kind in entity)
        if (
            not key
            or set(entity) - set(ENTITIES)
            or ("ip" in entity and len(entity) > 1)
            or any(name == "" for dummy, name in key)
        ):
            raise UsageError(
                "A quota names nobody it is for",
                expected="an entity of user, client-id, or both, or of ip; with null for the default",
                found=str(quota.get("entity")),
            )
        if key in flat:
            raise UsageError(f"The quotas of {as_text(key)} are given twice", remedy="Give all its limits at one place")
        flat[key] = {str(name): _number(key, str(name), value) for name, value in (quota.get("limits") or {}).items()}
    return flat


def _number(key: Entity, name: str, value: Any) -> float | None:
    known = (
        OF_ADDRESSES if key[0][0] == "ip" else tuple(limit for limit in WHOLE + FRACTIONS if limit not in OF_ADDRESSES)
    )
    if name not in known:
        raise UsageError(f"The limit '{name}' of {as_text(key)} is not known", expected=", ".join(known))
    if value is None:
        return None
    try:
        number = float("no number" if isinstance(value, bool) else value)
    except (TypeError, ValueError):
        number = -1.0
    if not 0 < number < float("inf") or (name in WHOLE and number % 1):
        raise UsageError(
            f"The limit '{name}' of {as_text(key)} is not valid",
            expected=f"a {'whole ' if name in WHOLE else ''}number above 0",
            found=value,
        )
    return _plain(number)


def _plain(number: float) -> float:
    return int(number) if number % 1 == 0 else number


def as_text(key: Entity) -> str:
    """An entity as a person reads it: ``user 'departures', default client-id``."""
    return ", ".join(f"default {kind}" if name is None else f"{kind} '{name}'" for kind, name in key)


def as_dicts(flat: Quotas) -> list[dict[str, Any]]:
    """Quotas in the form that :func:`flatten` reads, in a fixed order."""
    return [
        {"entity": dict(key), "limits": dict(sorted(limits.items()))}
        for key, limits in sorted(flat.items(), key=lambda item: as_text(item[0]))
    ]


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
        limits: Limits = {limit.key: _plain(limit.value) for limit in entry.values}
        found[tuple((kind, names[kind]) for kind in ENTITIES if kind in names)] = limits
    return found


def planned(before: Quotas, wanted: Quotas, state: str) -> Quotas:
    """What is to be changed: ``{entity: {limit: number, or None to remove it}}``.

    :param before: all quotas. :param wanted: as :func:`flatten` gives them. :param state: as for :func:`ensure_quotas`.
    """
    changes: Quotas = {}
    for key, limits in wanted.items():
        current = before.get(key, {})
        if state == "absent":
            change: Limits = dict.fromkeys(name for name in current if name in limits or not limits)
        else:
            change = {name: value for name, value in limits.items() if current.get(name) != value}
            if state == "exact":
                change.update(dict.fromkeys(name for name in current if name not in limits))
        if change:
            changes[key] = change
    return changes


def changed(before: Quotas, changes: Quotas) -> Quotas:
    """What :func:`planned` leads to, for the entities it names; those without any limit are left out."""
    after: Quotas = {
        key: {name: value for name, value in {**before.get(key, {}), **change}.items() if value is not None}
        for key, change in changes.items()
    }
    return {key: limits for key, limits in after.items() if limits}


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
