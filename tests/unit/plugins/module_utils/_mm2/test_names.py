# SPDX-License-Identifier: GPL-3.0-or-later
"""MM2's names under both policies, and its way of writing lists of expressions."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.names import MirrorNames, check_names, compile_filter, is_internal


def test_names_of_both_policies():
    identity, default = MirrorNames("a", "b"), MirrorNames("a", "b", "default", "_")
    assert (identity.copy_of("t"), identity.original_of("t"), default.copy_of("t"), default.original_of("a_t")) == ("t", "t", "a_t", "t")
    assert default.original_of("t") is None and default.original_of("a_") is None
    assert (identity.offset_syncs, identity.checkpoints) == ("mm2-offset-syncs.a.internal", "a.checkpoints.internal")
    assert identity.heartbeats_copied == "a.heartbeats"
    assert (default.offset_syncs, default.checkpoints) == ("mm2-offset-syncs_a_internal", "a_checkpoints_internal")
    assert MirrorNames("a", "b", "default", "_", False).checkpoints == "a.checkpoints.internal"
    assert default.source_offsets == "mm2-offsets.a.internal"


@pytest.mark.parametrize("names", [MirrorNames("a", "a"), MirrorNames("", "b"), MirrorNames("a", "b", "custom")])
def test_impossible_mirrors_are_refused(names):
    with pytest.raises(UsageError):
        check_names(names)


def test_filters_take_commas_but_not_within_braces():
    wanted = compile_filter("a{1,2}, b.*|c", "bx")
    assert [name for name in ("a", "aa", "aaa", "b", "bx", "c", "cc") if wanted(name)] == ["a", "aa", "b", "c"]
    assert not compile_filter("")("a")
    with pytest.raises(UsageError, match="groups"):
        compile_filter("(", None, "groups")


def test_internal_topics():
    internal = ("__kafka_dr_positions", "mm2-offsets.a.internal", "a.checkpoints.internal", "heartbeats", "a.heartbeats", "x-internal")
    assert all(is_internal(name) for name in internal)
    assert not any(is_internal(name) for name in ("orders", "internal", "internals", "my.internal.topic", "patient-heartbeats-raw"))
