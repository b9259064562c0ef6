# SPDX-License-Identifier: GPL-3.0-or-later
"""Truststores and keystores as Java has them, turned into the PEM text that one client description holds.

``cryptography`` reads PKCS12. It ignores the attributes of entries in truststores made by keytool, of which only the
certificates are needed. keytool reads JKS, so JKS needs Java where this runs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import Any

try:
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, pkcs12
except ImportError:
    pass

from .._errors import AuthenticationError, FormatError, UsageError

JKS_MAGIC = b"\xfe\xed\xfe\xed"
JCEKS_MAGIC = b"\xce\xce\xce\xce"
PASSWORD_VARIABLE = "KAFKA_DR_STORE_PASSWORD"


def truststore_pem(path: str, password: str | None = None, keytool: str | None = None) -> str:
    """The certificates of a truststore, as PEM text for ``ssl.ca.pem``.

    :param path: a file in PEM, PKCS12 or JKS; which of them is seen by its first bytes, never by its name.
    :param keytool: path of keytool; without it that of ``JAVA_HOME`` or the search path. For JKS only.
    :raises UsageError: no such file, or no Java for JKS. :raises AuthenticationError: wrong password. :raises
        FormatError: none of the three.
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
            raise FormatError(
                f"The store {path} holds no certificate of an authority",
                expected="a truststore",
                found="a keystore" if key else "nothing",
                remedy="Give the truststore, not the client's own keystore",
                position=0,
            )
        return "".join(_pem(authority) for authority in found)
    raise FormatError(
        f"The file {path} is no truststore",
        expected="PEM, PKCS12 or JKS",
        found=f"first bytes {data[:4].hex()}",
        position=0,
    )


def keystore_pem(path: str, password: str | None = None) -> dict[str, str]:
    """``{"ssl.certificate.pem": ..., "ssl.key.pem": ...}`` of a client's PKCS12 keystore; the second is a secret.

    The key comes as PKCS#8, which Java and librdkafka both read. The chain follows the certificate.
    """
    key, certificate, others = _pkcs12(path, _read(path), password)
    if key is None or certificate is None:
        raise FormatError(
            f"The store {path} holds no key with its certificate",
            expected="a client's keystore",
            found="a truststore",
            position=0,
        )
    return {
        "ssl.certificate.pem": "".join(_pem(link) for link in [certificate, *others]),
        "ssl.key.pem": key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode("ascii"),
    }


def _pem(certificate: Any) -> str:
    return certificate.public_bytes(Encoding.PEM).decode("ascii")


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as handle:
            return handle.read()
    except OSError as error:
        raise UsageError(f"The store {path} cannot be read", found=error.strerror) from error


def _pkcs12(path: str, data: bytes, password: str | None) -> tuple[Any, Any, list[Any]]:
    try:
        return pkcs12.load_key_and_certificates(data, password.encode() if password else None)
    except ValueError as error:
        if "password" in str(error).lower() or "mac" in str(error).lower():
            raise AuthenticationError(
                f"The store {path} does not open", expected="its right password", remedy="Correct the password"
            ) from error
        raise FormatError(
            f"The store {path} cannot be read", expected="PKCS12", found=str(error), position=0
        ) from error


def _only_certificates(text: str) -> str:
    begin, end = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"
    return "".join(f"{begin}{part.split(end)[0]}{end}\n" for part in text.split(begin)[1:])


def _by_keytool(path: str, password: str | None, keytool: str | None) -> str:
    home = os.environ.get("JAVA_HOME")
    tool = keytool or (os.path.join(home, "bin", "keytool") if home else None) or shutil.which("keytool")
    if not tool or not os.access(tool, os.X_OK):
        raise UsageError(
            f"The store {path} is JKS, which only Java reads",
            expected="keytool on the search path",
            found=tool or "none",
            remedy=(
                "Install a Java runtime here, or convert it elsewhere: keytool -importkeystore -deststoretype PKCS12"
            ),
        )
    # The password goes by the environment: arguments are visible to every user of the machine.
    command = [tool, "-list", "-rfc", "-keystore", path, "-storetype", "JKS", "-storepass:env", PASSWORD_VARIABLE]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=60,
            env={**os.environ, PASSWORD_VARIABLE: password or ""},
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise UsageError(f"keytool did not answer for {path}", found="60 s") from error
    if done.returncode != 0:
        if "password" in done.stdout + done.stderr:
            raise AuthenticationError(
                f"The store {path} does not open", expected="its right password", remedy="Correct the password"
            )
        raise FormatError(
            f"The store {path} cannot be read",
            expected="JKS",
            found=(done.stdout or done.stderr).strip()[:200],
            position=0,
        )
    return _only_certificates(done.stdout)
