"""A blocking, thread-safe connection to one Kubernetes API."""

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self
from urllib.parse import quote

import httpx

from dittoinfra.cluster.answers import object_of
from dittoinfra.cluster.credentials import Credentials, authenticate
from dittoinfra.cluster.errors import ClusterError
from dittoinfra.cluster.kubeconfig import KubeconfigSource, kubeconfig_source

TIMEOUT_SECONDS = 30.0
"""Longer than any answer the API gives without watching, shorter than a person's patience with a preview."""

_BROKEN = (httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError)
_REPEATABLE = frozenset({"GET", "PATCH", "DELETE"})
"""Said twice, they mean what they mean once: every patch here is an apply."""


@dataclass(frozen=True, slots=True)
class ApiResource:
    """How the API addresses one kind."""

    plural: str
    namespaced: bool


class Cluster:
    """One Kubernetes API; every method may be called from many threads at once."""

    def __init__(self, source: KubeconfigSource, context: str | None) -> None:
        self._source = source
        self._context = context
        self._credentials = authenticate(source, context)
        self._client = _client(self._credentials)
        self._refused: list[httpx.Client] = []
        self._renewal = threading.Lock()
        self._served: dict[str, dict[str, ApiResource]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Give back the connections."""
        for client in (self._client, *self._refused):
            client.close()

    @property
    def server(self) -> str:
        """The API's URL, for messages."""
        return self._credentials.server

    @property
    def namespace(self) -> str:
        """The namespace the kubeconfig's context names, or `default`."""
        return self._credentials.namespace

    def request(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        content: bytes | None = None,
    ) -> httpx.Response:
        """Ask the API and return its answer whatever its status; no answer at all is a ClusterError."""
        client = self._client
        response = self._send(client, method, path, params, headers, content)
        if response.status_code != httpx.codes.UNAUTHORIZED:
            return response
        return self._send(self._renewed(client), method, path, params, headers, content)

    def resource(self, api_version: str, kind: str) -> ApiResource | None:
        """How the API addresses a kind, or None when it does not serve it."""
        # Only what was found is remembered: a CRD may be installed by the very run that uses it.
        known = self._served.get(api_version, {}).get(kind)
        if known is not None:
            return known
        self._served[api_version] = self._discover(api_version)
        return self._served[api_version].get(kind)

    def path(self, api_version: str, kind: str, namespace: str | None, name: str = "") -> str | None:
        """Where the API keeps an object, or without a name its kind; None when it does not serve the kind."""
        resource = self.resource(api_version, kind)
        if resource is None:
            return None
        place = f"/namespaces/{quote(namespace, safe='')}" if namespace else ""
        single = f"/{quote(name, safe='')}" if name else ""
        return f"{_root(api_version)}{place}/{resource.plural}{single}"

    def _discover(self, api_version: str) -> dict[str, ApiResource]:
        response = self.request("GET", _root(api_version))
        if response.status_code == httpx.codes.NOT_FOUND:
            return {}
        if response.is_error:
            raise ClusterError(
                f"the Kubernetes API at {self.server} answered {response.status_code} when asked what "
                f"{api_version} serves; check the credentials and their permissions"
            )
        listed: list[dict[str, Any]] = object_of(response).get("resources") or []
        return {
            entry["kind"]: ApiResource(plural=entry["name"], namespaced=entry["namespaced"])
            for entry in listed
            if "/" not in entry["name"]
        }

    def _send(
        self,
        client: httpx.Client,
        method: str,
        path: str,
        params: Mapping[str, str] | None,
        headers: Mapping[str, str] | None,
        content: bytes | None,
    ) -> httpx.Response:
        name = self._credentials.tls_server_name
        request = client.build_request(
            method,
            path,
            params=params,
            headers=headers,
            content=content,
            extensions={"sni_hostname": name} if name else {},
        )
        try:
            try:
                return client.send(request)
            except _BROKEN:
                # A kept connection may be closed by the other side at any moment, and nobody is to blame.
                if method not in _REPEATABLE:
                    raise
                return client.send(request)
        except httpx.HTTPError as error:
            cause = " ".join(str(error).split()) or type(error).__name__
            raise ClusterError(
                f"no answer from the Kubernetes API at {self.server} to {method} {path}: {cause}; "
                "check that the cluster of this kubeconfig can be reached"
            ) from None

    def _renewed(self, refused: httpx.Client) -> httpx.Client:
        """A client with fresh credentials, made once however many threads were refused at the same time."""
        with self._renewal:
            if self._client is refused:
                self._credentials = authenticate(self._source, self._context)
                # Closed only at the end: other threads may still be reading from it.
                self._refused.append(refused)
                self._client = _client(self._credentials)
            return self._client


def connect(kubeconfig: str | None = None, context: str | None = None) -> Cluster:
    """Connect by a kubeconfig's path or content, or else as the environment says."""
    return Cluster(kubeconfig_source(kubeconfig), context)


def _client(credentials: Credentials) -> httpx.Client:
    headers = {"Authorization": f"Bearer {credentials.token}"} if credentials.token else {}
    return httpx.Client(
        base_url=credentials.server,
        headers=headers,
        verify=credentials.verify,
        proxy=credentials.proxy,
        timeout=TIMEOUT_SECONDS,
        follow_redirects=True,
    )


def _root(api_version: str) -> str:
    # The core group is older than the others, and lives elsewhere.
    return f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
