# SPDX-License-Identifier: GPL-3.0-or-later
"""A topic that the source does not show to the proof's principal: nobody knows what its copy lacks."""

from __future__ import annotations

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._mm2.names import MirrorNames
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof import worker
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._proof.comparison import Options, prepare
from tests.real.ledger.guarded import guarded, let_read
from tests.real.proof.support import create, some, write
from tests.support.sides import side

pytestmark = pytest.mark.real
SHOWN, HIDDEN = "o.shown", "o.hidden"


def compared(source, target, **options):
    both = side(source, "source"), side(target, "target")
    return prepare(*both, Options("o[.].*", **options)).run(worker.InProcess())


def test_what_a_source_hides_is_never_proven(pair, tmp_path):
    target = pair["target"]
    source, of_user = guarded(tmp_path, "hides", ["prover"])
    try:
        for cluster in (source, target):
            create(cluster, {SHOWN: (1, {}), HIDDEN: (1, {})})
        rows = some(20)
        write(source, {SHOWN: rows, HIDDEN: rows})
        write(target, {SHOWN: rows, HIDDEN: rows[:5]})
        let_read(source, "prover", SHOWN)
        report = compared(of_user("prover"), target.client)
        assert (report["verdict"], report["complete"]) == ("NOT_PROVABLE", False)
        assert [reason for reason in report["reasons"] if reason.startswith(HIDDEN) and "DESCRIBE" in reason]
        assert report["topics"][0]["verdict"] == "PROVEN"
        # Of a topic that the target lacks too, what is known of its ends tells.
        KafkaClient(target.client).admin.delete_topics([HIDDEN])[HIDDEN].result(30)
        known = {"mirrored_through": {HIDDEN: {"0": 5}}}
        assert compared(of_user("prover"), target.client)["verdict"] == "PROVEN"
        assert compared(of_user("prover"), target.client, bounds=known)["verdict"] == "NOT_PROVABLE"
    finally:
        source.stop()


def test_what_a_mirror_itself_writes_is_no_copy(pair, tmp_path):
    """Under the default policy it looks like the copy of ``checkpoints.internal``, which its source need not have."""
    names = MirrorNames("na", "eu", "default")
    source, of_user = guarded(tmp_path, "mirrored", ["prover"])
    try:
        create(source, {"p.one": (1, {})})
        create(pair["target"], {"na.p.one": (1, {}), names.checkpoints: (1, {}), names.source_offsets: (1, {})})
        write(source, {"p.one": some(20)})
        write(pair["target"], {"na.p.one": some(20), names.checkpoints: some(3)})
        let_read(source, "prover", "p.one")
        both = side(of_user("prover"), "source"), side(pair["target"].client, "target")
        for pattern in (names.data_pattern([".*"], []), ".*"):
            report = prepare(*both, Options(pattern, rename="prefix:na.")).run(worker.InProcess())
            assert (report["verdict"], report["reasons"]) == ("PROVEN", []), pattern
    finally:
        source.stop()
