# SPDX-License-Identifier: GPL-3.0-or-later
"""A manifest that is not the one that was made is refused, and nobody else reads its files."""

from __future__ import annotations

import os
import stat

import pytest

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import NotProvableError  # noqa: E402
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._manifest import content, portions  # noqa: E402
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._manifest.side import ManifestSide  # noqa: E402
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.manifest_info import manifest_info  # noqa: E402
from tests.support.manifests import FILE, make  # noqa: E402


@pytest.fixture
def made(tmp_path):
    """``(place, digest)`` of a manifest of one topic."""
    place = str(tmp_path / "manifest")
    return place, make(place)


def rows(place, digest=""):
    return ManifestSide({"path": place, "name": "the manifest", "digest": digest}).portions("orders", 0, 0, 10)


def test_the_manifest_that_was_made_is_read(made):
    assert [row["count"] for row in rows(*made)] == [10]


def test_its_files_are_for_its_owner_alone(made):
    found = {
        os.path.join(folder, name): os.stat(os.path.join(folder, name)).st_mode
        for folder, folders, files in os.walk(made[0])
        for name in files + folders
    }
    assert len(found) == 3 and not [path for path, mode in found.items() if stat.S_IMODE(mode) & 0o077]


def test_a_topic_that_was_dropped_from_it_is_seen(made):
    place, digest = made
    changed = content.load(place)
    changed["topics"] = {}
    content.store(place, changed)
    with pytest.raises(NotProvableError, match="is not the one that was made"):
        rows(place, digest)
    answer = manifest_info({"manifest": place, "topics": [], "digest": digest})
    assert not answer["readable"] and "is not the one that was made" in answer["reason"]
    assert manifest_info({"manifest": place, "topics": [], "digest": None})["readable"], (
        "nobody knows the digest of this one"
    )


def test_a_data_file_that_was_emptied_is_seen(made):
    place, digest = made
    pq.write_table(pa.Table.from_pylist([], portions.schema()), f"{place}/{FILE}")
    with pytest.raises(NotProvableError, match="is not the one that was written"):
        rows(place, digest)


def test_a_manifest_of_before_there_were_digests_is_read(made):
    place, dummy = made
    old = content.load(place)
    del old["digests"]
    content.store(place, old)
    assert [row["count"] for row in rows(place)] == [10]
