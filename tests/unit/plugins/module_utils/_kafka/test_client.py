# SPDX-License-Identifier: GPL-3.0-or-later
"""What librdkafka says, told apart."""

from __future__ import annotations

import concurrent.futures
import socket
import threading
import time
from types import SimpleNamespace

import pytest
from confluent_kafka import KafkaError, KafkaException

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import (
    AuthenticationError,
    AuthorizationError,
    KafkaDrError,
    TimedOutError,
    UnreachableError,
    UsageError,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.client import KafkaClient
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.offsets import topic_offsets
from kafka_dr_lab.ports import free_ports

pytestmark = pytest.mark.slow

PASSWORD = "hush-hush-42"


def client(port=1, **config):
    return KafkaClient(
        {"bootstrap.servers": f"127.0.0.1:{port}", "sasl.username": "u", **config},
        {"sasl.password": PASSWORD},
        timeout=2,
        name="europe",
    )


def waited(servers, timeout=20):
    """Seconds until the error, and the error."""
    began = time.monotonic()
    with pytest.raises(KafkaDrError) as caught:
        KafkaClient({"bootstrap.servers": servers}, timeout=timeout).metadata()
    return time.monotonic() - began, caught.value


def test_where_every_address_refuses_the_timeout_is_not_waited_for():
    seconds, error = waited(",".join(f"127.0.0.1:{port}" for port in free_ports(2)))
    assert error.__class__ is UnreachableError and "Connection refused" in str(error) and seconds < 10


def test_one_address_that_may_still_answer_is_waited_for():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        seconds, error = waited(f"127.0.0.1:{free_ports(1)[0]},127.0.0.1:{listener.getsockname()[1]}", timeout=4)
    assert isinstance(error, (UnreachableError, TimedOutError)) and seconds >= 3.5


def test_what_was_refused_before_and_not_lately_is_no_reason_to_give_up():
    refused = KafkaError(
        KafkaError._TRANSPORT, "127.0.0.1:1/bootstrap: Connect to ipv4#127.0.0.1:1 failed: Connection refused"
    )
    one = client()
    one.heard = [refused, KafkaError(KafkaError._ALL_BROKERS_DOWN, "1/1 brokers are down")]
    assert one._hopeless([], "read") is None and one._hopeless([refused], "read").__class__ is UnreachableError
    assert (
        one._hopeless([refused, KafkaError(KafkaError._TRANSPORT, "Disconnected while requesting ApiVersion")], "read")
        is None
    )
    assert one._hopeless([KafkaError(KafkaError._AUTHENTICATION, "no")], "read").__class__ is AuthenticationError


def told(code, text, heard=()):
    one = client()
    one.heard = list(heard)
    return one.translate(KafkaException(KafkaError(code, text)), "read metadata")


@pytest.mark.parametrize(
    "config", [{}, {"security.protocol": "SASL_SSL", "sasl.mechanism": "SCRAM-SHA-512"}, {"security.protocol": "SSL"}]
)
def test_a_closed_port_is_unreachable_whatever_the_protocol(config):
    (port,) = free_ports(1)
    with pytest.raises(UnreachableError) as caught:
        client(port, **config).metadata()
    assert f"127.0.0.1:{port}" in str(caught.value) and PASSWORD not in str(caught.value) and caught.value.remedy


def test_a_name_that_nobody_has_is_unreachable():
    with pytest.raises(UnreachableError):
        KafkaClient({"bootstrap.servers": "nobody.invalid:9092"}, timeout=2).metadata()


def test_somebody_who_never_answers_is_a_timeout_or_unreachable_but_no_wrong_password():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        with pytest.raises((TimedOutError, UnreachableError)):
            client(listener.getsockname()[1]).metadata()


def test_somebody_who_speaks_no_tls_is_no_trusted_connection():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        ended = threading.Event()

        def speak():
            while not ended.is_set():
                try:
                    other, dummy = listener.accept()
                    other.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                    other.close()
                except OSError:
                    return

        thread = threading.Thread(target=speak, daemon=True)
        thread.start()
        with pytest.raises(AuthenticationError, match="No trusted TLS connection"):
            client(listener.getsockname()[1], **{"security.protocol": "SSL"}).metadata()
        ended.set()


def test_connect_failed_behind_sasl_ssl_is_unreachable_not_authentication():
    text = (
        "sasl_ssl://127.0.0.1:9093/bootstrap: Connect to ipv4#127.0.0.1:9093 failed: "
        "Connection refused (after 0ms in state CONNECT)"
    )
    for error in (
        told(KafkaError._TRANSPORT, text),
        told(KafkaError._TIMED_OUT, "timed out", [KafkaError(KafkaError._TRANSPORT, text)]),
        told(KafkaError._TIMED_OUT, "timed out", [KafkaError(KafkaError._ALL_BROKERS_DOWN, "1/1 brokers are down")]),
    ):
        assert error.__class__ is UnreachableError


def test_the_reason_behind_a_timeout_is_what_counts():
    refused = told(
        KafkaError._TIMED_OUT,
        "timed out",
        [
            KafkaError(KafkaError._ALL_BROKERS_DOWN, "1/1 brokers are down"),
            KafkaError(KafkaError._AUTHENTICATION, "Authentication failed during authentication"),
        ],
    )
    assert refused.__class__ is AuthenticationError and "password of u" in str(refused) and PASSWORD not in str(refused)
    untrusted = told(KafkaError._TIMED_OUT, "timed out", [KafkaError(KafkaError._SSL, "certificate verify failed")])
    assert untrusted.__class__ is AuthenticationError and "ssl.ca.pem" in str(untrusted)


BROKEN_HANDSHAKE = (
    "GroupCoordinator: SASL SCRAM-SHA-512 mechanism handshake failed: Local: Broker transport failure: "
    "broker's supported mechanisms: (n/a) (after 0ms in state DOWN)"
)


def test_a_broker_s_answer_is_not_replaced_by_what_another_connection_said():
    answer = told(
        KafkaError.UNKNOWN_TOPIC_OR_PART,
        "no such topic",
        [KafkaError(KafkaError._AUTHENTICATION, "Authentication failed"), KafkaError(KafkaError._SSL, "certificate")],
    )
    assert answer.__class__ is KafkaDrError and answer.facts["code"] == "UNKNOWN_TOPIC_OR_PART"


def test_a_connection_that_broke_in_the_handshake_is_no_wrong_password():
    broken = KafkaError(KafkaError._AUTHENTICATION, BROKEN_HANDSHAKE)
    assert told(KafkaError._TIMED_OUT, "timed out", [broken]).__class__ is UnreachableError
    assert told(KafkaError._AUTHENTICATION, BROKEN_HANDSHAKE).__class__ is UnreachableError
    one = KafkaClient({"bootstrap.servers": "127.0.0.1:1"})
    assert one._hopeless([broken], "read") is None


def test_a_mere_timeout_stays_one():
    assert told(KafkaError._TIMED_OUT, "timed out").__class__ is TimedOutError


@pytest.mark.parametrize("code", [KafkaError.TOPIC_AUTHORIZATION_FAILED, KafkaError.CLUSTER_AUTHORIZATION_FAILED])
def test_what_is_not_allowed_names_the_principal(code):
    error = told(code, "not allowed")
    assert error.__class__ is AuthorizationError and "principal u" in str(error)


def test_anything_else_keeps_its_code():
    error = told(KafkaError.INVALID_PARTITIONS, "no")
    assert error.__class__ is KafkaDrError and error.facts["code"] == "INVALID_PARTITIONS"


@pytest.mark.parametrize(
    "config, found", [({}, "no bootstrap.servers"), ({"bootstrap.servers": "b:1", "no.such.key": "x"}, "no.such.key")]
)
def test_a_description_that_is_no_client_is_told_at_once(config, found):
    with pytest.raises(KafkaDrError, match=found):
        KafkaClient(config).metadata()
    if not config:
        with pytest.raises(UsageError):
            KafkaClient(config)


def answers(one, *codes):
    """A call that is refused with these codes, and then answered."""
    left = list(codes)

    def call():
        if left:
            raise one.translate(KafkaException(KafkaError(left.pop(0))), "list the end of topic orders")
        return "answered"

    return call


def test_a_leader_that_changes_is_waited_for(monkeypatch):
    one, asked = client(), []
    monkeypatch.setattr(one, "metadata", lambda: asked.append(1))
    changing = answers(one, KafkaError.FENCED_LEADER_EPOCH, KafkaError.NOT_LEADER_FOR_PARTITION)
    assert one.while_leaders_change(changing) == "answered" and len(asked) == 2
    assert (
        one.while_leaders_change(answers(one, KafkaError.UNKNOWN_TOPIC_OR_PART), also=("UNKNOWN_TOPIC_OR_PART",))
        == "answered"
    )


def test_nothing_else_is_waited_for_and_no_leader_for_ever(monkeypatch):
    one = client()
    monkeypatch.setattr(one, "metadata", lambda: None)
    with pytest.raises(KafkaDrError, match="Unknown topic"):
        one.while_leaders_change(answers(one, KafkaError.UNKNOWN_TOPIC_OR_PART))
    one.timeout = 0.5
    with pytest.raises(KafkaDrError, match="Leader epoch is older"):
        one.while_leaders_change(answers(one, *[KafkaError.FENCED_LEADER_EPOCH] * 99))


class Leaderless:
    """An admin client whose first answer comes from a broker that has just ceased to lead; a real one cannot be caught
    in that moment.
    """

    def __init__(self):
        self.asked = 0

    def poll(self, timeout):
        return 0

    def list_offsets(self, partitions, **how):
        self.asked += 1
        made = {}
        for one in partitions:
            made[one] = future = concurrent.futures.Future()
            if self.asked == 1 and one.partition == 1:
                future.set_exception(KafkaException(KafkaError(KafkaError.NOT_LEADER_FOR_PARTITION)))
            else:
                future.set_result(SimpleNamespace(offset=10 * self.asked + one.partition))
        return made


def test_offsets_wait_for_a_leader(monkeypatch):
    one = client()
    one._admin, one._answered = Leaderless(), True
    monkeypatch.setattr(one, "metadata", lambda: None)
    found = topic_offsets(one, {"t": 2, "empty": 0})
    assert found == {
        "t": {"0": {"start": 20, "end": 30, "stable": 40}, "1": {"start": 21, "end": 31, "stable": 41}},
        "empty": {},
    }
