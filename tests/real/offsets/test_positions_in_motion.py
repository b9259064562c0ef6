# SPDX-License-Identifier: GPL-3.0-or-later
"""A consumer without membership (``assign``) commits while its position is translated, on either side: refused, and
nothing of it is written over.
"""

from __future__ import annotations

import threading
import time

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import RefusedError
from tests.support.offsets_pair import Pair, name

pytestmark = pytest.mark.real
GROUP, OTHER = "moving", "standing"


@pytest.fixture
def pair(two_clusters):
    return Pair(two_clusters["source"], two_clusters["target"])


def translated_while(pair, groups, commit, **more):
    """The translation of groups that stand at 20 on the source, during which ``commit`` is called."""

    def later():
        time.sleep(2)
        commit()

    for group in groups:
        pair.commit(pair.source, group, {0: 20})
    thread = threading.Thread(target=later)
    thread.start()
    try:
        return pair.translate(*groups, still_seconds=6, **more)
    finally:
        thread.join()


def test_a_position_that_moves_on_the_source_is_refused(pair):
    group = name(GROUP)
    with pytest.raises(RefusedError, match=r"of the source moves") as caught:
        translated_while(pair, [group], lambda: pair.commit(pair.source, group, {0: 40}))
    assert [row["kind"] for row in caught.value.facts["refused"]] == ["moving"]
    assert pair.committed(pair.target, group) == {}


def test_or_left_alone_where_that_is_wished(pair):
    group, other = name(GROUP), name(OTHER)
    go_on = {"on_live_members": "skip"}
    found = translated_while(pair, [group, other], lambda: pair.commit(pair.source, group, {0: 40}), **go_on)
    assert {row["group"]: row["state"] for row in found["groups"]} == {group: "left", other: "committed"}
    assert pair.committed(pair.target, group) == {}


@pytest.mark.parametrize("others", [True, False])
def test_a_first_position_on_the_target_is_not_written_over(pair, others):
    """Whether another group has one there before or none has."""
    group, groups = name(GROUP), [name(OTHER)] if others else []
    for other in groups:
        pair.commit(pair.target, other, {0: 20})
    with pytest.raises(RefusedError, match=r"of the target moves"):
        translated_while(pair, [group, *groups], lambda: pair.commit(pair.target, group, {0: 40}))
    assert pair.committed(pair.target, group)[0][0] == 40
