# SPDX-License-Identifier: GPL-3.0-or-later
"""The whole description: every variable of every host against the schema, then against each other; one message for all
mistakes.
"""

from __future__ import annotations

import collections.abc as c
import difflib

from .._values.listing import named
from . import check_mirrors as of_mirrors
from . import check_regions as of_regions
from . import check_users as of_users
from .admission import LEARNT, not_admitted, two_passwords
from .check_value import Mistake, Unresolved, mistakes, shown
from .schema import INTERNAL, OTHERS, VARIABLES

PREFIX = "kafka_dr_"
# Names of hosts that are told, where many have the same mistake.
NAMED = 3
# How near a name has to be to one of the collection's to be taken for a slip.
NEAR = 0.85


def examined(hosts: of_mirrors.HOSTS, about: c.Collection[str] = (), complete: bool = True) -> dict[str, list[str]]:
    """What is wrong with the inventory.

    :param hosts: ``{host: {variable: value}}`` with plain data, the collection's variables only; ``check.Unresolved``
        for what cannot be told.
    :param about: regions that a stage is about; mistakes about other regions are then warnings, so that a region that
        is only being planned stops no failover.
    :param complete: whether a stage is to be played, which needs more of a region than a look does.
    :returns: ``mistakes``, ``warnings`` and ``decisions``: sentences, the first two with the way out.
    """
    host_mistakes = list(_all(hosts, complete))
    near = _near(hosts, about)
    grouped: dict[Mistake, list[str]] = {}
    for host, mistake in host_mistakes:
        grouped.setdefault(mistake, []).append(host)
    result: dict[str, list[str]] = {
        "mistakes": [],
        "warnings": [*_names(hosts), *_of_users(hosts, about)],
        "decisions": list(decisions(hosts, about)),
    }
    for mistake, where in grouped.items():
        concerned = not about or (mistake.about & set(about) if mistake.about else any(host in near for host in where))
        result["mistakes" if concerned else "warnings"].append(mistake.sentence(_where(where, hosts)))
    return result


def _where(names: list[str], hosts: of_mirrors.HOSTS) -> str:
    if "" in names:
        return ""
    if len(names) > NAMED:
        return f"{named((shown(name) for name in names), NAMED)}: " if len(names) < len(hosts) else "all hosts: "
    return f"{', '.join(shown(name) for name in names)}: "


def _near(hosts: of_mirrors.HOSTS, about: c.Collection[str]) -> set[str]:
    """Hosts whose mistakes concern a stage: its regions, their mirrors' machines, all that have applications, and the
    controller.
    """
    near = {*about, "localhost"} | {name for name, variables in hosts.items() if "kafka_dr_applications" in variables}
    for name in about:
        nodes = (hosts.get(name) or {}).get("kafka_dr_mirror_hosts")
        near |= {node for node in nodes if isinstance(node, str)} if isinstance(nodes, list) else set()
    return near


def _all(hosts: of_mirrors.HOSTS, complete: bool) -> c.Iterator[tuple[str, Mistake]]:
    """Every mistake with its host; none ("") where it is about all."""
    clean: of_mirrors.HOSTS = {name: {} for name in hosts}
    for name, variables in hosts.items():
        for variable, value in variables.items():
            schema = VARIABLES.get(variable)
            value = _as_written(variable, value)
            own_mistakes = list(mistakes(value, schema, variable)) if schema is not None and value is not None else []
            yield from ((name, mistake) for mistake in own_mistakes)
            if not own_mistakes and value is not None:
                clean[name][variable] = value
    yield from _of_mirrors(clean, hosts, complete)
    for name, variables in clean.items():
        for rule in (
            of_regions.clients,
            of_regions.authentication,
            of_regions.verification,
            of_regions.quotas,
            of_regions.mirror_fields,
            of_users.named_rights,
        ):
            if is_whole(rule, variables, hosts[name]):
                yield from ((name, mistake) for mistake in rule(name, variables))
        yield from ((name, mistake) for mistake in of_regions.applications(name, variables, clean))
        yield from ((name, mistake) for mistake in of_regions.hook_files(name, variables))
        if complete:
            yield from ((name, mistake) for mistake in of_regions.application_passwords(name, variables, clean))


def _as_written(variable: str, value: object) -> object:
    """The value without what a stage adds to it in its course: a play may check its inventory again once it has learnt
    its users' passwords.
    """
    if variable != "kafka_dr_users" or not isinstance(value, list):
        return value
    return [{key: user[key] for key in user if key != LEARNT} if isinstance(user, dict) else user for user in value]


def is_whole(rule: c.Callable, clean: dict, all_of_it: dict) -> bool:
    """Whether what a rule looks at has no mistakes of its own, which would only be said twice."""
    seen = {"authentication": ("kafka_dr_client", "kafka_dr_client_secrets", "kafka_dr_users")}.get(rule.__name__, ())
    return not any(all_of_it.get(variable) is not None and variable not in clean for variable in seen)


