# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import datetime
import shutil
import subprocess

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, pkcs12
from cryptography.x509.oid import NameOID

from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._errors import (
    AuthenticationError,
    FormatError,
    UsageError,
)
from ansible_collections.streamsafe.kafka_dr.plugins.module_utils._kafka.truststore import keystore_pem, truststore_pem


@pytest.fixture(scope="module")
def pair():
    key = rsa.generate_private_key(65537, 2048)
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "authority")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(7)
        .not_valid_before(now)
        .not_valid_after(now + datetime.timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    return key, certificate, certificate.public_bytes(Encoding.PEM).decode()


def test_pem_stays_and_everything_around_it_goes(pair, tmp_path):
    (tmp_path / "ca.pem").write_text("Bag Attributes\n" + pair[2] + "noise\n" + pair[2])
    assert truststore_pem(str(tmp_path / "ca.pem")) == pair[2] + pair[2]


def test_pkcs12_truststore(pair, tmp_path):
    data = pkcs12.serialize_key_and_certificates(None, None, None, [pair[1]], BestAvailableEncryption(b"secret"))
    (tmp_path / "ca.p12").write_bytes(data)
    assert truststore_pem(str(tmp_path / "ca.p12"), "secret") == pair[2]
    with pytest.raises(AuthenticationError, match="does not open") as caught:
        truststore_pem(str(tmp_path / "ca.p12"), "hunter2")
    assert "hunter2" not in str(caught.value)


def test_pkcs12_keystore(pair, tmp_path):
    data = pkcs12.serialize_key_and_certificates(b"me", pair[0], pair[1], None, BestAvailableEncryption(b"secret"))
    (tmp_path / "me.p12").write_bytes(data)
    made = keystore_pem(str(tmp_path / "me.p12"), "secret")
    assert made["ssl.certificate.pem"] == pair[2] and made["ssl.key.pem"].startswith("-----BEGIN PRIVATE KEY-----")
    with pytest.raises(FormatError, match="authority"):
        truststore_pem(str(tmp_path / "me.p12"), "secret")


def test_jks_without_java_says_what_to_do(tmp_path):
    (tmp_path / "ca.jks").write_bytes(b"\xfe\xed\xfe\xed\x00\x00\x00\x02")
    with pytest.raises(UsageError, match="Install a Java runtime"):
        truststore_pem(str(tmp_path / "ca.jks"), "secret", keytool=str(tmp_path / "absent"))


@pytest.mark.skipif(shutil.which("keytool") is None, reason="no Java here")
@pytest.mark.parametrize("kind", ["JKS", "PKCS12"])
def test_what_keytool_made(pair, tmp_path, kind):
    (tmp_path / "ca.pem").write_text(pair[2])
    subprocess.run(
        [
            "keytool",
            "-importcert",
            "-noprompt",
            "-alias",
            "ca",
            "-file",
            str(tmp_path / "ca.pem"),
            "-keystore",
            str(tmp_path / "store"),
            "-storetype",
            kind,
            "-storepass",
            "storepass",
        ],
        check=True,
        capture_output=True,
    )
    assert truststore_pem(str(tmp_path / "store"), "storepass").split() == pair[2].split()
    with pytest.raises(AuthenticationError):
        truststore_pem(str(tmp_path / "store"), "wrongpass")


@pytest.mark.parametrize("data", [b"", b"hello", b"\x30\x03\x02\x01\x03"])
def test_what_is_no_store_is_refused(tmp_path, data):
    (tmp_path / "x").write_bytes(data)
    with pytest.raises(FormatError):
        truststore_pem(str(tmp_path / "x"))
