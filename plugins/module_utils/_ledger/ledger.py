# SPDX-License-Identifier: GPL-3.0-or-later
"""The ledger: what stages did and showed, one JSON entry a step, in a topic of the surviving region.

A run owns the ledger from the moment it writes a stage's ``started``. Every append first fences other writers (one
fixed
``transactional.id``), then reads the ledger to its end, and is refused where a later run has begun, or where the last
fenced entry is
another than the caller knows: so two runs at a time cannot both go on, and a run that was killed is simply run again.
"""

from __future__ import annotations

import json
import time

from .._errors import FormatError, RefusedError, UsageError
from .._kafka.client import KafkaClient
from .._kafka.log import append_log, read_log
from .._kafka.topics import describe_topics
from .._values.listing import named
from .._values.moment import moment
from . import seal
from .chain import ACCEPTED, Chain, Fault, examine
from .fold import NOBODY, fold
from .parts import LARGEST, digest, split
from .topic import ensure_ledger_topic

TRANSACTIONAL_ID = "kafka-dr-ledger"
NAMED = 20
WAY_OUT = (
    "Find out who may write there (the gate ledger_writers names them) and take their right away. Then decide on "
    "every record named here: one that is passed "
    "over is not used, one that is kept is. Run: ansible-playbook streamsafe.kafka_dr.ledger -e "
    "ledger_region=<region>%s (docs/runbooks/ledger.md)"
)


def read_ledger(client: KafkaClient, topic: str, secrets: list[str] | tuple[str, ...] = ()) -> Chain:
    """All entries in order.

    :param secrets: ``kafka_dr_ledger_secret``; without one the entries' codes are not verified.
    :returns: a :class:`.chain.Chain` without faults, with no entries where the topic does not exist.
    :raises FormatError: a record cannot be taken as it is, an entry is missing or not authentic.
    :raises TimedOutError: the end was not reached; a ledger read in part is never used.
    :raises KafkaDrError: whether the topic exists is not known.
    """
    keys = seal.keys(secrets)
    described = describe_topics(client, [topic])
    if topic not in described:
        return Chain([], "", False, False, [])
    start, records = read_log(client, topic)
    return _sound(client, topic, examine(records, start, described[topic]["id"], keys))


def known(chain: Chain, secrets: list[str] | tuple[str, ...] | None) -> dict:
    """What the ledger says, as :func:`.fold.fold` has it.

    :returns: beside that ``owner`` (which stage began last, in words), ``signed``, ``verified``, and ``verification``,
        a sentence where it is not.
    """
    text = ""
    if chain.signed and not chain.authentic:
        text = "The ledger is signed and was not verified: kafka_dr_ledger_secret is not known here."
    elif not secrets:
        text = "There is no kafka_dr_ledger_secret: whoever may write to the ledger's topic can forge it."
    elif not chain.authentic and chain.entries:
        text = f"The {len(chain.entries)} entries of the ledger are not signed; the next entry signs them as they are."
    state = fold(chain.entries)
    begun = state["begun"].get(state["stage"])
    owner = ""
    if begun:
        owner = (
            f"stage {begun['stage']} ({begun['about']}), begun at {begun['at'] or '-'} by {begun['by'] or '-'} "
            f"as run {begun['run']}"
        )
    return dict(state, owner=owner, verified=chain.authentic, signed=chain.signed, verification=text)


