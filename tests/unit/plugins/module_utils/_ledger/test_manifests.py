# SPDX-License-Identifier: GPL-3.0-or-later
"""What the ledger knows of manifests."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.manifests import digest_of

KNOWN = {
    "manifests": [
        {"found": {"manifest": "/data/m", "digest": "1"}},
        {"found": {"manifest": "s3://b/m", "digest": "2"}},
        {"found": {"manifest": "s3://b/m?region=eu-west-1&scheme=http", "digest": "4"}},
        {"found": {"manifest": "/data/m", "digest": "3"}},
        {"found": {"manifest": "/old"}},
        {"found": {}},
    ]
}


@pytest.mark.parametrize(
    ("place", "digest"),
    [
        ("/data/m", "3"),
        ("/data/x/../m/", "3"),
        ("s3://b/m/", "2"),
        ("s3://b/m/?region=eu-west-1&scheme=http", "4"),
        ("s3://b/m?scheme=http&region=eu-west-1", "4"),
        ("s3://b/m?region=eu-west-2&scheme=http", ""),
        ("s3://b/other", ""),
        ("/old", ""),
        ("", ""),
    ],
)
def test_the_digest_that_was_written_last_counts(place, digest):
    assert digest_of(KNOWN, place) == digest


def test_a_ledger_without_manifests_knows_none():
    assert digest_of({}, "/data/m") == ""