def _of_mirrors(clean: of_mirrors.HOSTS, hosts: of_mirrors.HOSTS, complete: bool) -> c.Iterator[tuple[str, Mistake]]:
    """Mirrors are the same for all hosts as a rule; each list of them is looked at once."""
    seen: list[list[dict]] = []
    # A region with a mistake is still a region.
    known = {
        name: {
            **{key: value for key, value in all_of_it.items() if key in ("kafka_dr_client", "kafka_dr_platform")},
            **clean[name],
        }
        for name, all_of_it in hosts.items()
    }
    for variables in clean.values():
        described = variables.get("kafka_dr_mirrors") or []
        if described in seen:
            continue
        seen.append(described)
        unreadable = list(of_mirrors.patterns(described))
        yield from (
            ("", mistake)
            for mistake in [
                *unreadable,
                *of_mirrors.filters(described),
                *of_mirrors.secrets(described),
                *of_mirrors.regions(described, known),
                *of_mirrors.positions_topics(described, clean),
                *([] if unreadable else of_mirrors.traps(described)),
            ]
        )
        if complete:
            yield from (("", mistake) for mistake in of_mirrors.machines(described, clean))
    sides = {side for described in seen for mirror in described for side in (mirror["source"], mirror["target"])}
    for name in sorted(sides & set(clean)) if complete else ():
        yield from (
            (name, mistake)
            for mistake in of_regions.completeness(name, clean[name])
            # What has mistakes of its own is not there, and is not said to be missing.
            for variable in [mistake.path.split(".")[0]]
            if hosts[name].get(variable) is None or variable in clean[name] or "." in mistake.path
        )


def _names(hosts: of_mirrors.HOSTS) -> c.Iterator[str]:
    """Variables that begin as the collection's do and are none of them."""
    unknown: dict[str, list[str]] = {}
    for host, variables in hosts.items():
        for variable in variables:
            if variable not in VARIABLES and not variable.startswith(INTERNAL + OTHERS):
                unknown.setdefault(variable, []).append(host)
    for unknown_variable, names in unknown.items():
        near = difflib.get_close_matches(unknown_variable, VARIABLES, 1, NEAR)
        remedy = f"Did you mean {near[0]}?" if near else f"Give a variable of your own another beginning than {PREFIX}."
        yield (
            f"{_where(names, hosts)}{shown(unknown_variable)} is no variable of the collection, which does not read "
            f"it. {remedy}"
        )


def _of_users(hosts: of_mirrors.HOSTS, about: c.Collection[str]) -> c.Iterator[str]:
    """What would keep applications from working after a move between the regions that a stage is about, or any two."""
    read = ("kafka_dr_users", "kafka_dr_super_users", "kafka_dr_mirrors")
    plain = {
        name: _plain({key: all_of_it[key] for key in read if key in all_of_it}) for name, all_of_it in hosts.items()
    }
    mirrors = [mirror for variables in plain.values() for mirror in variables.get("kafka_dr_mirrors") or []]
    pairs = dict.fromkeys((mirror["source"], mirror["target"]) for mirror in mirrors)
    for source, target in pairs:
        if not about or {source, target} <= {*about}:
            yield from not_admitted(plain, source, target)
            yield from two_passwords(plain, source, target)


def decisions(hosts: of_mirrors.HOSTS, about: c.Collection[str] = ()) -> c.Iterator[str]:
    """What the inventory decides against the collection's own judgement, for the output and the ledger."""
    concerned = {name: variables for name, variables in hosts.items() if not about or name in about}
    # The ledger's are variables of all hosts, as a rule.
    for reason in dict.fromkeys(
        variables["kafka_dr_unsigned_ledger"] for variables in concerned.values() if _is_unsigned(variables)
    ):
        yield f"kafka_dr_unsigned_ledger: entries of the ledger are not signed ({shown(reason, 200)})"
    for name, variables in concerned.items():
        for variable, what in (
            ("kafka_dr_unverified_tls", "certificates are not verified"),
            ("kafka_dr_mirror_rest_open", "the mirror's REST interface has no TLS"),
        ):
            reason = variables.get(variable)
            if isinstance(reason, str) and (
                variable != "kafka_dr_unverified_tls" or of_regions.unverified(_plain(variables))
            ):
                yield f"{variable} of {shown(name)}: {what} ({shown(reason, 200)})"


def _is_unsigned(variables: dict) -> bool:
    return isinstance(variables.get("kafka_dr_unsigned_ledger"), str) and not variables.get("kafka_dr_ledger_secret")


def _plain(variables: dict) -> dict:
    """Without what cannot be looked into; its mistake is told elsewhere."""
    return {
        key: value
        for key, value in variables.items()
        if not isinstance(value, Unresolved)
        and not list(mistakes(_as_written(key, value), VARIABLES.get(key, {}), key))
    }
