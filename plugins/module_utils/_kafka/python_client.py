# SPDX-License-Identifier: GPL-3.0-or-later
# PRIVATE to this collection: may change at any time, do not use from elsewhere.
"""One client description, in librdkafka's keys, for requests that librdkafka does not have; kafka-python sends them.

kafka-python has the messages of every request of the protocol, but public methods for some of them only: the others are
sent as its admin client sends its own. A key that says something about security and cannot be said to kafka-python is refused,
never left out.
"""

from __future__ import annotations

import base64
import contextlib
import json
import logging
import os
import ssl
import urllib.parse
import urllib.request

try:
    from kafka import errors as kafka_errors
    from kafka.admin import KafkaAdminClient
    from kafka.net.sasl.oauth import AbstractTokenProvider as TokenProvider
except ImportError:
    # What is missing is told by the modules; this stands where the classes below need a name.
    TokenProvider = object

from .._client_secrets import checked_endpoint
from .._errors import AuthenticationError, AuthorizationError, KafkaDrError, TimedOutError, UsageError
from .._tls import private_file

PROTOCOLS = ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
BY_PASSWORD = ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512")
TLS_KEYS = {
    "ssl.ca.pem", "ssl.ca.location", "ssl.certificate.pem", "ssl.certificate.location", "ssl.key.pem", "ssl.key.location", "ssl.key.password",
    "ssl.endpoint.identification.algorithm",
}
SASL_KEYS = {"sasl.mechanism", "sasl.mechanisms", "sasl.username", "sasl.password"}
OAUTH_KEYS = {"sasl.oauthbearer." + one for one in ("method", "client.id", "client.secret", "scope", "extensions", "token.endpoint.url")}
NOT_TRUE = ("false", "f", "0")


def settings(config, timeout):
    """Keyword arguments of ``KafkaAdminClient`` that say what a librdkafka configuration says.

    :param config: librdkafka keys, secrets included. :param timeout: seconds.
    :raises UsageError: what it says cannot be said to kafka-python, or a certificate or key is not valid.
    """
    protocol = str(config.get("security.protocol") or "PLAINTEXT").upper()
    if protocol not in PROTOCOLS:
        raise UsageError("The security.protocol of a client is not known", expected=" or ".join(PROTOCOLS), found=protocol)
    servers = [one.strip().rpartition("://")[2] for one in str(config["bootstrap.servers"]).split(",") if one.strip()]
    made = {
        "bootstrap_servers": servers, "security_protocol": protocol, "client_id": str(config.get("client.id") or "streamsafe-kafka-dr"),
        "request_timeout_ms": int(timeout * 1000), "bootstrap_timeout_ms": int(timeout * 1000),
    }
    tls, sasl = protocol.endswith("SSL"), protocol.startswith("SASL")
    if sasl:
        made.update(_sasl(config, timeout))
    _refuse_others(config, tls, sasl)
    if tls:
        made["ssl_context"] = tls_context(config)
    return made


def _refuse_others(config, tls, sasl):
    known = (TLS_KEYS if tls else set()) | (SASL_KEYS | OAUTH_KEYS if sasl else set())
    prefixes = ("ssl.",) * tls + ("sasl.",) * sasl
    others = sorted(key for key, value in config.items() if prefixes and key.startswith(prefixes) and key not in known and value not in (None, ""))
    if others:
        raise UsageError("%s of a client is not understood where quotas are read or written, or a broker is asked what a principal may do" % ", ".join(others),
                         expected="no other keys than %s" % ", ".join(sorted(known)),
                         remedy="Leave it out; certificates and keys are given in PEM")


