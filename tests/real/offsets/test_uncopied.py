# SPDX-License-Identifier: GPL-3.0-or-later
"""A topic or partition that the mirror never made in the target: a group that reads it and others is not passed over in
silence.
"""

from __future__ import annotations

import pytest

from tests.support import offsets_lab as lab
from tests.support.offsets_pair import name, write

from .test_stale_evidence import create

pytestmark = pytest.mark.real


@pytest.mark.parametrize("named", [True, False])
def test_a_position_in_a_topic_without_a_copy_is_named(two_clusters, named):
    source, target = two_clusters["source"], two_clusters["target"]
    topics, group = (name("copied"), name("uncopied")), name("group")
    for topic in topics:
        create(source, topic)
        write(source, topic, [(0, b"k", b"v", 1000 + at) for at in range(10)])
        lab.set_positions(source, topic, {group: {0: 5}})
    create(target, topics[0])
    found = lab.translate(
        source,
        target,
        check=True,
        groups=[group],
        groups_regex="",
        topics="|".join(topics),
        positions_topic=name("none"),
        source_alias=name("a"),
        named_groups=[group] if named else [],
    )
    assert [row["topic"] for row in found["plan"]] == [topics[0]]
    (said,) = [one for one in found["others"] if one["group"] == group]
    assert topics[1] in said["why"] and topics[0] not in said["why"] and said["named"] is named


def test_a_position_in_a_partition_without_a_copy_is_named(two_clusters):
    """A topic grew shortly before the move. What the copy has of it goes on, and a region that is lost holds nothing
    up.
    """
    source, target = two_clusters["source"], two_clusters["target"]
    topic, both, only = name("grown"), name("both"), name("only")
    create(source, topic, 2)
    write(source, topic, [(number, b"k", b"v", 1000 + at) for at in range(10) for number in (0, 1)])
    lab.set_positions(source, topic, {both: {0: 5, 1: 5}, only: {1: 5}})
    create(target, topic)
    found = lab.translate(
        source,
        target,
        groups=[both, only],
        groups_regex="",
        topics=topic,
        positions_topic=name("none"),
        source_alias=name("a"),
    )
    assert [(row["group"], row["partition"], row["to"]) for row in found["plan"]] == [(both, 0, 0)]
    assert [row["state"] for row in found["groups"]] == ["committed"]
    why = {row["group"]: row["why"] for row in found["others"]}
    assert f"{topic}-1" in why[both] and f"{topic}-0" not in why[both], why
    assert "no partition that it has a position in exists" in why[only], why
