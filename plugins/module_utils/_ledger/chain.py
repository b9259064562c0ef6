# SPDX-License-Identifier: GPL-3.0-or-later
"""Which records of a ledger are its entries, and what is wrong with the others.

Each entry names the hash of the one before it. With a secret the last entry that carries a valid code vouches for every
entry on the way back from it, so that a secret may be retired once a newer one has signed; whatever is not on that way
is a fault. Without a secret the entries only have to follow one another.

A fault ends reading, until an entry ``ledger``/``accepted`` says that this very record is passed over, or kept although
what came before it is missing.
"""

from __future__ import annotations

import dataclasses

from .._errors import FormatError
from . import seal
from .parts import digest, join
from .schema import decoded

ACCEPTED = ("ledger", "accepted")
WHAT = {
    "junk": "is no entry",
    "unsigned": "is not signed, although earlier ones are",
    "forged": "is signed with a secret that is not in kafka_dr_ledger_secret, or forged",
    "unchained": "names no entry before it: an older version of the collection wrote it, or somebody else",
    "repeated": "is a copy of an earlier one",
    "beside": "follows an entry that another one follows: it was written beside the collection, or moved",
    "lost": "follows entries that are not there: they were lost, or it was moved",
}


@dataclasses.dataclass
class Node:
    """One entry as it was read."""

    offset: int
    raw: bytes
    entry: dict
    hash: str


@dataclasses.dataclass
class Fault:
    """A record that cannot be taken as it is. ``keep`` says whether it may be kept, and not only passed over."""

    offset: int
    what: str
    hash: str
    about: str
    keep: bool = False

    def text(self) -> str:
        """One line for a person."""
        return f"offset {self.offset} {WHAT[self.what]} ({self.about})"


@dataclasses.dataclass
class Chain:
    """What was made of a ledger's records.

    ``entries`` have ``offset`` and ``hash``; ``tip`` is what the next entry names as the one before it. ``signed``: an
    entry carries a code. ``authentic``: a key of ours verified the chain.
    """

    entries: list[dict]
    tip: str
    signed: bool
    authentic: bool
    faults: list[Fault]


@dataclasses.dataclass
class _Look:
    """What one look at the records works with."""

    topic_id: str
    keys: list[bytes]
    kept: set
    faults: list[Fault] = dataclasses.field(default_factory=list)

    def fault(self, node: Node, what: str, keep: bool = False) -> None:
        if not (keep and (node.offset, node.hash) in self.kept):
            self.faults.append(Fault(node.offset, what, node.hash, _about(node.entry), keep))


def examine(
    records: list[tuple[int, bytes | None]], start: int, topic_id: str, keys: list[bytes], decided: dict | None = None
) -> Chain:
    """Find the entries among the records.

    :param records: ``(offset, value)``, all that are committed. :param start: the log's start.
    :param keys: as :func:`.seal.keys` makes them; none where there is no secret, or the caller does not have it.
    :param decided: further decisions, beside those that entries say.
    """
    pieces = join(records)
    given = decided or {"passed": set(), "kept": set()}
    first = _chain(pieces, start, _Look(topic_id, keys, given["kept"]), given["passed"])
    accepted = decisions(first.entries)
    if not accepted["passed"] and not accepted["kept"]:
        return first
    return _chain(
        pieces, start, _Look(topic_id, keys, given["kept"] | accepted["kept"]), given["passed"] | accepted["passed"]
    )


def decisions(entries: list[dict]) -> dict:
    """``{"passed", "kept"}``: sets of ``(offset, hash)`` that entries of the ledger accept. None speaks of what comes
    after it.
    """
    accepted: dict[str, set] = {"passed": set(), "kept": set()}
    for entry in entries:
        if (entry["step"], entry["state"]) != ACCEPTED:
            continue
        for name, known in accepted.items():
            for decision in entry["found"].get(name) or []:
                if (
                    isinstance(decision, dict)
                    and isinstance(decision.get("offset"), int)
                    and decision["offset"] < entry["offset"]
                ):
                    known.add((decision["offset"], str(decision.get("hash"))))
    return accepted


