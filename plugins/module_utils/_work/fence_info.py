# SPDX-License-Identifier: GPL-3.0-or-later
"""What a fence has to take away, what it cannot, and what is left after it; the work of ``fence_info``."""

from __future__ import annotations

import concurrent.futures
import re
import uuid
from typing import Any

from .._errors import AuthenticationError, KafkaDrError, TimedOutError, UnreachableError, UsageError
from .._kafka import rights
from .._kafka.acls import Acl, as_dict, as_text, binding_acls, qualified, right_as_text
from .._kafka.authorized import authorized_operations
from .._kafka.broker_acls import acls_by_broker
from .._kafka.brokers import AUTHORIZER, binds_nobody, broker_settings
from .._kafka.client import KafkaClient
from .._values.listing import named
from .._values.pattern import matching

ALLOW_EVERYONE, SUPER_USERS = "allow.everyone.if.no.acl.found", "super.users"
# Set, to what nobody is told, where brokers make delegation tokens (KIP-48); the second is its name before Kafka 4.
TOKENS = ("delegation.token.secret.key", "delegation.token.master.key")
TOGETHER = 8
NAMED = 5


def fence_info(params: dict, check_mode: bool) -> dict:
    """The result of ``fence_info``; reads only. See the module's RETURN for the shape."""
    client = KafkaClient(params["client"], params["client_secrets"], params["timeout"])
    topics = matching(list(client.metadata().topics), params["topics"], "topics")
    copies, mute = _copies(client) if params["fenced"] else ({}, {})
    acls = sorted(set(binding_acls(client)).union(*copies.values()))
    users = {qualified(principal["name"]): principal for principal in params["principals"]}
    # Nor is one that is not there yet open to everybody.
    asked, not_asked, silent = _ask_each(client, users, [*topics, f"no-topic-{uuid.uuid4()}"])
    settings, unguarded = _settings(client, params)
    asked = _guarded(asked, unguarded)
    together = {name: _together(answers) for name, answers in asked.items()}
    seen = {name: rights.beyond(acls, name, may) for name, may in together.items()}
    settings["closed"] = any(rights.shown_closed(acls, may) for may in together.values())
    names = _others(acls, topics, params, set(users)) if params["others"] else _everybody(acls, topics, params)
    by_acls = {name: why for name, why in names.items() if params["others"] and name not in params["accepted"]}
    names.update(_above(users, settings, seen, not_asked, params["above"]) | _given_back(users, params))
    names.update(_undescribed(users, settings, params) if params["others"] else {})
    if unguarded:
        names[AUTHORIZER] = f"is not set on broker {named(map(str, unguarded))}: no ACL binds anybody there"
    allowed = [acl for acl in acls if acl[0] in users and acl[5] == "ALLOW"]
    left = [as_text(acl) for acl in allowed] if params["others"] else []
    if params["fenced"]:
        accepted = set(params["accepted"])
        # The preflight has named whoever had them by then.
        left += [f"{name} {why}" for name, why in by_acls.items()]
        left += _may_still(acls, asked, seen, accepted) + _untold(silent, accepted) + _unguarded(unguarded, accepted)
        left += _mute(mute, unguarded) if users and not set(users) <= accepted else []
    return {
        "changed": False,
        "topics": topics,
        "rights": [as_dict(acl) for acl in allowed],
        "unfenceable": names,
        "left": left,
        "ready": not left,
        "asked": {name: len(answers) for name, answers in asked.items()},
        "not_asked": not_asked,
        "copies": len(copies),
        "settings": {SUPER_USERS: settings[SUPER_USERS], ALLOW_EVERYONE: settings[ALLOW_EVERYONE]},
    }


def _given_back(users: dict[str, Any], params: dict[str, Any]) -> dict[str, str]:
    """Resources that give rights back. Their names are not the principals': one of these that is accepted is not shown
    to be fenced.
    """
    named_ones = (params.get("given_back") or {}).items()
    # The principal of a user with a certificate is its subject.
    subjects = {principal.get("username") or name.partition(":")[2] for name, principal in users.items()}
    known = {subject.removeprefix("CN=").partition(",")[0] for subject in subjects}
    return {name: why for name, why in named_ones if name.split(" ")[-1] in known}


def _guarded(asked: dict[str, Any], unguarded: list[int]) -> dict[str, Any]:
    """The same without what a broker without an authorizer allows, which says nothing about a principal."""
    return {
        name: {number: answer for number, answer in answers.items() if number not in unguarded}
        for name, answers in asked.items()
    }


def _copies(client: KafkaClient) -> Any:
    """The ACLs as each broker has them; of none where the client cannot ask a broker by name."""
    try:
        return acls_by_broker(client)
    except UsageError:
        return {}, {}


