"""A list that follows the cluster: through bookmarks, broken streams, forgotten versions and refusals."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs, urlsplit

import yaml

from dittoinfra.kubernetes import Cluster
from dittoinfra.kubernetes.object_watch import ObjectWatch, WatchedKind

SECONDS = 30.0
SERVERS = WatchedKind("apps/v1", "statefulsets", "files", "app=dittofs-server", metadata_only=True)


def item(name: str, version: int = 1, **labels: str) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "files", "resourceVersion": str(version), "labels": labels}
    return {"metadata": metadata}


def listing(*items: dict[str, Any], version: int = 10, more: str = "") -> dict[str, Any]:
    metadata = {"resourceVersion": str(version)} | ({"continue": more} if more else {})
    # As the API says it of an empty list.
    return {"kind": "PartialObjectMetadataList", "metadata": metadata, "items": list(items) or None}


def event(kind: str, what: dict[str, Any]) -> bytes:
    return json.dumps({"type": kind, "object": what}).encode() + b"\n"


@dataclass
class Api:
    """Answers what it was told to, one request after the other, and then holds the last one open."""

    script: list[tuple[int, bytes]]
    asked: list[dict[str, str]] = field(default_factory=list)
    open: list[asyncio.StreamWriter] = field(default_factory=list)

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open.append(writer)
        target = (await reader.readuntil(b"\r\n\r\n")).split(b" ")[1].decode()
        self.asked.append({key: values[0] for key, values in parse_qs(urlsplit(target).query).items()})
        status, body = self.script.pop(0) if self.script else (200, b"")
        last = not self.script
        writer.write(f"HTTP/1.1 {status} Said\r\nConnection: close\r\n\r\n".encode() + body)
        await writer.drain()
        if not last or status != 200:
            writer.close()

    def watches(self) -> list[str]:
        """The versions that watches began at."""
        return [asked["resourceVersion"] for asked in self.asked if asked.get("watch")]


def follow(
    script: list[tuple[int, bytes]], until: Callable[[ObjectWatch, Api], Awaitable[None]]
) -> tuple[ObjectWatch, Api]:
    """Follow an API with this script until something holds."""

    async def play() -> tuple[ObjectWatch, Api]:
        api = Api(script)
        server = await asyncio.start_server(api.answer, "127.0.0.1", 0)
        port = server.sockets[0].getsockname()[1]
        kubeconfig = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "here",
            "contexts": [{"name": "here", "context": {"cluster": "here", "user": "us"}}],
            "clusters": [{"name": "here", "cluster": {"server": f"http://127.0.0.1:{port}"}}],
            "users": [{"name": "us", "user": {}}],
        }
        watch = ObjectWatch(Cluster(yaml.safe_dump(kubeconfig)), SERVERS, lambda: None, first_wait=0.01)
        following = asyncio.create_task(watch.follow())
        try:
            async with asyncio.timeout(SECONDS):
                await until(watch, api)
        finally:
            following.cancel()
            with suppress(asyncio.CancelledError):
                await following
            for writer in api.open:
                writer.close()
                with suppress(OSError):
                    await writer.wait_closed()
            server.close()
            await server.wait_closed()
        return watch, api

    return asyncio.run(play())


def names(watch: ObjectWatch) -> set[str]:
    return {name for _, name in watch.objects or {}}


async def until(holds: Callable[[], object]) -> None:
    while not holds():
        await asyncio.sleep(0.01)


def whole(*parts: bytes) -> tuple[int, bytes]:
    return 200, b"".join(parts)


def test_what_comes_changes_and_goes_is_followed_from_the_version_of_the_listing() -> None:
    script = [
        whole(json.dumps(listing(item("media"))).encode()),
        whole(
            event("ADDED", item("backup", 11)),
            event("MODIFIED", item("media", 12, tier="cold")),
            event("DELETED", item("backup", 13)),
            event("ADDED", item("archive", 14)),
        ),
    ]

    watch, api = follow(script, lambda watch, _: until(lambda: "archive" in names(watch)))

    assert names(watch) == {"media", "archive"}
    assert (watch.objects or {})["files", "media"]["metadata"]["labels"] == {"tier": "cold"}
    assert api.watches() == ["10"]
    assert all(asked["labelSelector"] == "app=dittofs-server" for asked in api.asked)


def test_all_pages_are_one_listing() -> None:
    script = [
        whole(json.dumps(listing(item("media"), more="page 2")).encode()),
        whole(json.dumps(listing(item("backup"), version=20)).encode()),
        whole(),
    ]

    watch, api = follow(script, lambda _, api: until(api.watches))

    assert names(watch) == {"media", "backup"}
    assert (api.asked[1]["continue"], api.watches()) == ("page 2", ["20"])


def test_a_watch_that_ends_goes_on_where_the_last_bookmark_was() -> None:
    script = [
        whole(json.dumps(listing(item("media"))).encode()),
        whole(event("BOOKMARK", {"metadata": {"resourceVersion": "77"}})),
        whole(event("ADDED", item("backup", 78))),
    ]

    watch, api = follow(script, lambda watch, _: until(lambda: "backup" in names(watch)))

    assert api.watches() == ["10", "77"]
    assert names(watch) == {"media", "backup"}, "nothing was listed again, and nothing was lost"


def test_a_version_that_the_api_has_forgotten_is_followed_by_a_new_listing() -> None:
    gone = {"kind": "Status", "code": 410, "message": "too old resource version"}
    script = [
        whole(json.dumps(listing(item("media"), item("old"))).encode()),
        whole(event("ERROR", gone)),
        whole(json.dumps(listing(item("media"), item("new"), version=50)).encode()),
        (410, json.dumps(gone).encode()),
        whole(json.dumps(listing(item("media"), item("newer"), version=60)).encode()),
        whole(),
    ]

    watch, api = follow(script, lambda _, api: until(lambda: len(api.watches()) == 3))

    assert names(watch) == {"media", "newer"}
    assert api.watches() == ["10", "50", "60"]


def test_a_listing_that_fails_or_is_no_listing_removes_nothing() -> None:
    script = [
        whole(json.dumps(listing(item("media"))).encode()),
        whole(event("ERROR", {"code": 410})),
        (500, b"{}"),
        whole(b"<html>login</html>"),
        whole(b'{"items": [{}], "metadata": {"resourceVersion": "1"}}'),
        (403, b'{"message": "User \\"us\\" cannot list resource \\"statefulsets\\""}'),
    ]
    troubles: list[str] = []

    async def forbidden(watch: ObjectWatch, api: Api) -> None:
        await until(lambda: "may not list" in str(watch.trouble) and len(api.asked) > 6)
        troubles.append(str(watch.trouble))

    watch, _ = follow(script, forbidden)

    assert names(watch) == {"media"}
    assert troubles == ["user us may not list statefulsets in namespace files"]


def test_an_event_that_makes_no_sense_is_followed_by_a_new_listing() -> None:
    script = [
        whole(json.dumps(listing(item("media"))).encode()),
        whole(b"half an eve"),
        whole(json.dumps(listing(item("media"), item("backup"))).encode()),
        whole(),
    ]
    troubles: list[str] = []

    async def relisted(watch: ObjectWatch, _: Api) -> None:
        watch.on_change = lambda: troubles.append(str(watch.trouble))
        await until(lambda: "backup" in names(watch))

    follow(script, relisted)

    assert "what a watch was sent is not a Kubernetes API event" in troubles


def test_where_only_listing_is_allowed_every_further_try_lists_again() -> None:
    denied = (403, b'{"message": "User \\"us\\" cannot watch resource \\"statefulsets\\""}')
    script = [
        whole(json.dumps(listing(item("media"))).encode()),
        denied,
        whole(json.dumps(listing(item("media"), item("backup"), version=20)).encode()),
        denied,
    ]

    watch, api = follow(script, lambda watch, _: until(lambda: "backup" in names(watch)))

    assert names(watch) == {"media", "backup"}
    assert "may not watch" in str(watch.trouble)
    assert api.watches()[0] == "10"
