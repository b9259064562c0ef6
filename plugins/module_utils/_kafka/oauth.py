# SPDX-License-Identifier: GPL-3.0-or-later
"""Tokens for SASL OAUTHBEARER, as librdkafka's method ``oidc`` gets them."""

from __future__ import annotations

import base64
import json
import urllib.parse
import urllib.request
from collections.abc import Mapping
from typing import Any, NoReturn

try:
    from kafka.net.sasl.oauth import AbstractTokenProvider as TokenProvider
except ImportError:
    # The modules report what is missing; this stands where the class below needs a name.
    TokenProvider = object

from .._errors import AuthenticationError, UsageError
from .._values.client_secrets import checked_endpoint
from .tls import tls_context


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """The inventory says where the secret goes, not the server that answers."""

    def redirect_request(self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> NoReturn:
        raise OSError(f"status {code}, a redirect, which is not followed: give the address that answers itself")


class ClientCredentials(TokenProvider):
    """Tokens of a token endpoint for a client's id and secret (RFC 6749, 4.4), as librdkafka's ``oidc`` gets them."""

    def __init__(self, config: Mapping[str, Any], timeout: float) -> None:
        missing = [
            key
            for key in ("client.id", "client.secret", "token.endpoint.url")
            if not config.get("sasl.oauthbearer." + key)
        ]
        if missing:
            raise UsageError(
                "A client with OAUTHBEARER is not complete",
                expected=", ".join("sasl.oauthbearer." + key for key in missing),
            )
        checked_endpoint(config["sasl.oauthbearer.token.endpoint.url"])
        self._config: dict[str, Any] = {
            key: config.get("sasl.oauthbearer." + key)
            for key in ("client.id", "client.secret", "token.endpoint.url", "scope", "extensions")
        }
        self._trust = {"ssl.ca.pem": config.get("https.ca.pem"), "ssl.ca.location": config.get("https.ca.location")}
        self._timeout = timeout
        self._token: str | None = None

    def token(self) -> str:
        """The token, asked for once: a client lives for seconds.

        :raises AuthenticationError: the token endpoint gives none.
        """
        if self._token is None:
            self._token = self._ask()
        return self._token

    def extensions(self) -> dict[str, str]:
        """``sasl.oauthbearer.extensions``, such as ``logicalCluster=lkc-1``, as a dict."""
        texts = (self._config["extensions"] or "").split(",")
        return {name: value for name, equals, value in (text.strip().partition("=") for text in texts) if equals}

    def _ask(self) -> str:
        url = self._config["token.endpoint.url"]
        given = f"{self._config['client.id']}:{self._config['client.secret']}"
        body = {"grant_type": "client_credentials"}
        if self._config["scope"]:
            body["scope"] = self._config["scope"]
        request = urllib.request.Request(
            url,
            urllib.parse.urlencode(body).encode(),
            {
                "Authorization": "Basic " + base64.b64encode(given.encode()).decode(),
                "Accept": "application/json",
                "Content-Type": "application/x-www-form-urlencoded",
            },
        )
        try:
            # A proxy sees TLS pass by; of what goes without TLS, on this machine, it would see the secret.
            handlers = (
                [urllib.request.HTTPSHandler(context=tls_context(self._trust))]
                if url.startswith("https:")
                else [urllib.request.ProxyHandler({})]
            )
            opener = urllib.request.build_opener(_NoRedirects, *handlers)
            with opener.open(request, timeout=self._timeout) as answer:
                return json.load(answer)["access_token"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise AuthenticationError(
                f"No token from {url}",
                found=str(error),
                remedy="Correct sasl.oauthbearer.client.id and sasl.oauthbearer.client.secret",
            ) from error
