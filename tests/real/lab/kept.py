# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether both regions of a lab hold every record that somebody was told is safe, and once."""

from __future__ import annotations

import time
from collections.abc import Iterable

from kafka_dr_lab.journals import Journals, topic_ids
from kafka_dr_lab.landscape import TOPICS
from tests.real.lab.playing import SOURCE, TARGET, Playground


def ids(ground: Playground, region: str) -> set[str]:
    """Ids of the records that a region holds."""
    return {one for counter in topic_ids(ground.admin(region), list(TOPICS)).values() for one in counter}


def nothing_is_lost_or_twice(ground: Playground, more: Iterable[str] = ()) -> None:
    """Stop the producer, and wait until both regions hold every record.

    :param more: ids of records that the producer was not told of, and that are to be there too.
    """
    ground.lab.halt("departures-producer")
    journals = Journals(ground.lab.directory / "regions" / "south_america")
    every = set(more) | set(journals.acknowledged())
    end = time.monotonic() + 60
    for region in (TARGET, SOURCE):
        while every - ids(ground, region):
            assert time.monotonic() < end, f"{region} lacks {len(every - ids(ground, region))} records"
            time.sleep(0.5)
        counts = topic_ids(ground.admin(region), list(TOPICS))
        twice = {identity for counter in counts.values() for identity, count in counter.items() if count > 1}
        assert twice <= journals.sent_again()
