# SPDX-License-Identifier: GPL-3.0-or-later
"""Accept differences that somebody has explained: recorded in the state, each by the id that it was told with."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from .._errors import KafkaDrError, RefusedError, UsageError
from .._kafka.client import KafkaClient
from .._kafka.writer import write
from . import rows
from .state import Difference, WatchState, read_state
from .summary import describe

# Of the two texts; a reason is a sentence and no document.
LONGEST = 2000


def accept(
    client: KafkaClient, mirror: str, topic: str, ids: Sequence[str], by: str, reason: str, check_mode: bool = False
) -> dict[str, Any]:
    """Record that somebody has explained differences.

    :param client: of the target's cluster. :param topic: of the state. :param ids: as of :meth:`.state.Difference.id`.
    :returns: ``changed``; ``accepted[]`` as of :func:`.summary.describe`; ``open``, how many nobody has accepted then;
        ``proven_goes_on[]``, ``topic-partition`` of those where none is open any more.
    :raises UsageError: who or why is missing. :raises RefusedError: a difference is not there, or is another one.
    :raises KafkaDrError: the state cannot be read, or does not have what was written.
    """
    for name, text in (("by", by), ("reason", reason)):
        if not text.strip() or len(text) > LONGEST:
            raise UsageError(
                f"'{name}' is not valid",
                expected=f"a text of 1 to {LONGEST} characters",
                found=f"{len(text)} characters",
            )
    state = _state(client, mirror, topic)
    ids = list(dict.fromkeys(name.strip() for name in ids))
    known = {found.id(mirror): found for found in state.differences}
    for name in ids:
        if name not in known:
            raise _unknown(state, name)
    wanted = [known[name] for name in ids]
    fresh = [found for found in wanted if found.accepted is None]
    now = int(time.time() * 1000)
    if fresh and not check_mode:
        write(client, topic, [(0, *rows.accepted_row(mirror, found, by, reason, now)) for found in fresh])
        state = _state(client, mirror, topic)
        _show(state, fresh)
    else:
        for found in fresh:
            found.accepted = {"by": by, "reason": reason, "at": now}
    return {"changed": bool(fresh), **_told(state, ids)}


def _state(client: KafkaClient, mirror: str, topic: str) -> WatchState:
    state = read_state(client, mirror, topic)
    if state is None:
        raise RefusedError(
            f"No watch of the mirror '{mirror}' has ended a round",
            expected=f"its state in '{topic}' on {client.name}",
            found="none",
            remedy="Name the mirror as kafka_dr_mirrors does, and the region that it copies to",
        )
    return state


def _unknown(state: WatchState, name: str) -> RefusedError:
    """The error of a difference of that id that is not there, or is another one."""
    number = name.rpartition("/")[0]
    others = [found for found in state.differences if found.id(state.mirror).rpartition("/")[0] == number]
    return RefusedError(
        f"The watch of the mirror '{state.mirror}' has no difference '{name}'",
        expected="the id of a difference that the watch names now",
        found=f"another one of that number: {describe(state.mirror, others[0])}" if others else "none of that number",
        remedy="Look at it again with watch_info or backup_status: the watch has begun anew, or the id is mistyped",
    )


def _show(state: WatchState, written: Sequence[Difference]) -> None:
    """:raises KafkaDrError: the state does not say what was written."""
    accepted = {found.id(state.mirror) for found in state.differences if found.accepted is not None}
    absent = [name for found in written if (name := found.id(state.mirror)) not in accepted]
    if absent:
        raise KafkaDrError(
            f"The watch of the mirror '{state.mirror}' does not have {absent[0]} as accepted",
            expected=f"{len(written)} accepted differences",
            found=f"{len(written) - len(absent)} of them",
            remedy="It has begun anew in the meantime: look at its differences again",
        )


def _told(state: WatchState, ids: Sequence[str]) -> dict[str, Any]:
    open_ones = [found for found in state.differences if found.accepted is None]
    accepted = [found for found in state.differences if found.id(state.mirror) in ids]
    held = {(found.topic, found.partition) for found in open_ones}
    places = sorted({(found.topic, found.partition) for found in accepted} - held)
    return {
        "accepted": [describe(state.mirror, found) for found in accepted],
        "open": len(open_ones),
        "proven_goes_on": [f"{topic}-{number}" for topic, number in places if not _stopped(state, topic, number)],
    }


def _stopped(state: WatchState, topic: str, number: int) -> bool:
    part = state.partitions.get((topic, number))
    return part is None or part.stopped is not None
