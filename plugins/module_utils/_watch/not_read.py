# SPDX-License-Identifier: GPL-3.0-or-later
"""What the watch had not read of a partition when the source was lost, and what becomes of it in a proof after that."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from .._errors import NotProvableError
from .._proof.bounds import given
from .._proof.pairs import Pair
from .._values.moment import AHEAD_SECONDS
from . import windows
from .state import Confirmed, Partition

if TYPE_CHECKING:
    from .closing import Closing

# A watch whose last round began so long before the loss was not at work: what it did not read is no mere tail.
SILENT_SECONDS = 60


@dataclass(frozen=True)
class Unread:
    """Offsets of a partition beyond what was compared, of which the watch knows.

    :ivar read: up to where somebody has read the source: the watch, or the manifest that is compared.
    :ivar copied: how many the mirror had copied that nobody had read.
    :ivar behind: how many of those that the watch had seen it had not read, of what the mirror may have copied.
    :ivar low, lost: from where on, and how many, that were seen had not been copied.
    :ivar held: how many more would be lost, but for what the copy holds beyond: the mirror notes late what it copied.
    :ivar hidden_from, hidden: from where on, and how many at most, lay behind a transaction that was open.
    """

    read: int
    copied: int
    behind: int
    low: int
    lost: int
    held: int
    hidden_from: int
    hidden: int


def unread_of(closing: Closing, place: Partition, part: Confirmed, beyond: int, end: int | None = None) -> Unread:
    """What the watch knows beyond what was compared.

    :param beyond: records that the copy holds behind all that was compared.
    :param end: where the manifest that is compared ends; None where windows are, which end where the watch had read.
    """
    end = part.read if end is None else end
    through = copied_through(closing, place)
    copied, read = through or 0, max(part.read, end)
    unseen = max(0, part.source_end - read)
    low = max(end, copied)
    lost = 0
    if through is not None:
        lost = _waiting(closing, place, part, low) + max(0, _within(closing, place, part.source_end) - max(read, low))
    # Copies of what lies before these explain some of what the copy holds beyond.
    held = min(lost, max(0, beyond - max(0, copied - end, part.examined[0] - end)))
    hidden_from = max(part.source_end, read, copied)
    return Unread(
        read=read,
        copied=max(0, copied - read),
        # Where nobody knows how far the mirror came, it may have copied all of that.
        behind=unseen if through is None else min(unseen, max(0, copied - read)),
        low=low,
        lost=lost - held,
        held=held,
        hidden_from=hidden_from,
        hidden=max(0, _within(closing, place, part.source_high) - hidden_from),
    )


def add_unread(found: Unread, pair: Pair) -> None:
    """Tell what the watch had not read: what had been copied of it is not proven, and what had not been is lost."""
    # What it had seen to be there is no tail of its last seconds: it was behind.
    if found.behind:
        doubt(pair, f"the watch was behind: in its last round it had seen {found.behind} offsets that it had not read")
    if found.copied:
        pair.reasons.append(
            f"{found.copied} offsets from {found.read} on had been copied before the watch read them, and were not "
            "compared"
        )
    if found.held:
        doubt(
            pair,
            f"{found.held} records that the copy holds beyond may be what the watch had seen at the source and not "
            "read: they were not compared, and do not count as lost",
        )
    if found.lost:
        counted = "count as lost" if pair.result is not None else "are in no count"
        pair.reasons.append(
            f"{found.lost} offsets from {found.low} on, which the watch had seen at the source and which were not "
            f"compared, had not been copied and {counted}"
        )
        if pair.result is not None:
            pair.result["counts"]["lost"] += found.lost
    if found.hidden:
        pair.reasons.append(
            f"up to {found.hidden} offsets from {found.hidden_from} on lay behind a transaction that was open at the "
            "source when the watch looked last: they were neither read nor copied, and what was acknowledged there is "
            "lost and in no count"
        )


def doubt(pair: Pair, reason: str) -> None:
    """Nothing shows that it is whole, if there is a reason; it is told once."""
    if reason:
        pair.reasons += [] if reason in pair.reasons else [reason]
        pair.undecided = True


def silent(closing: Closing, looked_at: int | None = None) -> str:
    """Why the watch is not known to have been at work when the source was lost; empty where it was.

    :param looked_at: as of :class:`.state.Confirmed`; None where its last round looked.
    """
    ahead = closing.state.at / 1000 - closing.began
    if ahead > AHEAD_SECONDS:
        return f"the watch's last round ended {ahead:.0f} s ahead of this machine's clock: set the clocks"
    # It asks where the source ends as a round begins, and reads up to there.
    began = closing.state.at / 1000 - closing.state.seconds
    last = "last round"
    if looked_at is not None:
        began, last = min(began, looked_at / 1000), "last round that could look at the topic"
    if not closing.wanted.seen_at and closing.began - began > SILENT_SECONDS:
        return (
            f"the watch began its {last} {closing.began - began:.0f} s ago, and nobody knows when the source was "
            "seen last"
        )
    late = closing.wanted.seen_at / 1000 - began
    if late > SILENT_SECONDS:
        return f"the watch had begun its {last} {late:.0f} s before the source was seen last, if clocks agree"
    return ""


def unread(closing: Closing, place: Partition, part: Confirmed) -> int:
    """Offsets that the mirror had copied and the watch had not read."""
    return max(0, (copied_through(closing, place) or 0) - part.read)


def copied_through(closing: Closing, place: Partition) -> int | None:
    """How far the mirror had copied a partition; None where nobody knows it."""
    return given((closing.options.bounds or {}).get("mirrored_through"), *place)


def _within(closing: Closing, place: Partition, offset: int) -> int:
    """An end of the source, no further than the proof is asked to go."""
    bounded = given((closing.options.bounds or {}).get("source"), *place)
    return offset if bounded is None else min(bounded, offset)


def _waiting(closing: Closing, place: Partition, part: Confirmed, low: int) -> int:
    """Records from an offset on that the watch had read and no copy was found of; by offsets where its windows are not
    whole.
    """
    high, low = _within(closing, place, part.read), max(low, part.examined[0])
    if low >= high:
        return 0
    try:
        held = windows.records(place, part, closing.state.windows.get(place, []))
    except NotProvableError:
        return high - low
    if part.stopped and not len(held.offset):
        # It keeps no windows.
        return high - low
    return int(((held.offset >= low) & (held.offset < high)).sum())
