# SPDX-License-Identifier: GPL-3.0-or-later
"""The lab's small parts: ports, certificates, journals, report."""

from __future__ import annotations

import json
import socket
import sqlite3
import ssl
import stat
import sys
import threading
from pathlib import Path

import pytest

from kafka_dr_lab.errors import LabError
from kafka_dr_lab.inventory import Inventory
from kafka_dr_lab.journals import Journals
from kafka_dr_lab.pki import new_authority, new_certificate
from kafka_dr_lab.playbook import Playbooks
from kafka_dr_lab.ports import HOST, free_ports, require_free
from kafka_dr_lab.report import Report

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "lab" / "apps"))
from departures import YEAR, departures
from journal import COMMITTED, PROCESSED, PRODUCED, open_journal

# Of the data set.
ROWS = 336776


def test_departures_do_not_run_dry():
    first = next(departures())
    again = next(one for one in departures(wanted=lambda number, identity: identity == f"{ROWS}-departed") if one)
    assert again.id != first.id and (again.key, again.timestamp) == (first.key, first.timestamp + YEAR)


def test_what_a_step_failed_with_is_kept_with_it(tmp_path):
    playbooks = Playbooks(tmp_path, Inventory(tmp_path))
    playbooks.steps_file.parent.mkdir()
    told = {
        "stage": "Manifest",
        "run": "1",
        "step": "Save it",
        "seconds": 2.0,
        "failed": True,
        "at": 100.0,
        "said": "No Java was found",
    }
    playbooks.steps_file.write_text(json.dumps(told) + "\n")
    assert playbooks.steps()[0]["steps"] == [
        {"name": "Save it", "seconds": 2.0, "began": 98.0, "failed": True, "said": "No Java was found"}
    ]


def test_free_ports_are_different_and_free():
    ports = free_ports(20)
    assert len(set(ports)) == 20
    require_free({str(port): port for port in ports})


def test_a_port_in_use_is_named_with_the_way_out():
    with socket.socket() as one:
        one.bind((HOST, 0))
        one.listen()
        port = one.getsockname()[1]
        with pytest.raises(
            LabError, match=f"Port {port}, which europe's broker is to listen on, is in use.*make lab-down"
        ):
            require_free({"europe's broker": port})


def handshake(authority, certificate, tmp_path):
    """Whether a client that trusts the authority connects to 127.0.0.1 with this certificate."""
    chain = tmp_path / "chain.pem"
    chain.write_text(certificate["key"] + certificate["certificate"])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain)
    with socket.socket() as listener:
        listener.bind((HOST, 0))
        listener.listen()

        def serve():
            other, dummy = listener.accept()
            try:
                context.wrap_socket(other, server_side=True).close()
            except (ssl.SSLError, OSError):
                other.close()

        thread = threading.Thread(target=serve)
        thread.start()
        client = ssl.create_default_context(cadata=authority["certificate"])
        try:
            with socket.create_connection(listener.getsockname()) as one:
                client.wrap_socket(one, server_hostname=HOST).close()
            return True
        except ssl.SSLCertVerificationError:
            return False
        finally:
            thread.join()


def test_a_certificate_is_good_under_its_own_authority_alone(tmp_path):
    ours, theirs = new_authority("ours"), new_authority("ours")
    certificate = new_certificate(ours, "europe-kafka", [HOST, "localhost"])
    assert handshake(ours, certificate, tmp_path)
    assert not handshake(theirs, certificate, tmp_path)
    assert not handshake(ours, new_certificate(ours, "elsewhere", ["elsewhere"]), tmp_path)


@pytest.fixture
def journals(tmp_path):
    produced, processed = (
        open_journal(str(tmp_path / "producer.sqlite"), PRODUCED),
        open_journal(str(tmp_path / "consumer.sqlite"), PROCESSED, COMMITTED),
    )
    calls = [
        ("a", 1, "na", "acknowledged", 1.0),
        ("b", 1, "na", "unknown", 2.0),
        ("b", 2, "eu", "acknowledged", 5.0),
        ("c", 1, "na", "failed", 3.0),
        ("d", 1, "eu", "acknowledged", 6.0),
    ]
    produced.executemany(
        "INSERT INTO produced (id, topic, attempt, region, state, sent_at, answered_at) VALUES (?, 't', ?, ?, ?, 0, ?)",
        calls,
    )
    rows = [("a", "na", 1.5), ("a", "eu", 5.5), ("b", "eu", 7.0), ("d", "eu", 8.0)]
    processed.executemany("INSERT INTO processed (id, topic, region, at) VALUES (?, 't', ?, ?)", rows)
    processed.executemany(
        "INSERT INTO committed (region, asked_at, answered_at) VALUES (?, ?, ?)",
        [("na", 1.6, 1.7), ("eu", 5.6, 5.7), ("eu", 7.1, 7.9)],
    )
    yield Journals(tmp_path)
    produced.close()
    processed.close()


