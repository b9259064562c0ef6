# SPDX-License-Identifier: GPL-3.0-or-later
"""Read the ledger: what stages did and showed, one JSON entry a step, in a topic of the surviving region."""

from __future__ import annotations

from .._errors import FormatError, RefusedError
from .._kafka.client import KafkaClient
from .._kafka.log import read_log
from .._kafka.topics import describe_topics
from .._values import spans
from .._values.listing import named
from . import seal
from .chain import Chain, examine
from .fold import fold

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
    return sound(client, topic, examine(records, start, described[topic]["id"], keys))


def known(chain: Chain, secrets: list[str] | tuple[str, ...] | None) -> dict:
    """What the ledger says, as :func:`.fold.fold` has it.

    :returns: beside that ``present`` (whether there is any entry), ``owner`` (which stage began last, in words),
        ``signed``, ``verified``, and ``verification``, a sentence where it is not.
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
    return dict(
        state,
        present=bool(chain.entries),
        owner=owner,
        verified=chain.authentic,
        signed=chain.signed,
        verification=text,
    )


def sound(client: KafkaClient, topic: str, chain: Chain) -> Chain:
    if not chain.faults:
        return chain
    ways = {
        name: spans.as_text(fault.offset for fault in chain.faults if fault.keep == keep)
        for name, keep in (("ledger_pass_over", False), ("ledger_keep", True))
    }
    raise FormatError(
        f"The ledger '{topic}' on {client.name} cannot be used",
        expected="entries that stages wrote, one after the other",
        found=named((fault.text() for fault in chain.faults), NAMED, "; ", "; and "),
        remedy=WAY_OUT % "".join(f" -e {name}={offsets}" for name, offsets in ways.items() if offsets),
        faults=[{"offset": fault.offset, "what": fault.what, "about": fault.about} for fault in chain.faults[:1000]],
    )


def no_secret(topic: str) -> RefusedError:
    return RefusedError(
        f"The ledger '{topic}' is signed, and this job cannot sign",
        expected="kafka_dr_ledger_secret",
        found="none",
        remedy="Give this job the secret, from the vault",
    )
