# SPDX-License-Identifier: GPL-3.0-or-later
"""One description of a client, said to kafka-python."""

from __future__ import annotations

import socket
import ssl
import stat
import tempfile
import threading
from pathlib import Path

import pytest

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import AuthenticationError, UsageError
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.oauth import ClientCredentials
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.python_client import refused
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.python_settings import settings
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.tls import tls_context
from kafka_dr_lab.pki import new_authority, new_certificate
from tests.support.module_runs import run_module_file

SERVERS = {"bootstrap.servers": "SASL_SSL://one:9093, two:9093"}
SCRAM = {
    **SERVERS,
    "security.protocol": "sasl_ssl",
    "sasl.mechanism": "SCRAM-SHA-512",
    "sasl.username": "a=b,c",
    "sasl.password": "hush-hush-42",
}
AUTHORITY = new_authority("test CA")
SERVER = new_certificate(AUTHORITY, "server", ["localhost"])


def test_plaintext_is_the_default_and_needs_nothing():
    made = settings({"bootstrap.servers": "one:9092,[::1]:9092"}, 7)
    assert made["bootstrap_servers"] == ["one:9092", "[::1]:9092"] and made["security_protocol"] == "PLAINTEXT"
    assert made["request_timeout_ms"] == made["bootstrap_timeout_ms"] == 7000
    assert not [key for key in made if key.startswith(("ssl_", "sasl_"))]


def test_scram_over_tls():
    made = settings({**SCRAM, "ssl.ca.pem": AUTHORITY["certificate"]}, 30)
    assert made["bootstrap_servers"] == ["one:9093", "two:9093"] and made["security_protocol"] == "SASL_SSL"
    assert (
        made["sasl_mechanism"] == "SCRAM-SHA-512"
        and made["sasl_plain_username"] == "a=3Db=2Cc"
        and made["sasl_plain_password"] == "hush-hush-42"
    )
    context = made["ssl_context"]
    assert context.check_hostname and context.verify_mode == ssl.CERT_REQUIRED and len(context.get_ca_certs()) == 1


def test_a_name_is_sent_as_it_is_where_it_is_no_scram():
    assert (
        settings({**SCRAM, "security.protocol": "SASL_PLAINTEXT", "sasl.mechanism": "PLAIN"}, 30)["sasl_plain_username"]
        == "a=b,c"
    )


@pytest.mark.parametrize(
    "change, said",
    [
        ({"security.protocol": "TLS"}, "security.protocol of a client is not known"),
        ({"sasl.mechanism": "GSSAPI"}, "SASL GSSAPI cannot be used"),
        ({"sasl.mechanism": None}, "SASL GSSAPI cannot be used"),
        ({"sasl.mechanism": "OAUTHBEARER"}, "OAUTHBEARER cannot be used"),
        (
            {"sasl.mechanism": "OAUTHBEARER", "sasl.oauthbearer.method": "oidc"},
            "expected sasl.oauthbearer.client.id, sasl.oauthbearer.client.secret",
        ),
        ({"sasl.password": ""}, "expected sasl.password"),
        ({"ssl.keystore.location": "/there.p12"}, "ssl.keystore.location of a client is not understood"),
        ({"sasl.kerberos.keytab": "/there"}, "sasl.kerberos.keytab of a client"),
        ({"ssl.ca.pem": "no certificate"}, "not a certificate authority in PEM"),
        ({"ssl.ca.location": "/not/there"}, "not a certificate authority in PEM"),
        ({"ssl.certificate.pem": "no certificate"}, "certificate and key are not valid"),
    ],
)
def test_what_cannot_be_said_is_refused_without_the_password(change, said):
    with pytest.raises(UsageError, match=said) as caught:
        settings({**SCRAM, **change}, 30)
    assert "hush" not in str(caught.value)


def test_verification_is_off_only_where_the_client_says_so():
    assert (
        tls_context({}).check_hostname
        and tls_context({"ssl.endpoint.identification.algorithm": "https"}).check_hostname
    )
    named = tls_context({"ssl.endpoint.identification.algorithm": "none"})
    assert not named.check_hostname and named.verify_mode == ssl.CERT_REQUIRED
    assert tls_context({"enable.ssl.certificate.verification": "false"}).verify_mode == ssl.CERT_NONE


def shaken(client, server, name="localhost"):
    """The certificate that the server saw of the client, or the error of the client."""
    ours, theirs = socket.socketpair()
    seen = {}

    def serve():
        try:
            with server.wrap_socket(theirs, server_side=True) as one:
                one.recv(1)
                seen["peer"] = one.getpeercert() or "no certificate"
        except OSError as error:
            seen["error"] = error

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        with client.wrap_socket(ours, server_hostname=name) as one:
            one.send(b"x")
    except ssl.SSLError as error:
        return error
    finally:
        ours.close()
        thread.join(10)
    return seen["peer"]


@pytest.fixture(name="server")
def _server(tmp_path):
    (tmp_path / "server.pem").write_text(SERVER["certificate"] + SERVER["key"])
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "server.pem")
    context.load_verify_locations(cadata=AUTHORITY["certificate"])
    context.verify_mode = ssl.CERT_OPTIONAL
    return context