def test_journals_tell_what_was_acknowledged_and_processed(journals):
    assert journals.counts() == {"acknowledged": 3, "unknown": 1, "failed": 1}
    assert journals.acknowledged() == {"a": ("t", 1.0), "b": ("t", 5.0), "d": ("t", 6.0)}
    assert set(journals.acknowledged("na")) == {"a"} and journals.acknowledged_count() == 3
    assert journals.sent_again() == {"b"}
    assert journals.processed_times() == {"a": 2, "b": 1, "d": 1}
    assert (journals.processed_count(), journals.processed_count("eu")) == (4, 3)


def test_journals_tell_what_no_witnessed_commit_covers(journals):
    """A commit counts from when it was asked for, and only where it was answered before the witness looked."""
    found = {seen: journals.processed_after_commit("eu", seen, float("inf")) for seen in (5.0, 5.6, 5.8, 7.5, 8.0)}
    assert found == {5.0: 3, 5.6: 3, 5.8: 2, 7.5: 2, 8.0: 1}
    assert (
        journals.processed_after_commit("eu", 5.8, 7.5) == 1 and journals.processed_after_commit("asia", 9.0, 99.0) == 0
    )


def test_what_a_move_repeats_is_told_from_what_a_consumer_repeats_by_itself(journals):
    writer = sqlite3.connect(journals.processed_file)
    writer.executemany(
        "INSERT INTO processed (id, topic, region, at) VALUES (?, 't', 'na', ?)",
        [("x", 1.1), ("x", 1.2), ("y", 1.3), ("y", 9.0)],
    )
    writer.commit()
    writer.close()
    assert journals.processed_again("na", float("inf")) == {"a"}
    assert journals.processed_again("na", 5.0) == {"a", "y"}


def test_the_first_new_record_is_one_that_was_made_and_processed_in_the_region(journals):
    assert journals.first_new("eu") == 7.0  # a was processed there earlier, but made elsewhere
    assert journals.first_new("asia") is None


def test_journals_not_yet_written_are_empty(tmp_path):
    empty = Journals(tmp_path)
    assert (empty.counts(), empty.acknowledged_count(), empty.processed_count(), empty.first_new("eu")) == (
        {},
        0,
        0,
        None,
    )
    sqlite3.connect(tmp_path / "producer.sqlite").close()
    assert empty.counts() == {}


def test_a_journal_is_its_owner_s_alone(tmp_path):
    open_journal(str(tmp_path / "deep" / "j.sqlite"), PRODUCED).close()
    assert stat.S_IMODE((tmp_path / "deep" / "j.sqlite").stat().st_mode) == 0o600


def test_a_report_passes_only_if_every_check_held(tmp_path):
    report = Report("failover", "host", {"kafka": "4"})
    assert not report.passed  # no check at all is no pass
    report.check("a", True, 0, 0)
    assert report.passed and json.loads(report.write(tmp_path).read_text())["verdict"] == "passed"
    assert report.check("nothing_lost", False, 0, 3) is False
    assert not report.passed and json.loads(report.write(tmp_path).read_text())["verdict"] == "failed"


def test_the_summary_names_the_figures_and_what_did_not_hold():
    report = Report("failover", "host", {})
    report.data.update(
        rto_seconds=12.34,
        rpo={"records": 5, "seconds": 1.5},
        acknowledged=1000,
        processed=990,
        reprocessed={"t": 7},
        duplicates_on_topic={"t": 0},
    )
    report.check("nothing_skipped", False, 0, 3)
    text = report.summary()
    assert (
        "FAILED" in text
        and "RTO            12.3 s" in text
        and "5 records lost of 1,000" in text
        and "1.5 s before the loss" in text
    )
    assert (
        "Re-processed   7 of 990" in text
        and "✘ nothing_skipped: expected 0, found 3" in text
        and "0 of 1 passed" in text
    )


def test_the_summary_shows_what_a_proof_takes_with_and_without_a_watch():
    report = Report("failover", "host", {})
    assert "by a manifest alone" not in report.summary()
    report.data.update(proof_seconds=4.04, proof_seconds_without_watch=12.35)
    assert "after the loss 4.0 s by the watch, 12.3 s by a manifest alone" in report.summary()
