# SPDX-License-Identifier: GPL-3.0-or-later
"""A manifest in an object store: saved, looked at, compared with and translated by, over S3's own protocol."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._manifest.look import manifest_info
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._manifest.scan import ManifestRecords
from tests.support.object_store import VARIABLES, ObjectStore
from tests.support.offsets_lab import translate

from . import support
from .support import some

pytestmark = [pytest.mark.real, pytest.mark.full]
ROWS = some(500, headers=())


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    patched = pytest.MonkeyPatch()
    for name, value in VARIABLES.items():
        patched.setenv(name, value)
    made = ObjectStore(tmp_path_factory.mktemp("store") / "log")
    yield made
    made.stop()
    patched.undo()


def test_a_manifest_in_an_object_store_is_read_by_job_and_modules(pair, tmp_path, store):
    support.create(pair["source"], {"stored": (1, {})})
    support.create(pair["target"], {"stored": (1, {})})
    support.write(pair["source"], {"stored": ROWS})
    support.write(pair["target"], {"stored": ROWS[:490]})
    where = store.uri("manifests/north_america")
    assert not manifest_info({"manifest": where, "topics": []})["readable"]
    # Workers take the environment of the process that starts Spark.
    job = support.Job(tmp_path, pair["source"], pair["target"])
    code, told = job.manifest(where, "stored")
    assert code == 0, told
    found = manifest_info({"manifest": where, "topics": ["stored", "elsewhere"]})
    assert (found["readable"], found["uncovered"]) == (True, ["elsewhere"]), found
    code, report, errors = job.compare("stored", "--manifest", where, "--wait-seconds", "0", source=False)
    assert (code, report["verdict"], report["totals"]["missing_tail"]) == (1, "LOSS", 10), errors
    assert len(ManifestRecords(where).scan("stored", 0, 0, 500).digests) == 500
    assert translate(None, pair["target"], check=True, manifest=where)["plan"] == []
