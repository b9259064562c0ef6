# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests to the workers of one Connect cluster: any worker that answers will do, and what passes by itself is asked
again.

No proxies, no redirects: Connect uses neither, and a password goes to the addresses that were given and nowhere else.
"""

from __future__ import annotations

import base64
import http.client
import json
import ssl
import time
from collections.abc import Iterable
from typing import Any
from urllib.parse import SplitResult, quote, urlsplit

from .._errors import AuthenticationError, AuthorizationError, KafkaDrError, TimedOutError, UnreachableError, UsageError
from .._values.client_secrets import LOOPBACK
from .private_file import private_file

HIDDEN = "********"
# Connect's own limit for a request that waits for its leader (RestServer.DEFAULT_REST_REQUEST_TIMEOUT_MS) is 90 s.
ONE_REQUEST = 95
# What a worker says while its leader changes, or has just died; the same request succeeds later.
PASSING = (
    "rebalance",
    "Request timed out",
    "forward REST request",
    "not yet joined",
    "stale configuration",
    "concurrent",
    "leader",
)


class NotThere(KafkaDrError):
    """404: no such connector, or no such request in this version."""

    kind = "not_found"


class Conflict(KafkaDrError):
    """409 that does not pass: it exists already."""

    kind = "conflict"


class Workers:
    """The workers of one Connect cluster.

    :param connection: ``urls``, ``username``, ``password``, ``ca_pem``, ``certificate_pem``, ``key_pem``,
        ``key_password``, ``timeout`` (seconds for all).
    :param secrets: texts that must never be part of a message.
    :raises UsageError: an address or a certificate cannot be used.
    """

    def __init__(self, connection: dict[str, Any], secrets: Iterable[str] = ()) -> None:
        self.urls = [_address(url) for url in connection.get("urls") or []]
        if not self.urls:
            raise UsageError(
                "No Connect worker is named",
                expected="urls, such as https://connect-1:8083",
                remedy="Give the address of each worker",
            )
        self.deadline = time.monotonic() + float(connection.get("timeout") or 60)
        self.timeout = connection.get("timeout") or 60
        self.name = ", ".join(url.geturl() for url in self.urls)
        known = (*secrets, connection.get("password"), connection.get("key_password"))
        self._secrets = [secret for secret in known if secret]
        self._headers = {"Accept": "application/json", "Content-Type": "application/json"}
        if connection.get("username"):
            pair = f"{connection['username']}:{connection.get('password') or ''}"
            self._headers["Authorization"] = "Basic " + base64.b64encode(pair.encode("utf-8")).decode("ascii")
        self._tls = _context(connection) if any(url.scheme == "https" for url in self.urls) else None
        self._bare = self._tls is not None and not connection.get("certificate_pem")
        self._open: tuple[SplitResult, http.client.HTTPConnection] | None = None
        self._answered = False

    def warnings(self) -> list[str]:
        """What a person should know about this connection."""
        bare = [url.geturl() for url in self.urls if url.scheme == "http" and url.hostname not in LOOPBACK]
        if not bare or "Authorization" not in self._headers:
            return []
        return [f"The password goes to {', '.join(bare)} without encryption; let the workers listen on https"]

    def get(self, *path: str) -> Any:
        return self.call("GET", path)

    def call(self, method: str, path: Iterable[str], body: Any = None, query: Iterable[str] = ()) -> Any:
        """The answer's JSON, or None where it has none.

        :param path: its parts, unquoted. :param query: such as ``expand=info``, quoted.
        :raises NotThere: 404. :raises Conflict: it exists already. :raises UsageError: 400, the worker's own words.
        :raises UnreachableError: none of the workers answers. :raises TimedOutError: it did not pass in the time given.
        """
        target = "/" + "/".join(quote(str(part), safe="") for part in path)
        if query:
            target += "?" + "&".join(query)
        data = None if body is None else json.dumps(body)
        while True:
            status, text = self._send(method, target, data)
            message = self._message(text)
            passing = status == 503 or (status in (409, 500) and any(word in message for word in PASSING))
            if not passing or "already exists" in message:
                return self._judged(method, target, status, message, text)
            if time.monotonic() > self.deadline:
                raise TimedOutError(
                    f"Connect at {self.name} does not take {method} {target}",
                    expected=f"it to be taken within {self.timeout} s",
                    found=f"{status}: {message}",
                    remedy="Look whether its workers keep leaving the group, then run this again",
                )
            time.sleep(0.5)

    def _send(self, method: str, target: str, data: Any) -> Any:
        reasons = {}
        while True:
            for url in list(self.urls):
                try:
                    answer = self._once(url, method, target, data)
                    self._answered = True
                    # The one that answers goes first from now on.
                    self.urls.remove(url)
                    self.urls.insert(0, url)
                    return answer
                except ssl.SSLCertVerificationError as error:
                    raise AuthenticationError(
                        f"Worker {url.geturl()} is not trusted",
                        found=error.verify_message,
                        expected="a certificate of the authority in ca_pem, for this name",
                        remedy="Give the workers' certificate authority in ca_pem; verification stays on",
                    ) from error
                except (OSError, http.client.HTTPException) as error:
                    self._close()
                    reasons[url.geturl()] = str(error) or type(error).__name__
            # A cluster that answered before may only be changing its workers; one that never did is reported at once.
            if not self._answered or time.monotonic() > self.deadline:
                raise UnreachableError(
                    "No Connect worker answers",
                    expected=f"one of {self.name}",
                    found="; ".join(f"{url}: {reason}" for url, reason in reasons.items()),
                    remedy=_way_out(reasons, self._bare),
                )
            time.sleep(0.5)

    def _once(self, url: SplitResult, method: str, target: str, data: Any) -> Any:
        if self._open is None or self._open[0] is not url:
            self._close()
            wait = min(ONE_REQUEST, max(self.deadline - time.monotonic(), 5))
            host = url.hostname or ""
            self._open = (
                url,
                http.client.HTTPSConnection(host, url.port or 443, timeout=wait, context=self._tls)
                if url.scheme == "https"
                else http.client.HTTPConnection(host, url.port or 80, timeout=wait),
            )
        connection = self._open[1]
        connection.request(method, url.path.rstrip("/") + target, body=data, headers=self._headers)
        answer = connection.getresponse()
        text = answer.read().decode("utf-8", "replace")
        if answer.will_close:
            self._close()
        return answer.status, text

    def _close(self) -> None:
        if self._open is not None:
            self._open[1].close()
            self._open = None

    def _message(self, text: Any) -> str:
        try:
            answer = json.loads(text)
        except (ValueError, RecursionError):
            answer = None
        message = answer.get("message") if isinstance(answer, dict) else None
        words = message if isinstance(message, str) and message else text or "nothing"
        return self.hide(words.strip().split("\n")[0])[:600]

    def hide(self, text: str) -> str:
        """The text without any of the secrets known here."""
        for secret in self._secrets:
            text = str(text).replace(secret, HIDDEN)
        return text

    def _judged(self, method: str, target: str, status: int, message: str, text: Any) -> Any:
        if status < 300:
            try:
                return json.loads(text) if text.strip() else None
            except (ValueError, RecursionError) as error:
                raise KafkaDrError(
                    f"{self.urls[0].geturl()} is no Connect worker",
                    expected="JSON",
                    found=text[:100],
                    remedy="Name the REST interface of the workers in urls",
                ) from error
        subject = f"Connect at {self.urls[0].geturl()} refuses {method} {target}"
        if status == 401:
            raise AuthenticationError(
                subject,
                expected="a user and password that it knows",
                found="401 Unauthorized",
                remedy="Give username and password",
            )
        if status == 403:
            raise AuthorizationError(subject, found="403 Forbidden", remedy="Let this user do it, or give another")
        if status == 404:
            raise NotThere(
                subject,
                found="404: " + message,
                remedy="Look whether urls names Connect itself, and the connector's name",
            )
        if status == 405:
            raise NotThere(
                subject,
                found="405",
                remedy="These workers are too old for it: stop and offsets need Kafka 3.6, an initial state 3.7",
            )
        if status == 409:
            raise Conflict(subject, found=message)
        if status in (400, 422):
            raise UsageError(subject, found=message)
        raise KafkaDrError(subject, found=f"{status}: {message}", remedy="Read the worker's log")


def _address(url: object) -> SplitResult:
    parts = urlsplit(str(url))
    try:
        usable = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable or parts.username or parts.query:
        # Not the address itself: it may hold a password.
        raise UsageError(
            "The address of a Connect worker cannot be used",
            expected="http(s)://host:port, without user, password or query",
            found=f"{parts.scheme or 'no scheme'}://{parts.hostname or 'no host'}",
            remedy="Give user and password as username and password",
        )
    return parts


def _context(connection: dict[str, Any]) -> ssl.SSLContext:
    try:
        context = ssl.create_default_context(cadata=connection.get("ca_pem") or None)
    except (ssl.SSLError, ValueError) as error:
        raise UsageError("ca_pem cannot be read", expected="certificates in PEM", found=str(error)) from error
    if bool(connection.get("certificate_pem")) != bool(connection.get("key_pem")):
        raise UsageError(
            "A client certificate has two parts",
            expected="certificate_pem and key_pem",
            found=f"only {'certificate_pem' if connection.get('certificate_pem') else 'key_pem'}",
        )
    if connection.get("certificate_pem"):
        try:
            with private_file(f"{connection['key_pem'].strip()}\n{connection['certificate_pem'].strip()}\n") as path:
                # Without a password OpenSSL would ask the terminal.
                context.load_cert_chain(path, password=connection.get("key_password") or "")
        except (ssl.SSLError, OSError, ValueError) as error:
            raise UsageError(
                "The client certificate cannot be used",
                expected="certificate_pem with its key_pem, and key_password where it has one",
                found=getattr(error, "reason", None) or type(error).__name__,
            ) from error
    return context


def _way_out(reasons: Any, bare: bool) -> str:
    """A server that misses a client certificate says so, or, as it comes too late in TLS 1.3, only hangs up."""
    hung_up = ("alert", "certificate", "reset", "closed connection", "eof occurred", "broken pipe")
    if bare and any(word in reason.lower() for reason in reasons.values() for word in hung_up):
        return "The workers may want a client certificate that they trust: give certificate_pem and key_pem"
    return "Look whether the workers run, and whether their REST interface listens on these addresses"
