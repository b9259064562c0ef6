# SPDX-License-Identifier: GPL-3.0-or-later
"""A region that hides its topics from the stages' principal is not seen to be empty, nor one whose topics are gone."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from confluent_kafka.admin import AdminClient

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import RefusedError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import ensure_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.returned_region_info import returned_region_info
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.source_life_info import source_life_info
from tests.real.ledger.guarded import guarded
from tests.support.offsets_lab import common, create
from tests.support.offsets_pair import name, write

from .test_late_records import transactional
from .test_stale_evidence import copied

pytestmark = pytest.mark.real
HIDDEN, SHOWN, DELETED = "e.hidden", "e.shown", "e.deleted"


def right(topic: str) -> dict[str, Any]:
    return {"principal": "looker", "resource": "topic", "name": topic, "operations": ["READ", "DESCRIBE"]}


@pytest.fixture(scope="module")
def region(two_clusters: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    """One with a topic that its user may not describe, and one that was deleted and that the user may: both were
    copied. A third one is shown.
    """
    broker, of_user = guarded(tmp_path_factory.mktemp("hides"), "hides", ["looker"])
    alias, offsets = uuid.uuid4().hex[:8], name("mm2-offsets")
    target = two_clusters["target"]
    create(broker, *((topic, 1, {}) for topic in (HIDDEN, SHOWN, DELETED)))
    create(target, (offsets, 1, {}))
    write(target, offsets, [(0, *copied(alias, topic, 4), 1) for topic in (HIDDEN, DELETED)])
    transactional(broker.client, HIDDEN, 5, True)
    admin = AdminClient(broker.client)
    admin.delete_topics([DELETED])[DELETED].result(30)
    shown = {"source_alias": alias, "offsets_topic": offsets, "positions_topic": name("none"), "topics": "e[.].*"}
    allowed = [right(topic) for topic in (SHOWN, DELETED, shown["positions_topic"])]
    ensure_acls(KafkaClient(broker.client), allowed, "present", False)
    yield SimpleNamespace(
        all_seeing=broker, looker=SimpleNamespace(client=of_user("looker")), target=target, options=shown
    )
    broker.stop()


def test_what_a_region_hides_is_named(region: SimpleNamespace) -> None:
    def asked(source: Any) -> dict[str, Any]:
        topics = f"{region.options['topics']}(?<!{SHOWN})"
        more = {**region.options, "topics": topics, "read": ["topics", "offsets"], "source_timeout": 10}
        return source_life_info(common(source, region.target, **more), False)

    seen, found = asked(region.all_seeing), asked(region.looker)
    assert (list(seen["topics"]), seen["hidden"], seen["error"]) == ([HIDDEN], [], "")
    assert (found["topics"], found["hidden"], found["error"]) == ({}, [HIDDEN], ""), found


@pytest.mark.parametrize("further", [False, True])
def test_a_region_that_is_back_and_hides_topics_is_not_back_empty(region: SimpleNamespace, further: bool) -> None:
    """Their records would be neither saved nor deleted, and copies would be appended to them."""

    def asked(source: Any) -> dict[str, Any]:
        ends = {HIDDEN: {"0": 5}, SHOWN: {"0": 0}, DELETED: {"0": 5}, "another": {"0": 5}}
        return returned_region_info(
            common(source, region.target, **region.options, ends=ends, further_copy=further), False
        )

    seen = asked(region.all_seeing)
    assert seen["holding"] == [HIDDEN] and seen["topics"][DELETED] == "gone"
    with pytest.raises(RefusedError, match=rf"has topic {HIDDEN} is not known.*DESCRIBE") as refused:
        asked(region.looker)
    assert DELETED not in str(refused.value) and "another" not in str(refused.value)
    admin, granted = KafkaClient(region.all_seeing.client), [right(HIDDEN)]
    ensure_acls(admin, granted, "present", False)
    try:
        assert asked(region.looker)["holding"] == [HIDDEN]
    finally:
        ensure_acls(admin, granted, "absent", False)
