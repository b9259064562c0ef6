# SPDX-License-Identifier: GPL-3.0-or-later
"""Requests that librdkafka does not have, sent by kafka-python.

kafka-python has the messages of every request of the protocol, but public methods for some of them only. The others are
sent as its admin client sends its own.
"""

from __future__ import annotations

import contextlib
import importlib.util
import logging
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

try:
    from kafka import errors as kafka_errors
    from kafka.admin import KafkaAdminClient
except ImportError:
    pass

from .._errors import AuthorizationError, KafkaDrError, UsageError
from .broker_errors import timed_out
from .client import KafkaClient
from .python_settings import settings

T = TypeVar("T")


def require_library(client: KafkaClient, what: str) -> None:
    """:param what: continues 'Cannot ...'. :raises KafkaDrError: kafka-python is not installed."""
    if importlib.util.find_spec("kafka") is None:
        raise KafkaDrError(
            f"Cannot {what} on {client.name}",
            expected="kafka-python",
            found="none installed",
            remedy="Install kafka-python beside Ansible",
        )


class _Heard(logging.Handler):
    """Keeps what kafka-python warns of: its own errors at the end are mere timeouts."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.warnings: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.warnings.append(record.getMessage())


class PythonClient:
    """kafka-python's connection to the cluster of a ``KafkaClient``, as a context manager.

    The ``KafkaClient`` is asked first: it tells apart why a cluster does not answer or does not accept us.
    """

    def __init__(self, client: KafkaClient) -> None:
        self.client = client
        self._heard = _Heard()
        self._admin: Any = None

    def __enter__(self) -> PythonClient:
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

    def __exit__(self, *dummy: object) -> None:
        if self._admin is not None:
            self._admin.close()
        logging.getLogger("kafka").removeHandler(self._heard)

    def ask(self, request: Any, what: str, broker: int | None = None) -> Any:
        """Send one request to a broker and return the answer, whose own error codes are the caller's to look at.

        :param request: a message of kafka-python. :param what: continues 'Cannot ...'. :param broker: id of the one to
            ask; any where it is None.
        """
        with self._translated(what):
            # The way that kafka-python's own public methods go.
            return self._admin._manager.run(self._admin._manager.send, request, broker)

    @contextlib.contextmanager
    def _translated(self, what: str) -> Iterator[None]:
        message = f"Cannot {what} on {self.client.name}"
        try:
            yield
        except kafka_errors.IncompatibleBrokerVersion as error:
            raise KafkaDrError(message, expected="brokers that know this request", found=str(error)) from error
        except (kafka_errors.KafkaTimeoutError, kafka_errors.RequestTimedOutError) as error:
            reason = (self._heard.warnings or [str(error)])[-1]
            raise timed_out(what, self.client.name, self.client.timeout, reason) from error
        except kafka_errors.KafkaError as error:
            raise KafkaDrError(message, found=str(error)) from error


def ask_every_broker(client: KafkaClient, ask: Callable[[PythonClient, int], T]) -> tuple[dict[int, T], dict[int, str]]:
    """Ask each broker by itself; no broker answers for another, since each has its own copy of the cluster's metadata.

    :param ask: sends the requests to the broker with this id and returns what it answers.
    :returns: ``({broker: answer}, {broker: why it gave none})``.
    :raises KafkaDrError: no broker lets the principal in, or none answers. :raises UsageError: the brokers do not know
        the request, or the client cannot send it.
    """
    found: dict[int, T] = {}
    silent: dict[int, str] = {}
    with PythonClient(client) as connection:
        for broker in sorted(client.metadata().brokers):
            try:
                found[broker] = ask(connection, broker)
            except UsageError:
                raise
            except KafkaDrError as error:
                silent[broker] = str(error)
    return found, silent


def refused(client: KafkaClient, code: int, text: str | None, what: str, right: str) -> KafkaDrError | None:
    """The error for an error code in an answer; None where it is none.

    :param right: the operation on the cluster that the request needs, e.g. ``DESCRIBE_CONFIGS``.
    """
    if not code:
        return None
    kind = kafka_errors.for_code(code)
    if issubclass(kind, kafka_errors.AuthorizationError):
        return AuthorizationError(
            f"Cannot {what} on {client.name}",
            expected=f"{right} on the cluster",
            found=text or kind.__name__,
            code=kind.__name__,
            remedy=(
                f"Give the principal {client.config.get('sasl.username') or 'of the certificate'} the ACL {right} "
                "on resource cluster"
            ),
        )
    return KafkaDrError(f"Cannot {what} on {client.name}", found=text or kind.__name__, code=kind.__name__)
