# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""Truststores and keystores as Java has them, turned into the PEM text that one client description holds.

PKCS12 is read with ``cryptography``, but for truststores made by keytool, whose entries carry no key and whose attributes that library ignores,
which is fine: certificates are all that is wanted. JKS is read by keytool, so it needs Java where this runs.
"""

from __future__ import annotations

import os
import shutil
import subprocess

try:
    from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, NoEncryption, PrivateFormat, load_pem_private_key, pkcs12
except ImportError:
    pass

from .._errors import AuthenticationError, FormatError, UsageError

JKS_MAGIC = b"\xfe\xed\xfe\xed"
JCEKS_MAGIC = b"\xce\xce\xce\xce"
PASSWORD_VARIABLE = "KAFKA_DR_STORE_PASSWORD"


def truststore_pem(path, password=None, keytool=None):
    """The certificates of a truststore, as PEM text for ``ssl.ca.pem``.

    :param path: a file in PEM, PKCS12 or JKS; which of them is seen by its first bytes, never by its name.
    :param keytool: path of keytool; without it that of ``JAVA_HOME`` or the search path. For JKS only.
    :raises UsageError: no such file, or no Java for JKS. :raises AuthenticationError: wrong password. :raises FormatError: none of the three.
    """
    data = _read(path)
    if b"-----BEGIN CERTIFICATE-----" in data:
        return _only_certificates(data.decode("ascii", "replace"))
    if data[:4] in (JKS_MAGIC, JCEKS_MAGIC):
        return _by_keytool(path, password, keytool)
    if data[:1] == b"\x30":
        key, certificate, others = _pkcs12(path, data, password)
        found = ([certificate] if certificate is not None and key is None else []) + list(others)
        if not found:
            raise FormatError("The store %s holds no certificate of an authority" % path, expected="a truststore", found="a keystore" if key else "nothing",
                              remedy="Give the truststore, not the client's own keystore", position=0)
        return "".join(one.public_bytes(Encoding.PEM).decode("ascii") for one in found)
    raise FormatError("The file %s is no truststore" % path, expected="PEM, PKCS12 or JKS", found="first bytes %s" % data[:4].hex(), position=0)


def keystore_pem(path, password=None):
    """``{"ssl.certificate.pem": ..., "ssl.key.pem": ...}`` of a client's PKCS12 keystore; the second is a secret.

    The key comes as PKCS#8, which Java and librdkafka both read. The chain follows the certificate.
    """
    key, certificate, others = _pkcs12(path, _read(path), password)
    if key is None or certificate is None:
        raise FormatError("The store %s holds no key with its certificate" % path, expected="a client's keystore", found="a truststore", position=0)
    return {
        "ssl.certificate.pem": "".join(one.public_bytes(Encoding.PEM).decode("ascii") for one in [certificate] + list(others)),
        "ssl.key.pem": key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode("ascii"),
    }


def pkcs8_pem(text, password=None):
    """A private key in any PEM form, as unencrypted PKCS#8: the only one that Kafka's Java client reads (``DefaultSslEngineFactory``)."""
    try:
        key = load_pem_private_key(text.encode("ascii"), password.encode() if password else None)
    except (ValueError, TypeError) as error:
        raise FormatError("The private key cannot be read", expected="PEM, and its password where it has one", position=0) from error
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode("ascii")


def pkcs12_bytes(name, key_pem, certificate_pem, password):
    """A PKCS12 keystore for tools that want one."""
    from cryptography.x509 import load_pem_x509_certificates

    chain = load_pem_x509_certificates(certificate_pem.encode("ascii"))
    key = load_pem_private_key(key_pem.encode("ascii"), None)
    return pkcs12.serialize_key_and_certificates(name.encode(), key, chain[0], chain[1:], BestAvailableEncryption(password.encode()))


def _read(path):
    try:
        with open(path, "rb") as handle:
            return handle.read()
    except OSError as error:
        raise UsageError("The store %s cannot be read" % path, found=error.strerror) from error


def _pkcs12(path, data, password):
    try:
        return pkcs12.load_key_and_certificates(data, password.encode() if password else None)
    except ValueError as error:
        if "password" in str(error).lower() or "mac" in str(error).lower():
            raise AuthenticationError("The store %s does not open" % path, expected="its right password", remedy="Correct the password") from error
        raise FormatError("The store %s cannot be read" % path, expected="PKCS12", found=str(error), position=0) from error


def _only_certificates(text):
    begin, end = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"
    return "".join("%s%s%s\n" % (begin, part.split(end)[0], end) for part in text.split(begin)[1:])


def _by_keytool(path, password, keytool):
    home = os.environ.get("JAVA_HOME")
    tool = keytool or (os.path.join(home, "bin", "keytool") if home else None) or shutil.which("keytool")
    if not tool or not os.access(tool, os.X_OK):
        raise UsageError("The store %s is JKS, which only Java reads" % path, expected="keytool on the search path", found=tool or "none",
                         remedy="Install a Java runtime here, or convert it elsewhere: keytool -importkeystore -deststoretype PKCS12")
    # The password goes by the environment: arguments are visible to every user of the machine.
    command = [tool, "-list", "-rfc", "-keystore", path, "-storetype", "JKS", "-storepass:env", PASSWORD_VARIABLE]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, env={**os.environ, PASSWORD_VARIABLE: password or ""}, check=False)
    except subprocess.TimeoutExpired as error:
        raise UsageError("keytool did not answer for %s" % path, found="60 s") from error
    if done.returncode != 0:
        if "password" in done.stdout + done.stderr:
            raise AuthenticationError("The store %s does not open" % path, expected="its right password", remedy="Correct the password")
        raise FormatError("The store %s cannot be read" % path, expected="JKS", found=(done.stdout or done.stderr).strip()[:200], position=0)
    return _only_certificates(done.stdout)
