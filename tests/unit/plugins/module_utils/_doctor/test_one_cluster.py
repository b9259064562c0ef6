# SPDX-License-Identifier: GPL-3.0-or-later
"""A mirror whose two clients lead to one cluster: that is told, and nothing that follows from it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._doctor import observe as _observe
from tests.support.observed import found

PARAMS = {"source_alias": "a", "target_alias": "b", "policy": "identity", "separator": ".", "source_client": {}}
PARAMS |= {"topics": ".*", "topics_exclude": "", "groups": ".*", "groups_exclude": [], "watch_seconds": 0}


class Read(Exception):
    """The clusters are looked at."""


def observed(monkeypatch: pytest.MonkeyPatch, source: str | None, target: str | None) -> Any:
    ids = {"source": source, "target": target}

    def connected(seen: Any, params: Any, side: str, name: str) -> Any:
        return SimpleNamespace(name=name, metadata=lambda: SimpleNamespace(cluster_id=ids[side]))

    def look(*dummy: Any) -> None:
        raise Read

    monkeypatch.setattr(_observe, "_connect", connected)
    monkeypatch.setattr(_observe, "_look", look)
    return _observe.observe({**PARAMS, "source_client": {"bootstrap.servers": "x:1"}})


def test_one_cluster_is_the_only_finding(monkeypatch):
    assert found(observed(monkeypatch, "A", "A")) == {"one-cluster": "error"}


@pytest.mark.parametrize(("source", "target"), [("A", "B"), (None, None), (None, "B")])
def test_two_clusters_and_those_that_hide_their_id_are_looked_at(monkeypatch, source, target):
    with pytest.raises(Read):
        observed(monkeypatch, source, target)
