# SPDX-License-Identifier: GPL-3.0-or-later
"""Whose the records of a position witness's topic are: those of another mirror's witness say nothing about this one."""

from __future__ import annotations

from typing import Any

from .._errors import RefusedError
from .._mm2.names import MirrorNames
from .._mm2.witness import is_others, owner


def unless_others(known: dict[str, Any] | None, source: str | None, target: str | None) -> dict[str, Any] | None:
    """What a witness knows; None where another mirror's wrote it. Without both aliases nobody can tell, and it counts.

    :param known: of :func:`.read_witness`.
    """
    if known is not None and source and target and is_others(known["mirror"], owner(source, target)):
        return None
    return known


def own_witness(known: dict[str, Any] | None, names: MirrorNames, topic: str, lost: bool) -> dict[str, Any] | None:
    """As :func:`unless_others`.

    :param topic: where it was read.
    :param lost: whether the source is, so that its groups' positions are known from there.
    :raises RefusedError: it is lost, and the topic is another mirror's.
    """
    own = unless_others(known, names.source, names.target)
    if lost and known is not None and own is None:
        raise RefusedError(
            f"The topic {topic} in {names.target} holds positions of mirror {known['mirror']}",
            expected=f"those of mirror {owner(names.source, names.target)}",
            found=f"what the position witness of {known['mirror']} wrote",
            remedy="Set positions_topic of this mirror in kafka_dr_mirrors to the topic that its own witness wrote to; "
            "if it wrote to none, to a topic that is not there: then MirrorMaker 2's checkpoints count",
        )
    return own
