# SPDX-License-Identifier: GPL-3.0-or-later
"""How a region is back is not told where it does not show what was copied from it."""

from __future__ import annotations

import pytest
from confluent_kafka import Producer

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import RefusedError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import ensure_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.returned_region_info import returned_region_info
from tests.real.ledger.guarded import guarded
from tests.support.offsets_lab import create

pytestmark = pytest.mark.real


def returned(region, survivor, ends, **more):
    asked = {
        "source_client": region,
        "target_client": survivor,
        "topics": "o[.].*",
        "ends": ends,
        "further_copy": False,
        "positions_topic": "no-witness",
        **more,
    }
    return returned_region_info(
        {**asked, "source_client_secrets": {}, "target_client_secrets": {}, "timeout": 30}, False
    )


@pytest.mark.parametrize("further", [False, True])
def test_a_topic_that_the_region_hides_is_not_gone(two_clusters, tmp_path, further):
    """Its records would be neither saved nor deleted, and copies would be appended to them."""
    survivor = two_clusters["target"].client
    region, of_user = guarded(tmp_path, "hides-returned", ["looker"])
    try:
        create(region, ("o.hidden", 1, {}), ("o.shown", 1, {}))
        producer = Producer(region.client)
        producer.produce("o.hidden", b"only here")
        assert producer.flush(30) == 0
        ends = {"o.hidden": {"0": 1}, "o.shown": {"0": 0}, "o.deleted": {"0": 5}, "another": {"0": 5}}
        right = {"principal": "looker", "resource": "topic", "operations": ["READ", "DESCRIBE"]}
        rights = [{**right, "name": name} for name in ("o.shown", "o.deleted", "no-witness")]
        ensure_acls(KafkaClient(region.client), rights, "present", False)
        seen = returned(region.client, survivor, ends, further_copy=further)
        assert seen["holding"] == ["o.hidden"] and seen["topics"]["o.deleted"] == "gone"
        with pytest.raises(RefusedError, match=r"o[.]hidden.* DESCRIBE") as refused:
            returned(of_user("looker"), survivor, ends, further_copy=further)
        assert "o.deleted" not in str(refused.value) and "another" not in str(refused.value)
        ensure_acls(KafkaClient(region.client), [{**right, "name": "o.hidden"}], "present", False)
        assert returned(of_user("looker"), survivor, ends, further_copy=further)["holding"] == ["o.hidden"]
    finally:
        region.stop()
