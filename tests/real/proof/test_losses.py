# SPDX-License-Identifier: GPL-3.0-or-later
"""After a loss: what the mirror had copied has to be there, what the source's policy had expired need not, and a
cluster proves nothing about itself.
"""

from __future__ import annotations

import json

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import RefusedError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.mirror_probe import mirror_probe
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.mirror_seed import mirror_seed
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.returned_region_info import returned_region_info
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._work.topic_compare_info import topic_compare_info
from tests.support.offsets_lab import info, translate

from . import support
from .cases import COMPACT
from .support import NOW, some
from .test_topic_compare import DEFAULTS

pytestmark = pytest.mark.real

DAY = 24 * 3600 * 1000
WEEK = {"retention.ms": 7 * DAY}
SIZE = {"retention.bytes": 20000}
MANY = some(50000, headers=())
AGED = [*some(1000, start=NOW - 8 * DAY, headers=()), *some(500, prefix="new", headers=())]
YOUNG = some(1500, prefix="young", headers=())
KEYED = [row.but(key=b"k%d" % (at % 100)) for at, row in enumerate(some(300, headers=()))]
# name: (what the source held, its configuration, what the copy holds, up to where the mirror had come, log start of the
# backup, verdict, lost)
TOPICS = {
    "loss.empty": (MANY, {}, [], 50000, 0, "LOSS", 0),
    "loss.cut": (MANY, {}, MANY[:30000], 50000, 0, "LOSS", 0),
    "loss.unknown": (MANY[:500], {}, MANY[:300], None, 0, "LOSS", 0),
    "loss.tail": (MANY[:500], {}, MANY[:300], 290, 0, "PROVEN", 200),
    "loss.none": (MANY[:500], {}, MANY[:500], 500, 0, "PROVEN", 0),
    "loss.aged": (AGED, WEEK, AGED[1000:], 1500, 1000, "PROVEN", 0),
    "loss.aged_tail": (AGED, WEEK, AGED[1000:1400], 1400, 1000, "PROVEN", 100),
    "loss.young": (AGED, WEEK, AGED[1001:], 1500, 1001, "LOSS", 0),
    "loss.all_aged": (AGED[:1000], WEEK, [], 1000, 1000, "NOT_PROVABLE", 0),
    "loss.sized": (YOUNG, SIZE, YOUNG[200:], 1500, 200, "PROVEN", 0),
    "loss.sized_start": (YOUNG, SIZE, YOUNG[200:], 1500, 0, "LOSS", 0),
    "loss.compacted": (KEYED, COMPACT, KEYED[:250], 250, 0, "PROVEN", 50),
    "loss.compacted_below": (KEYED, COMPACT, KEYED[:250], 251, 0, "LOSS", 49),
    "loss.compact_delete": (AGED, {"cleanup.policy": "compact,delete", **WEEK}, AGED[1000:], 1500, 1000, "PROVEN", 0),
}


@pytest.fixture(scope="module")
def job(pair, spark, tmp_path_factory):
    return support.Job(tmp_path_factory.mktemp("losses"), pair["source"], pair["target"], spark)


@pytest.fixture(scope="module")
def saved(pair, job):
    """Every topic in the source, its manifest, and the copy; as after a restore, whose logs begin at 0."""
    support.create(pair["source"], {name: (1, one[1]) for name, one in TOPICS.items()})
    support.create(
        pair["target"], {name: (1, {"retention.ms": -1, **(COMPACT if "compact" in name else {})}) for name in TOPICS}
    )
    support.write(pair["source"], {name: one[0] for name, one in TOPICS.items()})
    support.write(pair["target"], {name: one[2] for name, one in TOPICS.items()})
    code, told = job.manifest(job.directory / "saved", r"loss\..*")
    assert code == 0, told
    return job.directory / "saved"


