"""The client of one Kubernetes API, for threads and for event loops."""

import asyncio
import json
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Self, TypeVar
from urllib.parse import quote

import httpx

from dittoinfra.kubernetes.cluster_errors import denial, object_of, refusal, unanswered
from dittoinfra.kubernetes.credentials import Credentials, kubeconfig_source, load_credentials
from dittoinfra.kubernetes.rbac import Rule

ANSWER_TIMEOUT = 30.0
"""Seconds: longer than any answer takes that is not a watch, and short enough for a user to wait."""
POLL_TIMEOUT = 10.0
"""Seconds for an answer that a poll waits for, or that a run can do without."""
CONNECT_TIMEOUT = 5.0
"""Seconds for a connection: a cluster behind a firewall that drops packets is reported soon."""

AT_ONCE = 16
"""Requests to one API at the same time."""

PAGE_SIZE = 500
"""Objects in one answer, as kubectl asks for them."""

_METADATA = "application/json;as=PartialObjectMetadata{};g=meta.k8s.io;v=v1, application/json"
METADATA_ONLY = {"Accept": _METADATA.format("")}
METADATA_LIST = {"Accept": _METADATA.format("List")}
"""Names and labels are a hundredth of a StatefulSet. A proxy that does not know the first type of an answer
passes on whole objects."""

_CHECK_CREDENTIALS = "check the credentials and their permissions"
_REVIEWS = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
_BROKEN = (httpx.ReadError, httpx.WriteError, httpx.RemoteProtocolError)
_REPEATABLE = frozenset({"GET", "PATCH", "DELETE"})
"""Methods that are idempotent here: every patch is a server-side apply, or sets one annotation."""

_Item = TypeVar("_Item")
_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class ApiResource:
    """How the API addresses one kind."""

    plural: str
    namespaced: bool


_ALWAYS_SERVED = {
    ("v1", "ConfigMap"): ApiResource("configmaps", namespaced=True),
    ("v1", "Namespace"): ApiResource("namespaces", namespaced=False),
    ("v1", "Secret"): ApiResource("secrets", namespaced=True),
    ("v1", "Service"): ApiResource("services", namespaced=True),
    ("apps/v1", "StatefulSet"): ApiResource("statefulsets", namespaced=True),
    ("discovery.k8s.io/v1", "EndpointSlice"): ApiResource("endpointslices", namespaced=True),
    ("networking.k8s.io/v1", "Ingress"): ApiResource("ingresses", namespaced=True),
    ("networking.k8s.io/v1", "NetworkPolicy"): ApiResource("networkpolicies", namespaced=True),
    ("policy/v1", "PodDisruptionBudget"): ApiResource("poddisruptionbudgets", namespaced=True),
}
"""Kinds of Kubernetes itself: their paths need no discovery."""