def _sasl(config, timeout):
    mechanism = str(config.get("sasl.mechanism") or config.get("sasl.mechanisms") or "GSSAPI").upper()
    if mechanism in BY_PASSWORD:
        missing = [key for key in ("sasl.username", "sasl.password") if not config.get(key)]
        if missing:
            raise UsageError("A client with SASL %s is not complete" % mechanism, expected=" and ".join(missing))
        # RFC 5802: a comma or an equals sign of a name is written otherwise; kafka-python sends the name as it is given.
        name = config["sasl.username"].replace("=", "=3D").replace(",", "=2C") if mechanism != "PLAIN" else config["sasl.username"]
        return {"sasl_mechanism": mechanism, "sasl_plain_username": name, "sasl_plain_password": config["sasl.password"]}
    if mechanism == "OAUTHBEARER" and str(config.get("sasl.oauthbearer.method") or "").lower() == "oidc":
        return {"sasl_mechanism": mechanism, "sasl_oauth_token_provider": ClientCredentials(config, timeout)}
    raise UsageError("SASL %s cannot be used where quotas are read or written, or a broker is asked what a principal may do" % mechanism,
                     expected="%s, or OAUTHBEARER with sasl.oauthbearer.method=oidc" % ", ".join(BY_PASSWORD),
                     remedy="Give the stages a user of one of these")


def tls_context(config):
    """The ``SSLContext`` that trusts and shows what a librdkafka configuration says; hosts are verified unless it says otherwise."""
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
        raise UsageError("ssl.ca.pem or ssl.ca.location of a client is not a certificate authority in PEM", found=str(error)) from error
    _show_certificate(context, config)
    return context


