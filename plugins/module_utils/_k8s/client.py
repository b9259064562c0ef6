# SPDX-License-Identifier: GPL-3.0-or-later
"""One Kubernetes API server as seen by one user: plain dictionaries in and out, one family of errors."""

from __future__ import annotations

import builtins
import json
import os
from typing import Any
from urllib.parse import quote, urlencode

from .._errors import KafkaDrError

try:
    import urllib3
    from kubernetes import client as kubernetes_client
    from kubernetes import config as kubernetes_config
except ImportError:
    pass

from .._errors import AuthenticationError, TimedOutError, UnreachableError, UsageError
from .errors import ConflictError, NotFoundError, from_answer

PAGE = 500


class KubernetesClient:
    """A cluster.

    :param connection: ``kubeconfig`` (path), ``context``; or ``host``, ``api_key``, ``ca_cert`` (path),
        ``client_cert``, ``client_key``, ``validate_certs``, ``proxy``. None of them: ``KUBECONFIG``,
        ``~/.kube/config``, then the Pod's own service account.
    :param timeout: seconds that any single answer may take.
    :param name: what errors call this cluster.
    :raises UsageError: the connection is not usable.
    """

    def __init__(self, connection: dict[str, Any] | None = None, timeout: int = 30, name: str | None = None) -> None:
        self.connection = {key: value for key, value in (connection or {}).items() if value is not None}
        self.timeout = timeout
        self._api = self._open()
        self.host = self._api.configuration.host.rstrip("/")
        self.name = name or self.connection.get("context") or self.host
        self._served: dict[str, builtins.list[str]] = {}

    def _open(self) -> kubernetes_client.ApiClient:
        connection = self.connection
        try:
            if connection.get("host"):
                api = kubernetes_client.ApiClient(_configuration_of(connection))
            elif (
                connection.get("kubeconfig")
                or os.environ.get("KUBECONFIG")
                or os.path.exists(os.path.expanduser("~/.kube/config"))
            ):
                path = connection.get("kubeconfig")
                api = kubernetes_config.new_client_from_config(
                    os.path.expanduser(path) if path else None, context=connection.get("context"), persist_config=False
                )
            else:
                configuration = kubernetes_client.Configuration()
                kubernetes_config.load_incluster_config(client_configuration=configuration)
                api = kubernetes_client.ApiClient(configuration)
        except (kubernetes_config.ConfigException, OSError, ValueError, TypeError) as error:
            raise UsageError(
                "The connection to Kubernetes is not usable",
                expected="a kubeconfig with the context named, or host and api_key",
                found=str(error),
                remedy="Give kubeconfig, context, or host with api_key and ca_cert",
            ) from error
        return api

    def request(
        self,
        method: str,
        path: str,
        body: dict[str, Any] | list[dict[str, Any]] | None = None,
        query: dict[str, Any] | None = None,
        content_type: str = "application/json",
        what: str | None = None,
    ) -> dict[str, Any]:
        """The answer as a dictionary.

        :param path: begins with ``/api`` or ``/apis``.
        :param what: continues 'Cannot ...' in errors; never a value of a Secret.
        :raises KafkaDrError: unreachable, refused, missing, or not understood.
        """
        what = what or f"{method} {path}"
        headers = {"Accept": "application/json", "User-Agent": "streamsafe.kafka_dr"}
        for setting in self._api.configuration.auth_settings().values():
            headers[setting["key"]] = setting["value"]
        payload = None
        if body is not None:
            headers["Content-Type"] = content_type
            payload = json.dumps(body).encode("utf-8")
        address = self.host + path + ("?" + urlencode(query) if query else "")
        try:
            answer = self._api.rest_client.pool_manager.request(
                method,
                address,
                body=payload,
                headers=headers,
                timeout=urllib3.Timeout(connect=min(10, self.timeout), read=self.timeout),
                retries=_retries(),
            )
        except urllib3.exceptions.HTTPError as error:
            raise self._translate(error, what) from error
        if answer.status >= 400:
            raise from_answer(answer.status, answer.data, what, self.name)
        return json.loads(answer.data) if answer.data else {}

    def _translate(self, error: Exception, what: str) -> KafkaDrError:
        reason = getattr(error, "reason", None) or error
        if isinstance(reason, urllib3.exceptions.SSLError):
            return AuthenticationError(
                f"No trusted TLS connection to {self.name}",
                expected="a certificate signed by the CA of this kubeconfig",
                found=str(reason),
                remedy="Correct ca_cert; verification stays on",
            )
        if isinstance(reason, urllib3.exceptions.ReadTimeoutError):
            return TimedOutError(
                f"Cannot {what} in {self.name} within {self.timeout} s",
                remedy="Look at the API server, or give a larger timeout",
            )
        return UnreachableError(
            f"Cannot {what} in {self.name}",
            expected=f"an API server at {self.host}",
            found=str(reason),
            remedy="Check address and firewall; where the region is lost, go on as docs/runbooks/failover.md says",
        )

    def get(self, path: str, what: str | None = None) -> dict[str, Any] | None:
        """One object, or None where it is not there."""
        try:
            return self.request("GET", path, what=what)
        except NotFoundError:
            return None

    def list(
        self, path: str, label_selector: str | None = None, what: str | None = None
    ) -> builtins.list[dict[str, Any]]:
        """All objects of a collection, page by page."""
        query: dict[str, Any] = {"limit": PAGE}
        items: builtins.list[dict[str, Any]] = []
        if label_selector:
            query["labelSelector"] = label_selector
        while True:
            page = self.request("GET", path, query=query, what=what)
            items += page.get("items") or []
            if not (page.get("metadata") or {}).get("continue"):
                return items
            query["continue"] = page["metadata"]["continue"]

    def create(self, path: str, body: dict[str, Any], dry_run: bool = False, what: str | None = None) -> dict[str, Any]:
        """Make an object; unknown fields are an error, not dropped."""
        return self.request("POST", path, body, _write_query(dry_run), what=what)

    def replace(
        self, path: str, body: dict[str, Any], dry_run: bool = False, what: str | None = None
    ) -> dict[str, Any]:
        """Replace an object as it was read: a newer ``resourceVersion`` in the cluster is a :class:`ConflictError`."""
        return self.request("PUT", path, body, _write_query(dry_run), what=what)

    def delete(
        self,
        path: str,
        dry_run: bool = False,
        uid: str | None = None,
        resource_version: str | None = None,
        what: str | None = None,
    ) -> bool:
        """Delete an object; True where it was there.

        :param uid: delete this very object, not a later one of the same name.
        """
        preconditions = {key: value for key, value in (("uid", uid), ("resourceVersion", resource_version)) if value}
        body: dict[str, Any] = {"kind": "DeleteOptions", "apiVersion": "v1"}
        if preconditions:
            body["preconditions"] = preconditions
        if dry_run:
            body["dryRun"] = ["All"]
        try:
            self.request("DELETE", path, body, what=what)
        except NotFoundError:
            return False
        return True

    def served_versions(self, group: str) -> builtins.list[str]:
        """Versions of an API group that are served, e.g. ``["v1", "v1beta2"]``; empty where the group is not known."""
        if group not in self._served:
            found = self.get(f"/apis/{quote(group)}", what=f"ask for the versions of {group}")
            self._served[group] = [version["version"] for version in (found or {}).get("versions") or []]
        return self._served[group]


