# SPDX-License-Identifier: GPL-3.0-or-later
"""Names and texts that others chose, through set-up, a planned move, its proofs and the page about it, on real
clusters: all of them are data.

A lab of its own: the move changes where everything runs.
"""

from __future__ import annotations

import html
import json
import re

import pytest
from confluent_kafka import ConsumerGroupTopicPartitions
from confluent_kafka.admin import AdminClient

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.acls import ensure_acls
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.groups import every_group
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._ledger.ledger import read_ledger
from kafka_dr_lab.lab import Lab
from tests.real.hosts.mirrors import read
from tests.real.lab.hostile_region import GROUP, TOPICS, VERBOSE, await_copies, fill
from tests.real.lab.playing import SOURCE, TARGET, Playground
from tests.support.hostile import steers_terminal

pytestmark = pytest.mark.full
REASON = "the test bed's names come <b>in March</b>"


@pytest.fixture(scope="module")
def moved(tmp_path_factory):
    """A region full of hostile names, moved from with everything that a person would run; what each run said, and where
    the mark would be.
    """
    base = tmp_path_factory.mktemp("hostile")
    mark = base / "mark"
    try:
        ground = Playground(base / "lab")
        said = {"initial_setup": ground.stage("initial_setup", None, *VERBOSE)}
        assert said["initial_setup"].returncode == 0, said["initial_setup"].stdout[-3000:]
        groups = fill(ground, str(mark))
        await_copies(ground, TARGET)
        stranger = f"x'; touch {mark}; '{{{{ lookup('pipe', 'touch {mark}') }}}}"
        right = [{"principal": stranger, "resource": "topic", "name": TOPICS[0], "operations": ["WRITE"]}]
        admin = KafkaClient(ground.admin(SOURCE))
        ensure_acls(admin, right, "present", False)
        said["refused"] = ground.stage("failover", {"failover_planned": True})
        ensure_acls(admin, right, "absent", False)
        said["failover"] = ground.stage("failover", {"failover_planned": True}, *VERBOSE, change=_unverified)
        page = base / "page"
        said["report"] = ground.lab.playbooks.run(
            "report",
            {"report_region": TARGET, "report_stage": "failover", "report_directory": str(page)},
            capture=True,
            check=False,
        )
        yield ground, groups, said, page, mark
    finally:
        Lab(base / "lab").down()


def _unverified(inventory):
    """From now on nobody looks at the name in the target's certificate, and the inventory says why."""
    inventory["hosts"][TARGET]["kafka_dr_client"]["ssl.endpoint.identification.algorithm"] = "none"
    inventory["hosts"][TARGET]["kafka_dr_unverified_tls"] = REASON


def test_nothing_that_was_written_there_ran(moved):
    ground, dummy, dummy, dummy, mark = moved
    assert not mark.exists()
    assert not [one["name"] for one in ground.lab.supervisor.processes() if "evil" in one["name"]]
    assert not list(ground.lab.directory.parent.glob("mark*"))


def test_a_stranger_s_right_is_named_and_no_line_is_offered_that_would_run_its_name(moved):
    refused = moved[2]["refused"]
    assert refused.returncode == 2 and "cannot be accepted on a command line" in refused.stdout, refused.stdout[-3000:]
    assert "failover_accept_unfenced" not in refused.stdout


def test_the_move_goes_through_and_is_proven(moved):
    ground, dummy, said, dummy, dummy = moved
    assert said["failover"].returncode == 0, said["failover"].stdout[-5000:]
    client = KafkaClient(ground.client(TARGET), ground.client_secrets(TARGET))
    entries = read_ledger(client, "__kafka_dr_ledger", [ground.secrets["kafka_dr_ledger_secret"]]).entries
    assert [one["found"]["verdict"] for one in entries if one["step"] == "proof"] == ["PROVEN"]
    assert [one["region"] for one in entries if one["step"] == "active_region"][-1] == TARGET


def test_every_group_stands_in_the_target_under_its_very_name(moved):
    ground, groups, dummy, dummy, dummy = moved
    there = every_group(KafkaClient(ground.client(TARGET), ground.client_secrets(TARGET)))
    # A dot of a regular expression is no line break, for the mirror and for the stages.
    wanted = {one for one in groups if re.fullmatch(GROUP + ".*", one)}
    assert wanted <= set(there), sorted(wanted - set(there))
    admin, records = AdminClient(ground.admin(TARGET)), read(ground.admin(TARGET), TOPICS[0])
    for group in sorted(wanted):
        found = next(iter(admin.list_consumer_group_offsets([ConsumerGroupTopicPartitions(group)]).values())).result(60)
        (at,) = found.topic_partitions
        assert at.topic == TOPICS[0] and records[4].offset() < at.offset <= records[5].offset(), group


def test_the_page_shows_the_names_and_runs_none(moved):
    dummy, dummy, said, page, dummy = moved
    assert said["report"].returncode == 0, said["report"].stdout[-3000:]
    text = (page / "report.html").read_text()
    assert (
        "<script>document" not in text
        and "<img src=x" not in text
        and "<evil/>" not in (page / "junit.xml").read_text()
    )
    json.loads((page / "report.json").read_text())


def test_that_a_certificate_was_not_verified_is_printed_recorded_and_on_the_page_with_its_reason(moved):
    ground, dummy, said, page, dummy = moved
    told = f"kafka_dr_unverified_tls of {TARGET}: certificates are not verified ({REASON})"
    assert f"Overridden: {told}" in said["failover"].stdout
    client = KafkaClient(ground.client(TARGET), ground.client_secrets(TARGET))
    entries = read_ledger(client, "__kafka_dr_ledger", [ground.secrets["kafka_dr_ledger_secret"]]).entries
    begun = [one for one in entries if (one["stage"], one["step"], one["state"]) == ("failover", "stage", "started")]
    assert [one["found"]["overridden"] for one in begun] == [[told]]
    text = (page / "report.html").read_text()
    assert (
        html.escape(told, quote=False) in text.replace("&#x27;", "'").replace("&#39;", "'")
        and "<b>in March" not in text
    )


def test_no_output_steers_a_terminal(moved):
    for name, one in moved[2].items():
        assert not steers_terminal(one.stdout), name
