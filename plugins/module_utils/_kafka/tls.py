# SPDX-License-Identifier: GPL-3.0-or-later
"""The TLS context of a client description in librdkafka's keys."""

from __future__ import annotations

import os
import ssl
from collections.abc import Mapping
from typing import Any

from .._connect.private_file import private_file
from .._errors import UsageError

NOT_TRUE = ("false", "f", "0")


def tls_context(config: Mapping[str, Any]) -> ssl.SSLContext:
    """The ``SSLContext`` that trusts and shows what a librdkafka configuration says; hosts are verified unless it says
    otherwise.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if str(config.get("ssl.endpoint.identification.algorithm", "https")).lower() == "none":
        context.check_hostname = False
    if str(config.get("enable.ssl.certificate.verification", True)).lower() in NOT_TRUE:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    place = config.get("ssl.ca.location")
    try:
        if config.get("ssl.ca.pem"):
            context.load_verify_locations(cadata=config["ssl.ca.pem"])
        elif place and place != "probe":
            context.load_verify_locations(**{"capath" if os.path.isdir(place) else "cafile": place})
        else:
            context.load_default_certs()
    except (OSError, ValueError, TypeError) as error:
        raise UsageError(
            "ssl.ca.pem or ssl.ca.location of a client is not a certificate authority in PEM", found=str(error)
        ) from error
    _show_certificate(context, config)
    return context


def _show_certificate(context: ssl.SSLContext, config: Mapping[str, Any]) -> None:
    pem = [config[key] for key in ("ssl.certificate.pem", "ssl.key.pem") if config.get(key)]
    # Without a password OpenSSL would ask for one at the terminal.
    password = config.get("ssl.key.password") or ""
    try:
        if config.get("ssl.certificate.pem"):
            with private_file("\n".join(pem)) as path:
                context.load_cert_chain(path, None if len(pem) == 2 else config.get("ssl.key.location"), password)
        elif config.get("ssl.certificate.location"):
            with private_file(config.get("ssl.key.pem") or "") as path:
                context.load_cert_chain(
                    config["ssl.certificate.location"],
                    path if config.get("ssl.key.pem") else config.get("ssl.key.location"),
                    password,
                )
    except (OSError, ValueError) as error:
        raise UsageError(
            "The client's certificate and key are not valid",
            found=str(error),
            remedy="Correct ssl.certificate.pem, ssl.key.pem and ssl.key.password",
        ) from error