def _show_certificate(context, config):
    pem = [config[key] for key in ("ssl.certificate.pem", "ssl.key.pem") if config.get(key)]
    # Without a password OpenSSL would ask for one at the terminal.
    password = config.get("ssl.key.password") or ""
    try:
        if config.get("ssl.certificate.pem"):
            with private_file("\n".join(pem)) as path:
                context.load_cert_chain(path, None if len(pem) == 2 else config.get("ssl.key.location"), password)
        elif config.get("ssl.certificate.location"):
            with private_file(config.get("ssl.key.pem") or "") as path:
                context.load_cert_chain(config["ssl.certificate.location"], path if config.get("ssl.key.pem") else config.get("ssl.key.location"), password)
    except (OSError, ValueError) as error:
        raise UsageError("The client's certificate and key are not valid", found=str(error),
                         remedy="Correct ssl.certificate.pem, ssl.key.pem and ssl.key.password") from error


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Where the secret goes is said by the inventory, not by who answers."""

    def redirect_request(self, req, fp, code, msg, headers, newurl):
        raise OSError("status %d, a redirect, which is not followed: give the address that answers itself" % code)


class ClientCredentials(TokenProvider):
    """Tokens of a token endpoint for a client's id and secret (RFC 6749, 4.4), asked for as librdkafka's ``oidc`` asks."""

    def __init__(self, config, timeout):
        missing = [key for key in ("client.id", "client.secret", "token.endpoint.url") if not config.get("sasl.oauthbearer." + key)]
        if missing:
            raise UsageError("A client with OAUTHBEARER is not complete", expected=", ".join("sasl.oauthbearer." + one for one in missing))
        checked_endpoint(config["sasl.oauthbearer.token.endpoint.url"])
        self._config = {key: config.get("sasl.oauthbearer." + key) for key in ("client.id", "client.secret", "token.endpoint.url", "scope", "extensions")}
        self._trust = {"ssl.ca.pem": config.get("https.ca.pem"), "ssl.ca.location": config.get("https.ca.location")}
        self._timeout = timeout
        self._token = None

    def token(self):
        """The token, asked for once: a client of ours lives for seconds."""
        if self._token is None:
            self._token = self._ask()
        return self._token

    def extensions(self):
        """``sasl.oauthbearer.extensions``, such as ``logicalCluster=lkc-1``, as a dict."""
        return dict(one.strip().split("=", 1) for one in (self._config["extensions"] or "").split(",") if "=" in one)

    def _ask(self):
        url = self._config["token.endpoint.url"]
        given = "%s:%s" % (self._config["client.id"], self._config["client.secret"])
        body = {"grant_type": "client_credentials"}
        if self._config["scope"]:
            body["scope"] = self._config["scope"]
        request = urllib.request.Request(url, urllib.parse.urlencode(body).encode(), {
            "Authorization": "Basic " + base64.b64encode(given.encode()).decode(), "Accept": "application/json",
            "Content-Type": "application/x-www-form-urlencoded"})
        try:
            # A proxy sees TLS pass by; of what goes without TLS, on this machine, it would see the secret.
            handlers = [urllib.request.HTTPSHandler(context=tls_context(self._trust))] if url.startswith("https:") else [urllib.request.ProxyHandler({})]
            opener = urllib.request.build_opener(_NoRedirects, *handlers)
            with opener.open(request, timeout=self._timeout) as answer:
                return json.load(answer)["access_token"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise AuthenticationError("No token from %s" % url, found=str(error),
                                      remedy="Correct sasl.oauthbearer.client.id and sasl.oauthbearer.client.secret") from error


class _Heard(logging.Handler):
    """Keeps what kafka-python warns of: its own errors at the end are mere timeouts."""

    def __init__(self):
        super().__init__(logging.WARNING)
        self.said = []

    def emit(self, record):
        self.said.append(record.getMessage())


class PythonClient:
    """kafka-python's connection to the cluster of a ``KafkaClient``, as a context manager.

    The ``KafkaClient`` is asked first: it tells apart why a cluster does not answer or does not accept us.
    """

    def __init__(self, client):
        self.client = client
        self._heard = _Heard()
        self._admin = None

    def __enter__(self):
        self.client.metadata()
        given = settings(self.client.config, self.client.timeout)
        if "sasl_oauth_token_provider" in given:
            # Asked for within a connection, a token that is refused would be asked for again and again.
            given["sasl_oauth_token_provider"].token()
        logging.getLogger("kafka").addHandler(self._heard)
        try:
            with self._translated("connect"):
                self._admin = KafkaAdminClient(**given)
        except KafkaDrError:
            self.__exit__()
            raise
        return self

    def __exit__(self, *dummy):
        if self._admin is not None:
            self._admin.close()
        logging.getLogger("kafka").removeHandler(self._heard)

    def ask(self, request, what, broker=None):
        """Send one request to a broker and return the answer, whose own error codes are the caller's to look at.

        :param request: a message of kafka-python. :param what: continues 'Cannot ...'. :param broker: id of the one to ask; any where it is None.
        """
        with self._translated(what):
            # The way that kafka-python's own public methods go.
            return self._admin._manager.run(self._admin._manager.send, request, broker)

    @contextlib.contextmanager
    def _translated(self, what):
        said, client = "Cannot %s on %s" % (what, self.client.name), self.client
        try:
            yield
        except kafka_errors.IncompatibleBrokerVersion as error:
            raise KafkaDrError(said, expected="brokers that know this request", found=str(error)) from error
        except (kafka_errors.KafkaTimeoutError, kafka_errors.RequestTimedOutError) as error:
            raise TimedOutError("%s within %s s" % (said, client.timeout), found=(self._heard.said or [str(error)])[-1],
                                remedy="Look at the brokers' health, or give a larger timeout") from error
        except kafka_errors.KafkaError as error:
            raise KafkaDrError(said, found=str(error)) from error


def refused(client, code, text, what, right):
    """The error for an error code in an answer; None where it is none.

    :param right: the operation on the cluster that the request needs, e.g. ``DESCRIBE_CONFIGS``.
    """
    if not code:
        return None
    kind = kafka_errors.for_code(code)
    if issubclass(kind, kafka_errors.AuthorizationError):
        return AuthorizationError(
            "Cannot %s on %s" % (what, client.name), expected="%s on the cluster" % right, found=text or kind.__name__, code=kind.__name__,
            remedy="Give the principal %s the ACL %s on resource cluster" % (client.config.get("sasl.username") or "of the certificate", right))
    return KafkaDrError("Cannot %s on %s" % (what, client.name), found=text or kind.__name__, code=kind.__name__)
