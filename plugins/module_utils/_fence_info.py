# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""What a fence has to take away, what it cannot, and what is left after it; the work of ``fence_info``."""

from __future__ import annotations

import concurrent.futures
import re

try:
    from confluent_kafka.admin import ConfigResource, ResourceType
except ImportError:
    pass

from ._errors import KafkaDrError
from ._kafka import rights
from ._kafka.acls import as_dict, as_text, describe_acls, qualified
from ._kafka.authorized import authorized_operations
from ._kafka.client import KafkaClient
from ._kafka.cluster import matching

ALLOW_EVERYONE, SUPER_USERS = "allow.everyone.if.no.acl.found", "super.users"
TOGETHER = 8
NAMED = 5


def work(params: dict, check_mode: bool) -> dict:
    """The result of ``fence_info``; reads only. See the module's RETURN for the shape."""
    client = KafkaClient(params["client"], params["client_secrets"], params["timeout"])
    topics = matching(list(client.metadata().topics), params["topics"], "topics")
    acls = describe_acls(client)
    users = {qualified(one["name"]): one for one in params["principals"]}
    asked, not_asked = _ask_each(client, users, topics)
    told = _settings(client, params)
    seen = {name: rights.beyond(acls, name, _together(answers)) for name, answers in asked.items()}
    names = _others(acls, topics, params, set(users)) if params["others"] else _everybody(acls, topics, params)
    names.update(_above(users, told, seen, not_asked, params["above"]))
    allowed = [one for one in acls if one[0] in users and one[5] == "ALLOW"]
    left = [as_text(one) for one in allowed] if params["others"] else []
    left += _may_still(acls, asked, seen, set(params["accepted"])) if params["fenced"] else []
    return {"changed": False, "topics": topics, "rights": [as_dict(one) for one in allowed], "unfenceable": names, "left": left, "ready": not left,
            "asked": {name: len(answers) for name, answers in asked.items()}, "not_asked": not_asked,
            "settings": {SUPER_USERS: told[SUPER_USERS], ALLOW_EVERYONE: told[ALLOW_EVERYONE]}}


def _ask_each(client, users, topics):
    """Every principal whose password is known asks every broker; ``({principal: {broker: {topic: operations}}}, {principal: why not})``."""
    clients, not_asked = {}, {}
    for name, one in users.items():
        if one.get("password") and client.config.get("sasl.username") is not None:
            clients[name] = KafkaClient({**client.config, "sasl.username": one.get("username") or name.partition(":")[2], "sasl.password": one["password"]},
                                        None, client.timeout, client.name)
        else:
            not_asked[name] = "the inventory has no password of it"
    asked = {}
    with concurrent.futures.ThreadPoolExecutor(TOGETHER) as pool:
        futures = {name: pool.submit(authorized_operations, one, topics) for name, one in clients.items()}
        for name, future in futures.items():
            try:
                asked[name] = future.result()
            except KafkaDrError as error:
                not_asked[name] = str(error)
    return asked, not_asked


def _together(answers: dict[int, dict[str, set[str]]]) -> dict[str, set[str]]:
    """``{topic: operations that any broker allows}``."""
    made: dict[str, set[str]] = {}
    for topics in answers.values():
        for topic, operations in topics.items():
            made.setdefault(topic, set()).update(operations)
    return made


def _settings(client, params):
    """``super.users`` and ``allow.everyone.if.no.acl.found`` as far as they are known: a value, or ``hidden`` where brokers only say that it is set.

    Brokers never show their values (they are no settings of Kafka's own, and so taken for secrets).
    """
    brokers = [ConfigResource(ResourceType.BROKER, str(number)) for number in client.metadata().brokers]
    futures = client.ask("read the brokers' settings", lambda: client.admin.describe_configs(brokers, request_timeout=client.timeout))
    set_somewhere = set()
    for resource, future in futures.items():
        entries = client.result(future, "read the settings of broker %s" % resource.name)
        set_somewhere |= {key for key in (SUPER_USERS, ALLOW_EVERYONE) if key in entries}
    told = {SUPER_USERS: params["super_users"], ALLOW_EVERYONE: params["allow_everyone"]}
    unset = {SUPER_USERS: [], ALLOW_EVERYONE: False}
    return {key: told[key] if told[key] is not None else "hidden" if key in set_somewhere else unset[key] for key in told}


def _texts(acls):
    return "; ".join(as_text(one).partition(" ")[2] for one in acls[:NAMED]) + (" and %d more" % (len(acls) - NAMED) if len(acls) > NAMED else "")


def _everybody(acls, topics, params):
    """``{User:*: why}`` where everybody has rights on the topics."""
    found = rights.on_topics(rights.allows(acls, rights.EVERYBODY), topics, re.compile(params["topics"]).fullmatch)
    return {rights.EVERYBODY: "everybody has %s" % _texts(found)} if found else {}


def _others(acls, topics, params, fenced):
    """Everybody, and whoever has rights on the topics although the inventory does not know them."""
    names = _everybody(acls, topics, params)
    known = {qualified(one) for one in params["known"]} | fenced | {rights.EVERYBODY}
    for name in sorted({one[0] for one in acls} - known):
        found = rights.on_topics(rights.allows(acls, name), topics, re.compile(params["topics"]).fullmatch)
        if found:
            names[name] = "is not among kafka_dr_users and has %s" % _texts(found)
    return names


def _above(users, told, seen, not_asked, named):
    """Principals that no ACL binds, and settings of the brokers of which nobody can say whether they do."""
    names = {}
    supers = {qualified(one) for one in [*named, *(told[SUPER_USERS] if isinstance(told[SUPER_USERS], list) else [])]}
    for name in users:
        if name in supers or (name in seen and seen[name][0]):
            names[name] = "is a super-user, whom no ACL binds: take it out of super.users"
    unasked = sorted(name for name in users if name in not_asked)
    if told[SUPER_USERS] == "hidden" and unasked:
        names[SUPER_USERS] = "is set, no client is told to what, and %s could not be asked what it may do (%s)" % (
            ", ".join(unasked[:NAMED]), not_asked[unasked[0]])
    if told[ALLOW_EVERYONE] is True or any(bare for dummy, bare in seen.values()):
        names[ALLOW_EVERYONE] = "is true: a topic without any ACL is open to everybody"
    elif told[ALLOW_EVERYONE] == "hidden" and users and not seen:
        names[ALLOW_EVERYONE] = "is set, no client is told to what, and no principal could be asked what it may do"
    return names


def _may_still(acls, asked, seen, accepted):
    """Sentences about whom brokers still let change the topics, but for what was accepted."""
    left = []
    for name, answers in asked.items():
        above, bare = seen[name]
        for broker, topics in answers.items():
            found = {topic: sorted(operations & rights.CHANGES) for topic, operations in topics.items() if operations & rights.CHANGES}
            open_ones = [topic for topic in found if not _accepted(name, topic, acls, above, bare, accepted)]
            if open_ones:
                left.append("broker %s lets %s %s %s" % (broker, name, " and ".join(found[open_ones[0]]), ", ".join(open_ones[:NAMED])))
    return left


def _accepted(name, topic, acls, above, bare, accepted):
    if name in accepted:
        return True
    if topic in above or topic in bare:
        return (SUPER_USERS if topic in above else ALLOW_EVERYONE) in accepted
    return rights.EVERYBODY in accepted and not rights.explained([one for one in acls if one[0] == name], name, topic) & rights.CHANGES