def _ask_each(
    client: KafkaClient, users: dict[str, dict[str, Any]], topics: list[str]
) -> tuple[dict[str, Any], dict[str, str], dict[str, dict[int | None, str]]]:
    """Every principal whose password is known asks every broker.

    :returns: ``{principal: {broker: {topic: operations}}}``, ``{principal: why not every broker}``, and of those
        ``{principal: {broker: why}}`` where the question was asked in vain; the broker is None where none of them
        answered.
    """
    clients: dict[str, KafkaClient] = {}
    not_asked: dict[str, str] = {}
    silent: dict[str, dict[Any, str]] = {}
    for principal, user in users.items():
        if user.get("password") and client.config.get("sasl.username") is not None:
            clients[principal] = _as_user(client, principal, user)
        else:
            not_asked[principal] = "the inventory has no password of it"
    asked: dict[str, Any] = {}
    unanswered: dict[Any, str]
    with concurrent.futures.ThreadPoolExecutor(TOGETHER) as pool:
        futures = {name: pool.submit(authorized_operations, own, topics) for name, own in clients.items()}
        for principal, future in futures.items():
            try:
                asked[principal], unanswered = future.result()
            except (AuthenticationError, UsageError) as error:
                # It cannot log in with this password, or nobody can ask for it: its ACLs alone say what it may do.
                not_asked[principal], unanswered = str(error), {}
            except KafkaDrError as error:
                unanswered = {None: str(error)}
            if unanswered:
                silent[principal], not_asked[principal] = unanswered, next(iter(unanswered.values()))
    return asked, not_asked, silent


def _as_user(client: KafkaClient, principal: str, user: dict[str, Any]) -> KafkaClient:
    login = {"sasl.username": user.get("username") or principal.partition(":")[2], "sasl.password": user["password"]}
    return KafkaClient({**client.config, **login}, None, client.timeout, client.name)


def _together(answers: dict[int, dict[str, set[str]]]) -> dict[str, set[str]]:
    """``{topic: operations that any broker allows}``."""
    allowed: dict[str, set[str]] = {}
    for topics in answers.values():
        for topic, operations in topics.items():
            allowed.setdefault(topic, set()).update(operations)
    return allowed


def _settings(client: KafkaClient, params: dict[str, Any]) -> tuple[Any, list[int]]:
    """``super.users`` and ``allow.everyone.if.no.acl.found`` as far as they are known: a value, or ``hidden`` where
    brokers only say that it is set.

    Brokers never show their values (they are no settings of Kafka's own, and so taken for secrets).

    :returns: these, whether brokers make tokens, and the brokers that have no authorizer.
    """
    set_somewhere, unguarded, tokens = set(), [], False
    for number in sorted(client.metadata().brokers):
        try:
            found = broker_settings(client, number)
            entries = set(found)
            tokens = tokens or any(key in found and not found[key].is_default for key in TOKENS)
            unguarded += [number] if binds_nobody(found) else []
        except (TimedOutError, UnreachableError):
            # Nobody knows what this one has set; the others' silence about it is no answer.
            entries = {SUPER_USERS, ALLOW_EVERYONE}
        set_somewhere |= {key for key in (SUPER_USERS, ALLOW_EVERYONE) if key in entries}
    given = {SUPER_USERS: params["super_users"], ALLOW_EVERYONE: params["allow_everyone"]}
    unset = {SUPER_USERS: [], ALLOW_EVERYONE: False}
    known = {
        key: given[key] if given[key] is not None else "hidden" if key in set_somewhere else unset[key] for key in given
    }
    return {**known, "tokens": tokens}, unguarded


def _texts(acls: list[Acl]) -> str:
    return named((right_as_text(acl) for acl in acls), NAMED, "; ")


def _everybody(acls: list[Acl], topics: list[str], params: dict[str, Any]) -> dict[str, Any]:
    """``{User:*: why}`` where everybody has rights on the topics, or may grant them."""
    found = _reaching(acls, rights.EVERYBODY, topics, params)
    return {rights.EVERYBODY: f"everybody has {_texts(found)}"} if found else {}


def _reaching(acls: list[Acl], name: str, topics: list[str], params: dict[str, Any]) -> list[Acl]:
    """Rights on the topics of one principal, and those to grant itself such rights."""
    own = rights.allows(acls, name)
    return rights.on_topics(own, topics, re.compile(params["topics"]).fullmatch) + rights.grants(own)