def test_the_authority_and_the_name_of_a_server_are_verified(server, tmp_path):
    (tmp_path / "ca.pem").write_text(AUTHORITY["certificate"])
    assert shaken(tls_context({"ssl.ca.pem": AUTHORITY["certificate"]}), server) == "no certificate"
    assert shaken(tls_context({"ssl.ca.location": str(tmp_path / "ca.pem")}), server) == "no certificate"
    assert "certificate verify failed" in str(
        shaken(tls_context({"ssl.ca.pem": new_authority("other")["certificate"]}), server)
    )
    assert "Hostname mismatch" in str(
        shaken(tls_context({"ssl.ca.pem": AUTHORITY["certificate"]}), server, "example.org")
    )
    anyone = tls_context({"ssl.ca.pem": AUTHORITY["certificate"], "ssl.endpoint.identification.algorithm": "none"})
    assert shaken(anyone, server, "example.org") == "no certificate"


@pytest.mark.parametrize("how", ["pem", "files", "mixed"])
def test_a_client_s_certificate_is_shown_and_no_file_is_left(server, tmp_path, monkeypatch, how):
    used = tmp_path / "used"
    used.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(used))
    modes, load = [], ssl.SSLContext.load_cert_chain

    def watched(self, *words):
        modes.extend(stat.S_IMODE(path.stat().st_mode) for path in used.iterdir())
        return load(self, *words)

    monkeypatch.setattr(ssl.SSLContext, "load_cert_chain", watched)
    mine = new_certificate(AUTHORITY, "departures", ["localhost"])
    for name in ("certificate", "key"):
        (tmp_path / name).write_text(mine[name])
    config = (
        {"ssl.certificate.pem": mine["certificate"]}
        if how == "pem"
        else {"ssl.certificate.location": str(tmp_path / "certificate")}
    )
    config.update({"ssl.key.location": str(tmp_path / "key")} if how == "files" else {"ssl.key.pem": mine["key"]})
    peer = shaken(tls_context({"ssl.ca.pem": AUTHORITY["certificate"], **config}), server)
    assert (("commonName", "departures"),) in peer["subject"]
    assert modes == [0o600] and not list(Path(used).iterdir())


def test_a_key_with_a_password(server):
    from cryptography.hazmat.primitives import serialization as form

    mine = new_certificate(AUTHORITY, "departures", ["localhost"])
    key = form.load_pem_private_key(mine["key"].encode(), None)
    locked = key.private_bytes(
        form.Encoding.PEM, form.PrivateFormat.PKCS8, form.BestAvailableEncryption(b"hush-hush-42")
    ).decode()
    config = {"ssl.ca.pem": AUTHORITY["certificate"], "ssl.certificate.pem": mine["certificate"], "ssl.key.pem": locked}
    assert shaken(tls_context({**config, "ssl.key.password": "hush-hush-42"}), server)
    # Without one nobody is asked at the terminal.
    with pytest.raises(UsageError, match="not valid"):
        tls_context(config)


def test_a_token_that_is_not_given_is_told():
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = "http://127.0.0.1:%d/token" % nobody.getsockname()[1]
        given = {
            "client.id": "me",
            "client.secret": "hush-hush-42",
            "token.endpoint.url": url,
            "extensions": "logicalCluster=lkc-1, poolId=2",
        }
        provider = ClientCredentials({"sasl.oauthbearer." + key: value for key, value in given.items()}, 5)
        assert provider.extensions() == {"logicalCluster": "lkc-1", "poolId": "2"}
        with pytest.raises(AuthenticationError, match="No token from " + url) as caught:
            provider.token()
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize("code, kind", [(0, None), (31, "authorization"), (42, "error"), (9999, "error")])
def test_an_answer_s_code_is_told_apart(code, kind):
    class Client:
        name, config = "europe", {"sasl.username": "kdr-stages"}

    error = refused(Client, code, None, "describe client quotas", "DESCRIBE_CONFIGS")
    assert getattr(error, "kind", None) == kind
    if kind == "authorization":
        assert "Give the principal kdr-stages the ACL DESCRIBE_CONFIGS on resource cluster" in str(error)


@pytest.mark.parametrize(
    "name, words, missing",
    [
        ("client_quotas", {"quotas": []}, True),
        ("cluster_info", {"read": ["topics", "quotas"]}, True),
        ("cluster_info", {"read": ["topics"]}, False),
    ],
)
def test_the_library_is_asked_for_where_quotas_are_and_nowhere_else(tmp_path, name, words, missing):
    # As with a kafka-python of before version 3, or another package of that name.
    (tmp_path / "kafka").mkdir()
    (tmp_path / "kafka" / "__init__.py").write_text("")
    given = {"client": {"bootstrap.servers": "127.0.0.1:1"}, "timeout": 3, "allow_unreachable": True, **words}
    if name == "client_quotas":
        del given["allow_unreachable"]
    told, dummy = run_module_file(name, given, first_on_path=str(tmp_path))
    assert told.get("failed", False) is missing, told
    assert ("Python library (kafka-python, version 3)" in told.get("msg", "")) is missing