@pytest.fixture(scope="module")
def judged(saved, job):
    """One comparison of all with the manifest; the source is not asked."""
    bounds = job.directory / "bounds.json"
    bounds.write_text(
        json.dumps(
            {
                "mirrored_through": {name: {"0": one[3]} for name, one in TOPICS.items() if one[3] is not None},
                "held": {"at": NOW, "starts": {name: {"0": one[4]} for name, one in TOPICS.items()}},
            }
        )
    )
    return job.compare(
        r"loss\..*",
        "--manifest",
        str(saved),
        "--bounds",
        str(bounds),
        "--wait-seconds",
        "0",
        "--summary",
        str(job.directory / "summary.json"),
        source=False,
    )


@pytest.mark.parametrize("name", TOPICS)
def test_a_manifest_is_compared_with_what_is_known_of_the_loss(name, judged, job):
    code, report, errors = judged
    topic = support.topic_of(report, name)
    verdict, lost = TOPICS[name][5:]
    assert (code, report["verdict"], topic["verdict"], topic["partitions"][0]["lost"]) == (1, "LOSS", verdict, lost), (
        topic["reasons"],
        errors,
    )
    summary = json.loads((job.directory / "summary.json").read_text())
    assert summary["lost"].get(name, {}).get("0", 0) == lost


def test_without_what_is_known_nothing_is_excused(saved, job):
    proven = "|".join(name for name, one in TOPICS.items() if one[5] == "PROVEN" and name != "loss.none").replace(
        ".", r"\."
    )
    code, report, errors = job.compare(proven, "--manifest", str(saved), "--wait-seconds", "0", source=False)
    assert code == 1, errors
    # Only the last values of the compacted one are compared, and all of them are there.
    assert {topic["topic"]: topic["verdict"] for topic in report["topics"] if topic["verdict"] != "LOSS"} == {
        "loss.compact_delete": "PROVEN"
    }


def test_one_cluster_proves_nothing_about_itself(saved, job, pair):
    itself = support.Job(job.directory, pair["source"], pair["source"], job.spark)
    for words in ({}, {"source": False}):
        code, report, errors = itself.compare(
            "loss.none", *([] if not words else ["--manifest", str(saved)]), "--wait-seconds", "0", **words
        )
        assert (code, report["complete"]) == (2, False) and ("are one cluster" in errors or "itself" in errors), errors


def test_modules_refuse_one_cluster_for_both_sides(saved, pair):
    one = pair["source"]
    both = {
        "source_client": one.client,
        "source_client_secrets": {},
        "target_client": one.client,
        "target_client_secrets": {},
    }
    alias = {"source_alias": "a", "target_alias": "b", "policy": "identity", "separator": ".", "timeout": 30}
    for work in (
        lambda: topic_compare_info({**DEFAULTS, **both, "topics": "loss.none", "content": True}),
        lambda: translate(one, one, check=True),
        lambda: translate(None, one, check=True, manifest=str(saved)),
        lambda: info(one, one, until_caught_up=True),
        lambda: mirror_seed({**both, **alias}, True),
    ):
        with pytest.raises(RefusedError, match="are one cluster"):
            work()


@pytest.mark.parametrize("work", [mirror_probe, returned_region_info])
def test_nor_is_a_probe_sent_to_where_it_comes_from_or_a_survivor_taken_for_the_region_that_is_back(pair, work):
    one = pair["source"].client
    another = {**one, "bootstrap.servers": one["bootstrap.servers"].replace("127.0.0.1", "localhost")}
    secrets = {"source_client_secrets": {}, "target_client_secrets": {}, "timeout": 30}
    probe = {"topic": "itself", "target_topic": "itself", "records": 1, "group_prefix": "", "writer_client": None}
    back = {"topics": ".*", "positions_topic": "none", "ends": {}, "further_copy": False}
    with pytest.raises(RefusedError, match="are one cluster"):
        work({"source_client": another, "target_client": one, **secrets, **probe, **back}, True)