def _others(acls: list[Acl], topics: list[str], params: dict[str, Any], fenced: set[str]) -> dict[str, str]:
    """Everybody, whoever has rights on the topics, or may grant them, although the inventory does not know them, and
    whoever is to read only and may write.
    """
    names = _everybody(acls, topics, params)
    readers = {qualified(name) for name in params["readers"]} - fenced
    known = {qualified(name) for name in params["known"]} - readers | fenced | {rights.EVERYBODY}
    for name in sorted({acl[0] for acl in acls} - known):
        found = _reaching(acls, name, topics, params)
        if name in readers:
            found = [acl for acl in found if acl[4] != "READ"]
        if found:
            names[name] = (
                f"{'only reads' if name in readers else 'is not among kafka_dr_users'} and has {_texts(found)}"
            )
    return names


def _above(users: Any, settings: Any, seen: Any, not_asked: Any, named: Any) -> Any:
    """Principals that no ACL binds, and settings of the brokers of which nobody can say whether they do."""
    names = {}
    supers = {qualified(name) for name in named} | _super_users(settings)
    for name in users:
        if name in supers or (name in seen and seen[name][0]):
            names[name] = "is a super-user, whom no ACL binds: take it out of super.users"
    unasked = sorted(name for name in users if name in not_asked)
    if settings[SUPER_USERS] == "hidden" and unasked:
        names[SUPER_USERS] = (
            f"is set, no client is told to what, and {', '.join(unasked[:NAMED])} could not be asked what it may do "
            f"({not_asked[unasked[0]]})"
        )
    if settings[ALLOW_EVERYONE] is True or any(bare for dummy, bare in seen.values()):
        names[ALLOW_EVERYONE] = "is true: what has no ACL is open to everybody, topics and the cluster alike"
    elif settings[ALLOW_EVERYONE] == "hidden" and users and not seen:
        names[ALLOW_EVERYONE] = "is set, no client is told to what, and no principal could be asked what it may do"
    elif settings[ALLOW_EVERYONE] == "hidden" and settings["tokens"] and not settings["closed"]:
        names[ALLOW_EVERYONE] = (
            "is set, no client is told to what, and brokers make delegation tokens: where it is true, anybody may make "
            "one of any user that has no ACL"
        )
    return names


def _undescribed(users: Any, settings: Any, params: dict[str, Any]) -> dict[str, str]:
    """Super-users of the brokers that the inventory does not describe: they write past every fence."""
    described = {qualified(name) for name in (*params["known"], *params["above"])} | set(users)
    return {
        name: "is in super.users, where no ACL binds it, and the inventory does not describe it"
        for name in sorted(_super_users(settings) - described)
    }


def _super_users(settings: Any) -> set[str]:
    """Those of the brokers, where they could be read."""
    return {qualified(name) for name in settings[SUPER_USERS]} if isinstance(settings[SUPER_USERS], list) else set()


def _may_still(acls: Any, asked: Any, seen: Any, accepted: Any) -> Any:
    """Sentences about whom brokers still let change the topics, but for what was accepted."""
    left = []
    for name, answers in asked.items():
        above, bare = seen[name]
        for broker, topics in answers.items():
            alike: dict[str, list[str]] = {}
            for topic, operations in topics.items():
                may = sorted(rights.changing(topic, operations))
                if may and not _accepted(name, topic, acls, above, bare, accepted):
                    alike.setdefault(" and ".join(may), []).append(topic)
            left += [
                f"broker {broker} lets {name} {what} {named(open_ones, NAMED)}" for what, open_ones in alike.items()
            ]
    return left


def _untold(silent: Any, accepted: Any) -> Any:
    """Sentences about brokers that did not answer: none of them was shown to let nobody write."""
    return [
        f"{'the brokers' if broker is None else f'broker {broker}'} did not tell {name} what it may do ({why})"
        for name, brokers in silent.items()
        if name not in accepted
        for broker, why in brokers.items()
    ]


def _mute(mute: dict[int, str], unguarded: list[int]) -> list[str]:
    return [f"broker {broker} did not tell its ACLs ({why})" for broker, why in mute.items() if broker not in unguarded]


def _unguarded(unguarded: list[int], accepted: set[str]) -> list[str]:
    """Sentences about brokers whose ACLs, if there are any, bind nobody."""
    if AUTHORIZER in accepted:
        return []
    return [f"broker {broker} has no authorizer and lets everybody write" for broker in unguarded]


def _accepted(name: str, topic: str, acls: Any, above: Any, bare: Any, accepted: Any) -> Any:
    if name in accepted:
        return True
    if topic in above or topic in bare:
        return (SUPER_USERS if topic in above else ALLOW_EVERYONE) in accepted
    return (
        rights.EVERYBODY in accepted
        and not rights.explained([acl for acl in acls if acl[0] == name], name, topic) & rights.CHANGES
    )
