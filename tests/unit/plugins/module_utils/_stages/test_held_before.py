# SPDX-License-Identifier: GPL-3.0-or-later
"""What decided over deletion in a backup outlasts a restore that holds it off a second time."""

from __future__ import annotations

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.fold import fold
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._stages import restore as _restore


def restored(offset, topics):
    """Entries of a restore that ended."""
    about = {"stage": "recreate_from_backup", "about": "na from eu", "region": "na", "run": str(offset)}
    return [
        {**about, "step": "stage", "state": "started", "offset": offset},
        {**about, "step": "ends", "state": "done", "found": {"topics_before": topics}, "offset": offset + 1},
        {**about, "step": "stage", "state": "done", "offset": offset + 2},
    ]


def test_a_second_restore_knows_what_decided_over_deletion_before_the_first():
    named = {"name": "a", "partitions": 1, "replication_factor": 1, "configs": {"retention.ms": "5"}}
    first = restored(0, _restore.original([named]))
    second = {**first[0], "run": "9", "offset": 9}
    held = {**named, "configs": {"retention.ms": "-1", "retention.bytes": "-1"}}
    # Begun and cut off, and begun once more after that had been refused.
    for entries in ([second], [second, {**second, "state": "refused"}, {**second, "offset": 11}]):
        earlier = known([*first, *entries])["held_before"]["found"]["topics_before"]
        assert _restore.original([held], earlier) == _restore.original([named])
    # What somebody has set since counts.
    other = {**held, "configs": {"retention.ms": "7", "retention.bytes": "-1"}}
    assert _restore.original([other], earlier)[0]["configs"] == {"retention.ms": "7", "retention.bytes": None}
    new = {"stage": "new_backup", "about": "na to eu", "region": "na", "run": "8", "step": "stage"}
    between = [{**new, "state": "started", "offset": 5}, {**new, "state": "done", "offset": 6}]
    assert "held_before" not in known([*first, *between, second])
    third = known([*first, *between, *restored(7, []), {**second, "offset": 12}])
    assert third["held_before"]["found"] == {"topics_before": []}


def known(entries):
    return fold(entries)["done"]["recreate_from_backup"]
