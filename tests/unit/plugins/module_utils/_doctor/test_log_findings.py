# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import time

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._doctor.log_catalogue import CATALOGUE
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._doctor.log_findings import log_findings

LINES = {
    "unknown-topic": "[x] WARN [Producer] Error while fetching metadata: {orders=UNKNOWN_TOPIC_OR_PARTITION}\n" * 3,
    "not-authorized-topic": "ERROR org.apache.kafka.common.errors.TopicAuthorizationException: Not authorized to access topics: [orders]",
    "not-authorized-group": "ERROR org.apache.kafka.common.errors.GroupAuthorizationException: Not authorized to access group: a-mm2",
    "not-authorized-cluster": "ERROR org.apache.kafka.common.errors.ClusterAuthorizationException: Cluster authorization failed.",
    "not-authorized-transaction": "ERROR org.apache.kafka.common.errors.TransactionalIdAuthorizationException: Transactional Id authorization failed.",
    "tls-untrusted": "Caused by: sun.security.validator.ValidatorException: PKIX path building failed: unable to find valid certification path",
    "tls-name": "Caused by: java.security.cert.CertificateException: No subject alternative names matching IP address 10.0.0.1 found",
    "tls-mismatch": "WARN SSL handshake failed: javax.net.ssl.SSLException: Unsupported or unrecognized SSL message",
    "tls-handshake": "ERROR SslAuthenticationException: SSL handshake failed",
    "truststore": "Caused by: java.io.IOException: keystore password was incorrect",
    "sasl-refused": "ERROR SaslAuthenticationException: Authentication failed due to invalid credentials with SASL mechanism SCRAM-SHA-512",
    "sasl-mechanism": "ERROR Client SASL mechanism 'PLAIN' not enabled in the server, enabled mechanisms are [SCRAM-SHA-512] UnsupportedSaslMechanismException",
    "record-too-large": "ERROR org.apache.kafka.common.errors.RecordTooLargeException: The message is 2000095 bytes when serialized",
    "rebalances": "[main] WARN [Worker clientId=a, groupId=b] (Re-)joining group\n" * 7,
    "plugin-missing": "ERROR Caused by: java.lang.ClassNotFoundException: com.example.Policy",
    "leader-missing": "WARN Error while fetching metadata: {orders=LEADER_NOT_AVAILABLE}\n" * 6,
    "name-not-resolved": "WARN Couldn't resolve server kafka:9092 from bootstrap.servers as DNS resolution failed for kafka",
    "log-directory": "ERROR Could not create directory /var/log/mirror: Permission denied",
    "flush-timed-out": "ERROR WorkerSourceTask{id=x-0} Failed to flush, timed out while waiting for producer to flush outstanding 12 messages",
    "timed-out": "ERROR org.apache.kafka.common.errors.TimeoutException: Timed out waiting for a node assignment.\n"
    * 3,
    "group-sync-blocked": "WARN Unable to sync offsets for consumer group orders. This is likely caused by consumers "
    "currently using this group in the target cluster.",
    "group-sync-failed": "ERROR Unable to sync offsets for consumer group orders.",
    "overtaken": "INFO x\nWARN Fetch position FetchPosition{offset=5} is out of range for partition orders-0, resetting offset",
    "memory": "ERROR java.lang.OutOfMemoryError: Java heap space",
    "replication-factor": "ERROR InvalidReplicationFactorException: Unable to replicate the partition 3 time(s): 1 broker(s)",
    "disk-full": "ERROR java.io.IOException: No space left on device",
    "port-in-use": "Caused by: java.net.BindException: Address already in use",
    "jaas": "ERROR KafkaException: javax.security.auth.login.LoginException: JAAS config is not right",
}


@pytest.mark.parametrize("name", sorted(LINES))
def test_each_cause_is_named(name):
    found = log_findings(LINES[name])
    assert [one["cause_id"] for one in found] == [name], found
    assert found[0]["cause"] and found[0]["remedy"] and found[0]["count"] >= 1


def test_every_entry_tells_cause_and_remedy_and_names_are_unique():
    assert len({one.name for one in CATALOGUE}) == len(CATALOGUE)
    assert all(one.cause and one.remedy and one.severity in ("error", "warning") for one in CATALOGUE)


def test_what_is_normal_for_moments_is_no_finding():
    assert (
        log_findings("WARN Error while fetching metadata: {orders=LEADER_NOT_AVAILABLE}\nWARN x (Re-)joining group\n")
        == []
    )


def test_a_healthy_log_says_nothing():
    assert (
        log_findings(
            "[main] WARN org.apache.kafka.connect.runtime.isolation.Plugins - All plugins have ServiceLoader manifests, consider reconfiguring\n"
            "[main] INFO Kafka version: 4.3.1\n[x] INFO Successfully joined group\n"
        )
        == []
    )


def test_lines_are_counted_and_placed_and_stack_traces_do_not_count():
    text = "INFO fine\nERROR java.lang.OutOfMemoryError: Java heap space\n\tat a.OutOfMemoryError.b(C.java:1)\nINFO\nERROR OutOfMemoryError\n"
    assert [(one["count"], one["first_line"], one["last_line"]) for one in log_findings(text)] == [(2, 2, 5)]


def test_secrets_in_a_line_are_blotted_out():
    sample = log_findings(
        'ERROR ConfigException: Invalid value x password="hunter2" for configuration sasl.jaas.config'
    )[0]["sample"]
    assert "hunter2" not in sample and "(hidden)" in sample


def test_errors_come_before_warnings():
    text = LINES["flush-timed-out"].replace("ERROR", "WARN") + "\n" + LINES["memory"]
    assert [one["severity"] for one in log_findings(text)] == ["error", "warning"]


def test_a_precise_cause_takes_the_place_of_a_vague_one():
    text = LINES["tls-handshake"] + "\n" + LINES["tls-name"]
    assert [one["cause_id"] for one in log_findings(text)] == ["tls-name"]


def test_one_time_out_counts_where_it_ended_the_mirror():
    text = "ERROR MirrorMaker - Stopping due to error\nCaused by: org.apache.kafka.common.errors.TimeoutException: Timed out waiting for a node assignment."
    assert {one["cause_id"] for one in log_findings(text)} == {"task-failed", "timed-out"}


@pytest.mark.parametrize(
    "word", ["mkdir", "cannot create", "out of range", "commit of offsets ", "member ", "Failed to load"]
)
def test_a_long_line_of_somebody_elses_is_read_in_no_time(word):
    # Names of groups stand in logs, and have up to 32,767 characters.
    began = time.process_time()
    log_findings((word * (32767 // len(word)) + "\n") * 20)
    assert time.process_time() - began < 2
