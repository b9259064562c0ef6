# SPDX-License-Identifier: GPL-3.0-or-later
"""Translation against the true map, over random histories: never above the truth, exact whenever it says exact."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.answer import EXACT
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._positions.translation import translate
from tests.support.mirror_history import evidence_of, histories

SAFE = (*EXACT, "lower_bound")
MANY = settings(
    max_examples=int(os.environ.get("KAFKA_DR_EXAMPLES", "150")),
    deadline=None,
    derandomize="KAFKA_DR_EXAMPLES" not in os.environ,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)


def check(history, positions, evidence):
    for position in positions:
        answer = translate(evidence, position)
        assert answer.confidence in SAFE
        said = (position, answer, history.truth(position))
        assert history.target_start <= answer.offset <= history.target_end, said
        assert not history.loses(position, answer.offset), said
        repeated = history.repeated(position, answer.offset)
        assert answer.reprocess_at_most >= repeated, (repeated, *said)
        if answer.confidence in EXACT:
            assert repeated == 0 and answer.reprocess_at_most == 0, (repeated, *said)


def positions_of(history):
    return list(range(history.source_end + 3))


@MANY
@given(histories(), st.sampled_from([1000, 1000, 5]), st.booleans())
def test_source_alive(history, limit, sealed):
    positions = positions_of(history)
    check(history, positions, evidence_of(history, positions, True, limit, sealed=sealed))


@MANY
@given(histories(), st.sampled_from([1000, 1000, 5]), st.booleans())
def test_source_lost(history, limit, sealed):
    positions = positions_of(history)
    check(history, positions, evidence_of(history, positions, False, limit, sealed=sealed))


@MANY
@given(histories(), st.data())
def test_source_lost_with_a_manifest(history, data):
    low = data.draw(st.integers(0, history.source_end))
    positions = positions_of(history)
    high = data.draw(st.integers(low, history.source_end))
    check(
        history,
        positions,
        evidence_of(history, positions, False, manifest=(low, high), sealed=data.draw(st.booleans())),
    )


@MANY
@given(histories(), st.data())
def test_one_position_alone(history, data):
    position = data.draw(st.integers(0, history.source_end + 2))
    check(
        history, [position], evidence_of(history, [position], data.draw(st.booleans()), sealed=data.draw(st.booleans()))
    )