def append(
    client: KafkaClient,
    topic: str,
    entry: dict,
    check_mode: bool,
    replication_factor: int | None = None,
    secrets: list[str] | tuple[str, ...] = (),
    after: str | None = None,
) -> dict:
    """Write one entry.

    :param entry: ``run``, ``stage``, ``step``, ``state``, ``region``, ``about``, ``found``, ``by``, ``collection``,
        ``fenced``.
    :param after: ``head.hash`` of what the caller read last; empty where there was no fenced entry. Needed for a fenced
        entry.
    :returns: ``changed``, ``entry``, ``known`` (what the ledger says with it, as :func:`known` does), ``diff``.
    :raises RefusedError: a later run owns the ledger, or somebody wrote since the caller read it.
    """
    keys = seal.keys(secrets)
    if entry["fenced"] and after is None:
        raise UsageError(
            "A fenced entry needs to know the ledger",
            remedy="Give in 'after' the head.hash that ledger_info returned, empty for a new ledger",
        )
    made: dict = {}

    def compose(start: int, records: list) -> list[bytes]:
        chain = _sound(client, topic, examine(records, start, made["topic_id"], keys))
        # An earlier attempt may have been committed although its answer was lost.
        written = next((one for one in chain.entries if one["hash"] == made.get("hash")), None)
        if written is None:
            _allowed(topic, chain, entry, after, keys, check_mode)
        raw = b"" if written else seal.sealed(dict(entry, at=moment(time.time())), chain.tip, made["topic_id"], keys)
        if raw:
            made.update(hash=digest(raw), entry=json.loads(raw))
        chain.entries = [one for one in chain.entries if one["hash"] != made["hash"]] + [
            dict(made["entry"], hash=made["hash"], offset=_after(records))
        ]
        chain.signed, chain.authentic = chain.signed or bool(keys), chain.authentic or bool(keys)
        made["known"] = known(chain, secrets)
        return split(raw) if raw else []

    if check_mode:
        described = describe_topics(client, [topic])
        made["topic_id"] = described[topic]["id"] if topic in described else ""
        compose(*(read_log(client, topic) if described else (0, [])))
    else:
        made["topic_id"] = ensure_ledger_topic(client, topic, replication_factor)
        append_log(client, topic, TRANSACTIONAL_ID, entry["stage"].encode(), compose)
    return {
        "changed": True,
        "entry": made["entry"],
        "known": made["known"],
        "diff": {"before": "", "after": _shown(made["entry"])},
    }


def accept(
    client: KafkaClient,
    topic: str,
    decisions: dict,
    entry: dict,
    check_mode: bool,
    secrets: list[str] | tuple[str, ...] = (),
) -> dict:
    """Write that faults are passed over, or that entries are kept although what came before them is missing.

    :param decisions: ``{"passed": [offset, ...], "kept": [offset, ...]}``.
    :param entry: as for :func:`append`, without ``step``, ``state`` and ``found``.
    :returns: as :func:`append`.
    :raises RefusedError: a fault is named that there is not, or one that there is would stay.
    """
    keys = seal.keys(secrets)
    made: dict = {}

    def compose(start: int, records: list) -> list[bytes]:
        before = examine(records, start, made["topic_id"], keys)
        if before.signed and not keys:
            raise _no_secret(topic)
        found = _decided(topic, before.faults, decisions)
        after = examine(
            records,
            start,
            made["topic_id"],
            keys,
            {name: {(row["offset"], row["hash"]) for row in rows} for name, rows in found.items()},
        )
        _sound(client, topic, after)
        step, state = ACCEPTED
        full = dict(entry, step=step, state=state, found=found, at=moment(time.time()))
        raw = seal.sealed(full, after.tip, made["topic_id"], keys)
        after.entries.append(dict(json.loads(raw), hash=digest(raw), offset=_after(records)))
        made.update(entry=json.loads(raw), known=known(after, secrets))
        return split(raw)

    described = describe_topics(client, [topic])
    if topic not in described:
        raise RefusedError(f"There is no ledger '{topic}' on {client.name}", remedy="Name the region that holds it")
    made["topic_id"] = described[topic]["id"]
    if check_mode:
        compose(*read_log(client, topic))
    else:
        append_log(client, topic, TRANSACTIONAL_ID, entry["stage"].encode(), compose)
    return {
        "changed": True,
        "entry": made["entry"],
        "known": made["known"],
        "diff": {"before": "", "after": _shown(made["entry"])},
    }


