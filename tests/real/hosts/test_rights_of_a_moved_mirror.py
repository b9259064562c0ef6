# SPDX-License-Identifier: GPL-3.0-or-later
"""What a mirror loses in a region is kept in the ledger of the stage that takes it, also where that is not the ledger
of the mirror's target: a further copy's mirror is given up by a stage of the region where the applications work.
"""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import describe_acls, ensure_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.ledger import known, read_ledger
from tests.real.hosts.moved import LEDGER, SECRET, THERE

pytestmark = pytest.mark.real
# The mirror that copied a region, lost by now, to this one.
OLD = {"name": "lost-to-na", "source": "lost", "target": "na", "topics": ["orders\\..*"]}
STRAY = {"principal": "mirror", "resource": "topic", "name": "billing.", "pattern": "prefixed", "operations": ["WRITE"]}


@pytest.mark.full
def test_what_it_had_beyond_its_needs_is_kept_where_the_stage_has_begun(world):
    there, works = (KafkaClient(world.brokers[name].client) for name in ("na", "eu"))
    ensure_acls(there, [STRAY], "present", False)
    given = {"credentials_mirror": OLD, "credentials_region": "na", "credentials_ledger": "eu"}
    world.play("fence", THERE, ("credentials/revoke_mirror.yml",), {}, **given)
    assert not [acl for acl in describe_acls(there, ["mirror"]) if acl.name == "billing."]
    told = known(read_ledger(works, LEDGER, [SECRET]), [SECRET])["beyond"]
    assert [right["name"] for right in told["lost-to-na"]["na"]] == ["billing."]
