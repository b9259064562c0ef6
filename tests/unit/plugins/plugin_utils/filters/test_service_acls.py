# SPDX-License-Identifier: GPL-3.0-or-later
"""What a region's users may do, where the region or the mirror decides it."""

from __future__ import annotations

from ansible_collections.streamsafe.kafka_dr.plugins.plugin_utils.filters.service_acls import service_acls

MIRROR = {"name": "m", "source": "na", "target": "eu", "topics": ["x"]}


def test_a_witness_may_write_to_the_topic_of_its_mirror():
    users = [{"name": purpose, "purpose": purpose} for purpose in ("witness", "watch")]

    def topics(each, **variables):
        acls = service_acls({"kafka_dr_users": users, **variables}, each, "witness", "watch", side="target")
        return {acl["name"] for acl in acls if acl.get("name", "").startswith("__kafka_dr_p")}

    assert topics(MIRROR) == {"__kafka_dr_positions"}
    assert topics(MIRROR, kafka_dr_positions_topic="__kafka_dr_p") == {"__kafka_dr_p"}
    assert topics({**MIRROR, "positions_topic": "__kafka_dr_pna"}) == {"__kafka_dr_pna"}