def _decided(topic: str, faults: list[Fault], decisions: dict) -> dict:
    by_offset = {fault.offset: fault for fault in faults}
    unknown = sorted({offset for rows in decisions.values() for offset in rows} - set(by_offset))
    if unknown:
        raise RefusedError(
            f"Nothing is wrong with offset {', '.join(map(str, unknown))} of the ledger '{topic}'",
            expected=f"one of {', '.join(map(str, sorted(by_offset))) or 'no offset'}",
            remedy="Name what is wrong, and nothing else",
        )
    wrong = [offset for offset in decisions["kept"] if not by_offset[offset].keep]
    if wrong:
        raise RefusedError(
            f"Offset {wrong[0]} of the ledger '{topic}' cannot be kept",
            found=by_offset[wrong[0]].text(),
            remedy="Pass it over",
        )
    return {
        name: [
            {"offset": offset, "hash": by_offset[offset].hash, "what": by_offset[offset].what}
            for offset in sorted(set(rows))
        ]
        for name, rows in decisions.items()
    }


def _sound(client: KafkaClient, topic: str, chain: Chain) -> Chain:
    if not chain.faults:
        return chain
    ways = {
        name: ",".join(str(fault.offset) for fault in chain.faults if fault.keep == keep)
        for name, keep in (("ledger_pass_over", False), ("ledger_keep", True))
    }
    raise FormatError(
        f"The ledger '{topic}' on {client.name} cannot be used",
        expected="entries that stages wrote, one after the other",
        found=named((fault.text() for fault in chain.faults), NAMED, "; ", "; and "),
        remedy=WAY_OUT % "".join(" -e {}={}".format(*one) for one in ways.items() if one[1]),
        faults=[{"offset": fault.offset, "what": fault.what, "about": fault.about} for fault in chain.faults[:1000]],
    )


def _allowed(topic: str, chain: Chain, entry: dict, after: str | None, keys: list[bytes], check_mode: bool) -> None:
    """Whether this entry may follow. :raises RefusedError: it may not.

    :param check_mode: what began in check mode stands nowhere, so that what follows it is not compared with the ledger.
    """
    if chain.signed and not keys:
        raise _no_secret(topic)
    state = fold(chain.entries)
    if not entry["fenced"]:
        if entry["state"] == "active" and state["open"] and state["run"] != entry["run"]:
            raise RefusedError(
                f"The ledger '{topic}' is owned by another run",
                expected="no open stage",
                found=_who(state["head"]),
                remedy="Let that one finish, then run this again",
            )
        return
    begins = entry["step"] == "stage" and entry["state"] == "started"
    if check_mode and not begins:
        return
    if not begins and state["run"] != entry["run"]:
        raise RefusedError(
            f"Run {entry['run']} no longer owns the ledger '{topic}'",
            expected="to be the latest run",
            found=f"run {state['run'] or '(none)'} of stage {state['stage'] or '(none)'}, begun later",
            remedy="Let that one finish, or run this stage again from its beginning",
        )
    if state["head"]["hash"] != after:
        raise RefusedError(
            f"The ledger '{topic}' has changed since this run read it",
            expected=f"{'hash ' + after[:12] if after else 'nothing'} as its last fenced entry",
            found=_who(state["head"]),
            remedy="Let the other run finish, then run this stage again from its beginning",
        )


def _no_secret(topic: str) -> RefusedError:
    return RefusedError(
        f"The ledger '{topic}' is signed, and this job cannot sign",
        expected="kafka_dr_ledger_secret",
        found="none",
        remedy="Give this job the secret, from the vault",
    )


def _who(head: dict) -> str:
    if head == NOBODY:
        return "none at all: entries were lost"
    return (
        f"{head['run']} of stage {head['stage']}, step {head['step']} {head['state']} at {head['at'] or '-'} by "
        f"{head['by'] or '-'}"
    )


def _after(records: list) -> int:
    return records[-1][0] + 1 if records else 0


def _shown(entry: dict) -> str:
    """An entry for a diff; what would fill the screen is told by its size."""
    shown = {key: value for key, value in entry.items() if key not in ("mac", "previous")}
    size = len(seal.encoded(entry["found"]))
    if size > LARGEST:
        shown["found"] = f"{size} bytes, in the ledger"
    return json.dumps(shown, indent=1, sort_keys=True) + "\n"