class Cluster:
    """One Kubernetes API; every method may be called from many threads and event loops at once.

    Credentials are loaded when they are first needed, once for all callers, and again when the API refuses
    them. Only `request` keeps connections open, until the last `with` block of the cluster ends.
    """

    def __init__(
        self, kubeconfig: str | None = None, context: str | None = None, timeout: float = ANSWER_TIMEOUT
    ) -> None:
        self._kubeconfig = kubeconfig
        self._context = context
        self._timeout = http_timeout(timeout)
        self._lock = threading.Lock()
        self._loaded: Future[Credentials] | None = None
        self._users = 0
        self._clients: dict[Credentials, httpx.Client] = {}
        self._served: dict[str, dict[str, ApiResource]] = {}

    def __enter__(self) -> Self:
        with self._lock:
            self._users += 1
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._users -= 1
            last = not self._users
        if last:
            self.close()

    def close(self) -> None:
        """Close the connections; a further request opens others."""
        with self._lock:
            clients, self._clients = self._clients, {}
        for client in clients.values():
            client.close()

    def connected(self) -> Self:
        """This cluster, with its credentials loaded, or `ClusterError`."""
        self.credentials().result()
        return self

    @property
    def server(self) -> str:
        """The API's URL, for messages."""
        return self.credentials().result().server

    @property
    def namespace(self) -> str:
        """The namespace the kubeconfig's context names, or `default`."""
        return self.credentials().result().namespace

    def credentials(self, refused: Credentials | None = None) -> "Future[Credentials]":
        """The credentials, loaded in the background if need be; others than those that were `refused`.

        The future ends in a `ClusterError` where there are none.
        """
        with self._lock:
            known = self._loaded
            if known is not None and not (refused and known.done() and known.result() is refused):
                return known
            loading: Future[Credentials] = Future()
            # A running future cannot be cancelled: a caller that gives up does not do so for the others.
            loading.set_running_or_notify_cancel()
            self._loaded = loading
        # A thread, because the caller may be inside an event loop, and kr8s needs its own. A daemon, because
        # an exec plugin that hangs must not keep the process alive.
        threading.Thread(
            target=self._load_credentials, args=(loading, known), name="kubeconfig", daemon=True
        ).start()
        return loading

    def _load_credentials(self, future: "Future[Credentials]", before: "Future[Credentials] | None") -> None:
        try:
            source = kubeconfig_source(self._kubeconfig)
            credentials = asyncio.run(load_credentials(source, self._context))
        except BaseException as error:  # noqa: BLE001 - the caller that waits handles it
            if before is not None:
                # They are refused again, and then loaded again: the kubeconfig may be readable by then.
                with self._lock:
                    self._loaded = before
            future.set_exception(error)
        else:
            future.set_result(credentials)

    def retry_credentials(self) -> None:
        """Load credentials again at their next use, where the last attempt has failed."""
        with self._lock:
            known = self._loaded
            if known is not None and known.done() and known.exception() is not None:
                self._loaded = None

    async def credentials_async(self, refused: Credentials | None = None) -> Credentials:
        """The credentials, awaited inside an event loop, or `ClusterError`."""
        loaded = self.credentials(refused)
        return loaded.result() if loaded.done() else await asyncio.wrap_future(loaded)

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
        options = {"params": params, "headers": headers, "content": content}
        credentials = self.credentials().result()
        response = self._send(credentials, method, path, options)
        if response.status_code != httpx.codes.UNAUTHORIZED:
            return response
        return self._send(self.credentials(refused=credentials).result(), method, path, options)

    async def get_async(self, path: str, needed: Rule, namespace: str, **params: str) -> dict[str, Any]:
        """An object, or a list of them, or `ClusterError`; `needed` is what has to be allowed for it."""
        credentials = await self.credentials_async()
        response = await self._get_async(credentials, path, params)
        if response.status_code == httpx.codes.UNAUTHORIZED:
            credentials = await self.credentials_async(refused=credentials)
            response = await self._get_async(credentials, path, params)
        if response.is_error:
            raise denial(credentials.server, response, path, needed, namespace)
        return object_of(response)

    def resource(self, api_version: str, kind: str) -> ApiResource | None:
        """How the API addresses a kind, or None when it does not serve it."""
        if (api_version, kind) in _ALWAYS_SERVED:
            return _ALWAYS_SERVED[api_version, kind]
        # Only what was found is remembered: a CRD may be installed by the very run that uses it.
        known = self._served.get(api_version, {}).get(kind)
        if known is not None:
            return known
        self._served[api_version] = self._discover(api_version)
        return self._served[api_version].get(kind)

    def path(self, api_version: str, kind: str, namespace: str | None, name: str = "") -> str | None:
        """Where the API keeps an object, or without a name its kind; None when it does not serve the kind."""
        resource = self.resource(api_version, kind)
        return None if resource is None else api_path(api_version, resource.plural, namespace, name)

    def allows(self, namespace: str, rule: Rule) -> bool:
        """Whether the user of the kubeconfig may do this, asked without doing it; or `ClusterError`."""
        resource, _, part = rule.resource.partition("/")
        attributes = {
            "namespace": namespace,
            "verb": rule.verb,
            "group": rule.group,
            "resource": resource,
            "subresource": part,
            "name": rule.name or "",
        }
        review = {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": attributes},
        }
        response = self.request(
            "POST",
            _REVIEWS,
            headers={"Content-Type": "application/json"},
            content=json.dumps(review).encode(),
        )
        if response.is_error:
            raise refusal(self.server, response, "when asked what is allowed", _CHECK_CREDENTIALS)
        return bool((object_of(response).get("status") or {}).get("allowed"))

    def _discover(self, api_version: str) -> dict[str, ApiResource]:
        response = self.request("GET", _root(api_version))
        if response.status_code == httpx.codes.NOT_FOUND:
            return {}
        if response.is_error:
            raise refusal(self.server, response, f"when asked what {api_version} serves", _CHECK_CREDENTIALS)
        listed: list[dict[str, Any]] = object_of(response).get("resources") or []
        return {
            entry["kind"]: ApiResource(plural=entry["name"], namespaced=entry["namespaced"])
            for entry in listed
            if "/" not in entry["name"]
        }

    def _send(
        self, credentials: Credentials, method: str, path: str, options: Mapping[str, Any]
    ) -> httpx.Response:
        with self._lock:
            if credentials not in self._clients:
                # Those of refused credentials are closed at the end: other threads may be reading from them.
                self._clients[credentials] = httpx.Client(**self.client_options(credentials))
            client = self._clients[credentials]
        request = client.build_request(method, path, extensions=credentials.extensions, **options)
        try:
            try:
                return client.send(request)
            except _BROKEN:
                # The server may close a kept-alive connection at any moment, and that is no error.
                if method not in _REPEATABLE:
                    raise
                return client.send(request)
        except httpx.HTTPError as error:
            raise unanswered(credentials.server, f"{method} {path}", error) from None

    async def _get_async(
        self, credentials: Credentials, path: str, params: Mapping[str, str]
    ) -> httpx.Response:
        try:
            async with httpx.AsyncClient(**self.client_options(credentials)) as client:
                return await client.get(path, params=params, extensions=credentials.extensions)
        except httpx.HTTPError as error:
            raise unanswered(credentials.server, f"GET {path}", error) from None

    def client_options(self, credentials: Credentials) -> dict[str, Any]:
        """What an HTTP client of this API is made with."""
        return {
            "base_url": credentials.server,
            "headers": credentials.headers,
            "verify": credentials.verify,
            "proxy": credentials.proxy,
            "timeout": self._timeout,
            "follow_redirects": True,
        }


def connect(kubeconfig: str | None = None, context: str | None = None) -> Cluster:
    """The cluster of a kubeconfig's path or content, or else of the environment; `ClusterError` if none."""
    return Cluster(kubeconfig, context).connected()


def concurrently(ask: Callable[[_Item], _Result], items: Iterable[_Item]) -> list[_Result]:
    """The result for each item in order, asked for side by side; the first error is raised."""
    with ThreadPoolExecutor(AT_ONCE, thread_name_prefix="cluster") as pool:
        return list(pool.map(ask, items))


def http_timeout(seconds: float) -> httpx.Timeout:
    """The limits of a client whose answers may take so long."""
    return httpx.Timeout(seconds, connect=min(seconds, CONNECT_TIMEOUT))


def api_path(api_version: str, plural: str, namespace: str | None = None, name: str = "") -> str:
    """Where an API keeps an object, or without a name all of its kind."""
    place = f"/namespaces/{quote(namespace, safe='')}" if namespace else ""
    single = f"/{quote(name, safe='')}" if name else ""
    return f"{_root(api_version)}{place}/{plural}{single}"


def _root(api_version: str) -> str:
    # The core group is older than the others, and has another path.
    return f"/apis/{api_version}" if "/" in api_version else f"/api/{api_version}"
