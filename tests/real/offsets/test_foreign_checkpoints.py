# SPDX-License-Identifier: GPL-3.0-or-later
"""Records in MirrorMaker 2's own topics that are not its own. Its topics are compacted, so that a record without a
readable key stays for good: it is passed over and named, and makes no answer more certain.
"""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.codec import OffsetSync, encode_offset_sync
from tests.support.offsets_pair import Pair, name, now, write

pytestmark = pytest.mark.real


@pytest.fixture
def pair(two_clusters):
    return Pair(two_clusters["source"], two_clusters["target"])


@pytest.mark.parametrize("kind", ["checkpoints", "syncs"])
@pytest.mark.parametrize("alive", [True, False])
def test_one_foreign_record_and_its_tombstone(pair, kind, alive):
    group, place = name("group"), getattr(pair, kind)
    pair.commit(pair.source, group, {0: 20})
    pair.witnessed({group: {0: 20}})
    write(pair.target, place, [(0, b"hello", b"world", now()), (0, b"hello", None, now())])
    found = pair.translate(group, alive=alive, check=True)
    assert [row["source_offset"] for row in found["plan"]] == [20]
    (count,) = found["summary"]["unreadable"]
    assert (count["topic"], count["records"], count["first"][0]["partition"]) == (place, 1, 0)
    (said,) = [row for row in found["others"] if "passed over" in row["why"]]
    assert place in said["why"] and said["group"] == "*"


@pytest.mark.parametrize("garbled", [True, False])
def test_an_offset_sync_that_cannot_be_read_makes_no_answer_higher(pair, garbled):
    """It may be the one that showed the mirror going back. The source is lost, so that nothing is compared."""
    group = name("group")
    pair.witnessed({group: {0: 20}})
    if garbled:
        key = encode_offset_sync(OffsetSync(pair.topic, 0, 10, 10))[0]
        write(pair.target, pair.syncs, [(0, key, b"?", now())])
    (row,) = pair.translate(group, alive=False, check=True, target_ends={pair.topic: {"0": 50}})["plan"]
    assert row["to"] <= 20 and row["source_offset"] == 20
    assert row["confidence"] == "exact_counted" or garbled, row
