# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Client quotas (KIP-13, KIP-124, KIP-257, KIP-546, KIP-599, KIP-612). librdkafka has no request for them; kafka-python sends it.

A quota is ``{entity: {user, client-id, ip}, limits: {name: number}}``; in ``entity`` a name is None for the default, and what is not there is not meant.
"""

from __future__ import annotations

import time

try:
    from kafka.protocol.admin.client_quotas import AlterClientQuotasRequest, DescribeClientQuotasRequest
except ImportError:
    pass

from .._errors import TimedOutError, UsageError
from .python_client import PythonClient, refused

ENTITIES = ("user", "client-id", "ip")
# Names and kinds of numbers as in QuotaConfig (org.apache.kafka.server.config).
WHOLE = ("producer_byte_rate", "consumer_byte_rate", "connection_creation_rate")
FRACTIONS = ("request_percentage", "controller_mutation_rate")
OF_ADDRESSES = ("connection_creation_rate",)


def flatten(quotas):
    """Quotas by their entity: ``{((type, name or None), ...): {limit: number, or None for one that is not to be}}``.

    :raises UsageError: an entity or limit is unknown, an entity is named twice, or a limit is no number.
    """
    made = {}
    for one in quotas:
        entity = one.get("entity") or {}
        key = tuple((kind, None if entity[kind] is None else str(entity[kind])) for kind in ENTITIES if kind in entity)
        if not key or set(entity) - set(ENTITIES) or ("ip" in entity and len(entity) > 1) or any(name == "" for dummy, name in key):
            raise UsageError("A quota names nobody it is for", expected="an entity of user, client-id, or both, or of ip; with null for the default",
                             found=str(one.get("entity")))
        if key in made:
            raise UsageError("The quotas of %s are given twice" % as_text(key), remedy="Give all its limits at one place")
        made[key] = {str(name): _number(key, str(name), value) for name, value in (one.get("limits") or {}).items()}
    return made


def _number(key, name, value):
    known = OF_ADDRESSES if key[0][0] == "ip" else [one for one in WHOLE + FRACTIONS if one not in OF_ADDRESSES]
    if name not in known:
        raise UsageError("The limit '%s' of %s is not known" % (name, as_text(key)), expected=", ".join(known))
    if value is None:
        return None
    try:
        number = float("no number" if isinstance(value, bool) else value)
    except (TypeError, ValueError):
        number = -1.0
    if not 0 < number < float("inf") or (name in WHOLE and number % 1):
        raise UsageError("The limit '%s' of %s is not valid" % (name, as_text(key)), expected="a %snumber above 0" % ("whole " if name in WHOLE else ""),
                         found=value)
    return _plain(number)


def _plain(number):
    return int(number) if number % 1 == 0 else number


def as_text(key):
    """An entity as a person reads it: ``user 'departures', default client-id``."""
    return ", ".join("default %s" % kind if name is None else "%s '%s'" % (kind, name) for kind, name in key)


def as_dicts(flat):
    """Quotas in the form that :func:`flatten` reads, in a fixed order."""
    return [{"entity": dict(key), "limits": dict(sorted(limits.items()))} for key, limits in sorted(flat.items(), key=lambda one: as_text(one[0]))]


def describe_quotas(client):
    """Every quota of the cluster, as :func:`as_dicts` gives them.

    :param client: a ``KafkaClient``; its principal needs DESCRIBE_CONFIGS on the cluster.
    """
    with PythonClient(client) as connection:
        return as_dicts(_describe(connection))


def _describe(connection):
    answer = connection.ask(DescribeClientQuotasRequest(components=[], strict=False), "describe client quotas")
    error = refused(connection.client, answer.error_code, answer.error_message, "describe client quotas", "DESCRIBE_CONFIGS")
    if error:
        raise error
    found = {}
    for entry in answer.entries or []:
        names = {one.entity_type: one.entity_name for one in entry.entity}
        found[tuple((kind, names[kind]) for kind in ENTITIES if kind in names)] = {one.key: _plain(one.value) for one in entry.values}
    return found


def planned(before, wanted, state):
    """What is to be changed: ``{entity: {limit: number, or None to remove it}}``.

    :param before: all quotas. :param wanted: as :func:`flatten` gives them. :param state: as for :func:`ensure_quotas`.
    """
    changes = {}
    for key, limits in wanted.items():
        there = before.get(key, {})
        if state == "absent":
            change = dict.fromkeys(name for name in there if name in limits or not limits)
        else:
            change = {name: value for name, value in limits.items() if there.get(name) != value}
            if state == "exact":
                change.update(dict.fromkeys(name for name in there if name not in limits))
        if change:
            changes[key] = change
    return changes


def changed(before, changes):
    """What :func:`planned` leads to, for the entities it names; those without any limit are left out."""
    made = {key: {name: value for name, value in {**before.get(key, {}), **change}.items() if value is not None} for key, change in changes.items()}
    return {key: limits for key, limits in made.items() if limits}


def ensure_quotas(client, quotas, state, check_mode):
    """Make these limits hold, or not, in one request; then wait until the cluster says so.

    In check mode the cluster is asked whether it would accept the change (``ValidateOnly``, KIP-546).

    :param client: a ``KafkaClient``; its principal needs DESCRIBE_CONFIGS and, where something changes, ALTER_CONFIGS on the cluster.
    :param state: ``present`` (a limit of None is removed), ``exact`` (other limits of the entities named are removed too), or ``absent`` (the limits
        named are removed, or all of an entity where none are).
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
    return {"changed": bool(changes), "altered": sorted(map(as_text, changes)), "diff": {"before": _told(named), "after": _told(then)}}


def _told(flat):
    return {as_text(key): dict(sorted(limits.items())) for key, limits in sorted(flat.items(), key=lambda one: as_text(one[0]))}


def _alter(connection, changes, only_validate):
    request = AlterClientQuotasRequest(entries=[
        (list(key), [(name, float(value or 0), value is None) for name, value in sorted(change.items())])
        for key, change in changes.items()], validate_only=only_validate)
    answer = connection.ask(request, "alter client quotas")
    for entry in answer.entries:
        names = {one.entity_type: one.entity_name for one in entry.entity}
        what = "alter the quotas of %s" % as_text(tuple((kind, names[kind]) for kind in ENTITIES if kind in names))
        error = refused(connection.client, entry.error_code, entry.error_message, what, "ALTER_CONFIGS")
        if error:
            raise error


def _await(connection, changes, after):
    """Brokers learn what the controller wrote a moment later."""
    end = time.monotonic() + connection.client.timeout
    while True:
        now = _describe(connection)
        late = [key for key in changes if now.get(key, {}) != after.get(key, {})]
        if not late:
            return
        if time.monotonic() > end:
            raise TimedOutError("The quotas of %s are not as they were set" % as_text(late[0]), expected=str(after.get(late[0], {})),
                                found=str(now.get(late[0], {})), remedy="Look whether somebody else, such as an operator, sets them too")
        time.sleep(0.05)