def _retries() -> urllib3.Retry:
    """429 is load shed before anything was done, so it may be sent again; a read that ended is not known to have done
    nothing.
    """
    return urllib3.Retry(
        total=6,
        connect=1,
        read=0,
        redirect=0,
        status=5,
        other=0,
        status_forcelist=[429],
        allowed_methods=None,
        raise_on_status=False,
    )


def _write_query(dry_run: bool) -> dict[str, str]:
    query = {"fieldManager": "streamsafe.kafka_dr", "fieldValidation": "Strict"}
    if dry_run:
        query["dryRun"] = "All"
    return query


def _configuration_of(connection: dict[str, Any]) -> kubernetes_client.Configuration:
    configuration = kubernetes_client.Configuration()
    configuration.host = connection["host"]
    configuration.verify_ssl = connection.get("validate_certs", True)
    configuration.ssl_ca_cert = connection.get("ca_cert")
    configuration.cert_file = connection.get("client_cert")
    configuration.key_file = connection.get("client_key")
    if connection.get("proxy"):
        configuration.proxy = connection["proxy"]
    if connection.get("api_key"):
        configuration.api_key = {"authorization": f"Bearer {connection['api_key']}"}
    return configuration


def object_path(
    api_version: str, plural: str, namespace: str | None = None, name: str | None = None, subresource: str | None = None
) -> str:
    """Path of an object or of a collection in the API.

    :param api_version: ``v1`` or ``group/version``.
    """
    path = "/api/v1" if api_version == "v1" else f"/apis/{api_version}"
    if namespace:
        path += f"/namespaces/{quote(namespace, safe='')}"
    path += "/" + plural
    if name:
        path += "/" + quote(name, safe="")
    return path + ("/" + subresource if subresource else "")


__all__ = ["ConflictError", "KubernetesClient", "NotFoundError", "object_path"]