def _chain(pieces: list, start: int, look: _Look, passed: set) -> Chain:
    old, new = _nodes(pieces, look, passed)
    root = seal.root([node.raw for node in old])
    known: dict[str, int] = {}
    unique: list[Node] = []
    for node in new:
        if node.hash in known:
            look.fault(node, "repeated")
        else:
            known[node.hash] = len(unique)
            unique.append(node)
    signed = any("mac" in node.entry for node in unique)
    verified = {node.hash for node in unique if look.keys and seal.verifies(node.raw, look.topic_id, look.keys)}
    if verified or (signed and look.keys):
        path = _vouched(unique, known, root, verified, look)
    else:
        path = _following(unique, known, root, look)
    # Where there is a first chained entry, it says itself whether something came before it.
    if start > 0 and not path and (start, "start") not in look.kept:
        look.faults.append(Fault(start, "lost", "start", "the topic begins there", True))
    entries = [
        dict(node.entry, offset=node.offset, hash=node.hash)
        for node in sorted([*old, *path], key=lambda node: node.offset)
    ]
    return Chain(
        entries,
        path[-1].hash if path else root,
        signed,
        bool(verified),
        sorted(look.faults, key=lambda fault: fault.offset),
    )


def _nodes(pieces: list, look: _Look, passed: set) -> tuple[list[Node], list[Node]]:
    """Entries of before there was a chain, and those of the chain; what is neither becomes a fault."""
    old: list[Node] = []
    new: list[Node] = []
    for piece in pieces:
        entry_hash = digest(piece.raw)
        if (piece.offset, entry_hash) in passed:
            continue
        try:
            if piece.error:
                raise FormatError("A record is no entry", found=piece.error)
            entry = decoded(piece.raw)
        except FormatError as error:
            look.faults.append(Fault(piece.offset, "junk", entry_hash, str(error.found)[:200]))
            continue
        node = Node(piece.offset, piece.raw, entry, entry_hash)
        if "format" in entry:
            new.append(node)
        elif new:
            look.fault(node, "unchained")
        else:
            old.append(node)
    return old, new


def _vouched(nodes: list[Node], known: dict[str, int], root: str, verified: set, look: _Look) -> list[Node]:
    """The entries on the way back from the last verified one."""
    path: set[int] = set()
    at = _last_verified(nodes, verified, len(nodes), path)
    while at is not None:
        path.add(at)
        previous = nodes[at].entry["previous"]
        if previous == root:
            break
        before = known.get(previous)
        if before is None or before >= at:
            look.fault(nodes[at], "lost", keep=True)
            before = _last_verified(nodes, verified, at, path)
        at = before
    for index, node in enumerate(nodes):
        if index not in path:
            look.fault(node, "beside" if node.hash in verified else "forged" if "mac" in node.entry else "unsigned")
    return [nodes[index] for index in sorted(path)]


def _last_verified(nodes: list[Node], verified: set, below: int, path: set[int]) -> int | None:
    return next(
        (index for index in range(below - 1, -1, -1) if nodes[index].hash in verified and index not in path), None
    )


def _following(nodes: list[Node], known: dict[str, int], root: str, look: _Look) -> list[Node]:
    """The entries that follow one another; nobody vouches for them."""
    path: list[Node] = []
    tip = root
    for node in nodes:
        previous = node.entry["previous"]
        if previous != tip and (previous == root or known.get(previous, len(nodes)) < known[node.hash]):
            look.fault(node, "beside")
            continue
        if previous != tip:
            look.fault(node, "lost", keep=True)
        path.append(node)
        tip = node.hash
    return path


def _about(entry: dict) -> str:
    return (
        f"{entry['stage'][:40]}/{entry['step'][:40]} {entry['state']}"
        f"{' ' + entry['region'][:40] if entry['region'] else ''}, run {entry['run'][:40]} at "
        f"{entry['at'][:40] or '-'} by {entry['by'][:40] or '-'}"
    )
