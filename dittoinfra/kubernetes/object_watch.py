"""Objects that are listed once and then followed by the API's own watch.

What is known stays known while the cluster cannot be asked: a listing that fails, and one that was never
complete, say nothing about what exists.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from random import SystemRandom
from typing import Any, Final

import httpx

from dittoinfra.kubernetes.cluster_client import METADATA_LIST, METADATA_ONLY, PAGE_SIZE, Cluster, api_path
from dittoinfra.kubernetes.cluster_errors import ClusterError, UnansweredError, denial, object_of, unanswered
from dittoinfra.kubernetes.credentials import Credentials
from dittoinfra.kubernetes.rbac import Rule

WATCH_SECONDS: Final = 240
"""After which the API ends a watch: a connection that was lost silently is noticed a little later."""
SILENCE_SECONDS: Final = WATCH_SECONDS + 30.0

FIRST_WAIT: Final = 1.0
LONGEST_WAIT: Final = 60.0

Followed = Mapping[tuple[str, str], Mapping[str, Any]]
"""Objects by namespace and name."""


class _GoneError(Exception):
    """The API does not remember the version any more that a watch should begin at."""


@dataclass(frozen=True, slots=True)
class WatchedKind:
    """What is followed: a kind, in one namespace or in all, perhaps with some labels."""

    api_version: str
    plural: str
    namespace: str | None = None
    labels: str = ""
    metadata_only: bool = False
    """Names and labels are a hundredth of a StatefulSet."""

    @property
    def path(self) -> str:
        return api_path(self.api_version, self.plural, self.namespace)

    def rule(self, verb: str) -> Rule:
        """What has to be allowed."""
        return Rule(verb, self.plural, group=self.api_version.rpartition("/")[0])


@dataclass(slots=True)
class ObjectWatch:
    """The objects of one selection, for as long as `follow` runs."""

    cluster: Cluster
    selection: WatchedKind
    on_change: Callable[[], None]
    """Called after every change of `objects` or `trouble`."""
    first_wait: float = FIRST_WAIT
    objects: Followed | None = None
    """None before the first complete listing."""
    trouble: ClusterError | None = None
    """Why they are not followed at the moment."""
    _found: dict[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)
    _version: str = ""
    """The version that the next watch begins at; empty where a listing has to come first."""
    _failures: int = 0

    async def follow(self) -> None:
        """List, then watch, until cancelled; any failure is retried later."""
        while True:
            try:
                if not self._version:
                    await self._list()
                await self._watch()
            except _GoneError:
                self._version = ""
                # An API that forgets every version at once is not asked without a pause.
                await asyncio.sleep(self._wait())
            except ClusterError as error:
                await self._failed(error)
            except Exception as error:  # noqa: BLE001 - an unexpected error must not end the watch silently
                self._version = ""
                await self._failed(UnansweredError(f"internal error: {type(error).__name__}"))

    async def _failed(self, error: ClusterError) -> None:
        if str(error) != str(self.trouble):
            self.trouble = error
            self.on_change()
        # A plugin that could not log in may be able to by then.
        self.cluster.retry_credentials()
        await asyncio.sleep(self._wait())
        self._failures += 1

    def _wait(self) -> float:
        longest = min(LONGEST_WAIT, self.first_wait * 2.0 ** min(self._failures, 10))
        return longest * (0.5 + SystemRandom().random() / 2)

    def _works(self) -> None:
        self._failures = 0
        if self.trouble is not None:
            self.trouble = None
            self.on_change()

    async def _list(self) -> None:
        """Every page; only a whole listing replaces what was known."""
        found: dict[tuple[str, str], Mapping[str, Any]] = {}
        params = {"limit": str(PAGE_SIZE)}
        while True:
            async with self._asked("list", params, METADATA_LIST) as response:
                await response.aread()
                page = object_of(response)
            try:
                # Of an empty list of metadata the API says that its items are null.
                found |= {_key(item): item for item in page["items"] or ()}
                version, following = page["metadata"]["resourceVersion"], page["metadata"].get("continue")
            except (TypeError, KeyError, AttributeError):
                raise UnansweredError(
                    f"what the Kubernetes API answered to {self.selection.path} is no list"
                ) from None
            if not following:
                break
            params["continue"] = str(following)
        self._found, self._version = found, str(version)
        self.objects = dict(found)
        self.on_change()

    async def _watch(self) -> None:
        """Take over one change after the other until the API ends the watch."""
        # A watch that cannot even begin, because only listing is allowed, say, would leave the list as it is
        # for ever: a new listing comes first then.
        version, self._version = self._version, ""
        params = {
            "watch": "true",
            "allowWatchBookmarks": "true",
            "resourceVersion": version,
            "timeoutSeconds": str(WATCH_SECONDS),
        }
        clock = asyncio.get_running_loop().time
        began = clock()
        async with self._asked("watch", params, METADATA_ONLY) as response:
            self._version = version
            self._works()
            async for line in response.aiter_lines():
                if line.strip():
                    self._take(line)
        # An API that ends every watch at once is not asked without a pause.
        await asyncio.sleep(max(0.0, self.first_wait - (clock() - began)))

    def _take(self, line: str) -> None:
        try:
            event = json.loads(line)
            kind, item = event["type"], event["object"]
            if kind == "ERROR":
                if item.get("code") == httpx.codes.GONE:
                    raise _GoneError
                raise UnansweredError(f"the Kubernetes API ended a watch: {item.get('message')}")
            self._version = str(item["metadata"]["resourceVersion"])
            if kind == "BOOKMARK":
                return
            key = _key(item)
        except (ValueError, TypeError, KeyError, AttributeError):
            self._version = ""
            raise UnansweredError("what a watch was sent is not a Kubernetes API event") from None
        if kind == "DELETED":
            self._found.pop(key, None)
        else:
            self._found[key] = item
        self.objects = dict(self._found)
        self.on_change()

    @asynccontextmanager
    async def _asked(
        self, verb: str, params: Mapping[str, str], metadata: Mapping[str, str]
    ) -> AsyncIterator[httpx.Response]:
        """The answer to a request, its body still to be read; credentials are loaded again where refused."""
        asked = dict(params) | ({"labelSelector": self.selection.labels} if self.selection.labels else {})
        headers = metadata if self.selection.metadata_only else {}
        credentials = await self.cluster.credentials_async()
        for last in (False, True):
            options = self.cluster.client_options(credentials)
            options["timeout"] = httpx.Timeout(options["timeout"].connect, read=SILENCE_SECONDS)
            try:
                async with (
                    httpx.AsyncClient(**options) as client,
                    client.stream(
                        "GET",
                        self.selection.path,
                        params=asked,
                        headers=headers,
                        extensions=credentials.extensions,
                    ) as response,
                ):
                    if response.status_code == httpx.codes.UNAUTHORIZED and not last:
                        credentials = await self.cluster.credentials_async(refused=credentials)
                        continue
                    await self._check(credentials, verb, response)
                    yield response
                    return
            except httpx.HTTPError as error:
                raise unanswered(credentials.server, f"GET {self.selection.path}", error) from None

    async def _check(self, credentials: Credentials, verb: str, response: httpx.Response) -> None:
        if not response.is_error:
            return
        await response.aread()
        if response.status_code == httpx.codes.GONE:
            raise _GoneError
        where = self.selection.namespace or "all"
        raise denial(credentials.server, response, self.selection.path, self.selection.rule(verb), where)


def _key(item: Mapping[str, Any]) -> tuple[str, str]:
    metadata = item["metadata"]
    return str(metadata.get("namespace") or ""), str(metadata["name"])
