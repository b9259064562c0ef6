# SPDX-License-Identifier: GPL-3.0-or-later
"""A state of which something was lost is believed by nobody, and the way out that is told leads out."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import FormatError, NotProvableError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.offsets import list_offsets
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.writer import write
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch import keeping, rows
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._watch.state import read_state
from tests.real.proof.support import configure, create, delete_before, drop, some

from .test_closing import closed
from .watching import Watching

pytestmark = pytest.mark.real

ROWS = some(1500, headers=())


class Kept(Watching):
    """A watch with a state of its own, whose copy lacks the record at 500."""

    def __init__(self, pair, name):
        super().__init__(pair, name, state=f"__{name}")
        self.client = KafkaClient(pair["target"].client)
        for cluster in pair.values():
            create(cluster, {name: (1, {})})
        self.write("source", ROWS[:1000])
        self.write("target", [*ROWS[:500], *ROWS[501:900]])
        self.rounds(lambda state: state.differences)

    def state(self):
        return read_state(self.client, self.name, self.options["state"])

    def overwrite(self, kind, value, *place):
        name = rows.key(kind, self.name, *place)
        write(self.client, self.options["state"], [(0, name, value)])

    def refused(self, match):
        for ask in (self.state, lambda: self.open().rounds(), lambda: closed(self, topic=self.options["state"])):
            with pytest.raises((NotProvableError, FormatError), match=match):
                ask()

    def begun_anew(self):
        """It finds the same fault again."""
        state = self.open(begin_anew=True).rounds(lambda state: state.differences)
        self.watch.close()
        assert self.open().rounds().partitions[self.name, 0].through == (500, 500)
        assert [found.source_offset for found in state.differences] == [500]
        assert closed(self, topic=self.options["state"])["verdict"] == "LOSS"


@pytest.mark.parametrize("kind", ["difference", "confirmed", "watch", "window"])
def test_a_record_that_somebody_overwrote_and_deleted(pair, kind):
    kept = Kept(pair, f"w.lost.{kind}")
    place = {"difference": (kept.name, 0, 0), "confirmed": (kept.name, 0), "watch": (), "window": (kept.name, 0, 900)}
    window = kept.state().windows[kept.name, 0][0]
    place["window"] = (kept.name, 0, window.low)
    kept.watch.close()
    kept.overwrite(kind, b"garbage", *place[kind])
    kept.refused("no watch wrote.*--begin-anew")
    kept.overwrite(kind, None, *place[kind])
    if kind == "window":
        stopped = kept.open().rounds().partitions[kept.name, 0].stopped
        assert "are not whole" in stopped and "--begin-anew" in stopped
        kept.watch.close()
    else:
        kept.refused("is not whole.*begin the watch anew")
    kept.begun_anew()


@pytest.mark.parametrize("how", ["made again", "cut"])
def test_a_state_that_is_deleted_under_a_watch_is_noticed(pair, how, monkeypatch):
    kept = Kept(pair, f"w.lost.under.{how[:3]}")
    topic = kept.options["state"]
    if how == "cut":
        end = list_offsets(kept.client, [(topic, 0)])[topic, 0]
        configure(pair["target"], topic, {"cleanup.policy": "compact,delete"})
        delete_before(pair["target"], topic, 0, end)
    else:
        drop(pair["target"], [topic])
        create(pair["target"], {topic: (1, {})})
    for where in pair:
        kept.write(where, ROWS[1000:])
    # What was written meanwhile does not hide it.
    kept.watch.round()
    monkeypatch.setattr(keeping, "LOOK_SECONDS", 0)
    with pytest.raises(NotProvableError, match=r"was deleted.*begin the watch anew"):
        kept.watch.round()
    kept.watch.close()
    kept.refused("is not whole.*begin the watch anew")
