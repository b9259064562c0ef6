# SPDX-License-Identifier: GPL-3.0-or-later
"""A stage that rests on a manifest holds it against the digest that the ledger has of it, and refuses another one."""

from __future__ import annotations

import pytest

pytest.importorskip("pyarrow")

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.fold import fold
from tests.support.manifests import forge, make
from tests.unit.plugins.module_utils._ledger.test_fold import entry
from tests.unit.test_gates_of_stages import LEDGER, refused

pytestmark = pytest.mark.slow

STAGES = {
    "failover": {"__failover_mirrored": {"partitions": [{"topic": "orders", "partition": 0}]}},
    "recreate_from_backup": {
        "recreate_from_backup_region": "na",
        "recreate_from_backup_from": "eu",
        "__recreate_from_backup_backup": {"topics": {"orders": {"offsets": {"0": {}}}}},
    },
}


def opened(directory, stage, place, digest):
    """What the stage says of a manifest whose digest the ledger has, after it opened it."""
    # As the role proof records it; the first one is of an older manifest at the same place.
    written = [entry("r", "manifest", found={"manifest": place, "digest": one}) for one in ("0" * 64, digest)]
    found = {
        **STAGES[stage],
        f"{stage}_manifest": place,
        # One that is always closed, so that there is something to read where the manifest is the one that was made.
        f"{stage}_require": [{"query": "`false`", "message": "a gate of this test"}],
        "ledger": {**LEDGER, "manifests": fold(written)["manifests"]},
    }
    said = refused(directory, stage, "manifest_readable", ["preflight | Open the manifest"], **found)
    return [line for line in said if "a gate of this test" not in line]


@pytest.mark.parametrize("stage", STAGES)
def test_the_manifest_that_was_made_is_taken(tmp_path, stage):
    place = str(tmp_path / "manifest")
    assert opened(tmp_path, stage, place, make(place)) == []


@pytest.mark.parametrize("stage", STAGES)
def test_a_manifest_that_somebody_changed_is_refused_before_anything_is_done(tmp_path, stage):
    place = str(tmp_path / "manifest")
    digest = make(place)
    forge(place)
    (said,) = opened(tmp_path, stage, place, digest)
    assert "The manifest of na cannot be used" in said and "is not the one that was made" in said
    assert digest in said and f"Correct {stage}_manifest" in said
