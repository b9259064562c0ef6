# SPDX-License-Identifier: GPL-3.0-or-later
"""Take the end of a partition's log away, as an unclean leader election or a restored disk does: the broker is killed,
its file is cut between two batches, and when it is started again it leads the partition in a later epoch.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

# Of a batch of the second format: base offset, length of what follows, then (at 21) attributes and last offset delta.
HEAD, ATTRIBUTES = struct.Struct(">qi"), struct.Struct(">hi")
TRANSACTIONAL, CONTROL = 0x10, 0x20


class Batch(NamedTuple):
    """A batch of records on the disk; ``opens``: it belongs to a transaction whose marker comes later."""

    base: int
    position: int
    opens: bool


def folder(broker, place):
    """Where a broker keeps a partition."""
    return broker.directory / "data" / f"{place[0]}-{place[1]}"


def batches(broker, place):
    """What the only segment of a partition holds, in order."""
    (segment,) = folder(broker, place).glob("*.log")
    content, found, at = segment.read_bytes(), [], 0
    while at + 61 <= len(content):
        base, length = HEAD.unpack_from(content, at)
        if length <= 0 or at + HEAD.size + length > len(content):
            break
        attributes, dummy = ATTRIBUTES.unpack_from(content, at + 21)
        found.append(Batch(base, at, bool(attributes & TRANSACTIONAL) and not attributes & CONTROL))
        at += HEAD.size + length
    return found


def boundaries(broker, place):
    """Batches before which a log may be cut, so that no transaction stays open for ever: only its coordinator could end
    it, and takes it for ended.
    """
    known = batches(broker, place)
    return [batch for at, batch in enumerate(known) if not at or not known[at - 1].opens]


def cut(broker, place, batch):
    """Take a batch and all that follows away, of a broker that does not run."""
    assert not broker.alive(), "the broker would write on"
    where = folder(broker, place)
    (segment,) = where.glob("*.log")
    with open(segment, "r+b") as file:
        file.truncate(batch.position)
    # The broker makes them again from the log.
    for kind in ("index", "timeindex", "txnindex", "snapshot"):
        for path in where.glob(f"*.{kind}"):
            path.unlink()


def leader_epochs(broker, place):
    """Leader epochs of the records that a broker holds of a partition, ascending."""
    lines = (folder(broker, place) / "leader-epoch-checkpoint").read_text().splitlines()[2:]
    return [int(line.split()[0]) for line in lines]
