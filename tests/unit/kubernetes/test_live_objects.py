"""Objects are read one by one where they cannot be listed: a run must know what exists."""

from collections.abc import Callable, Mapping

import httpx
import pytest

from dittoinfra.kubernetes import Cluster
from dittoinfra.kubernetes.cluster_errors import UnansweredError
from dittoinfra.kubernetes.live_objects import ObjectReader
from dittoinfra.object_model import ObjectPlace

Answer = Callable[[str], httpx.Response]
SERVICES = "/api/v1/namespaces/files/services"
NAMES = [f"media-{number}" for number in range(40)]
PLACES = [ObjectPlace("v1", "Service", "files", name) for name in NAMES]
MAPPING = ObjectPlace("router-hosts.fzymgc.house/v1alpha1", "HostMapping", "files", "media-adapter-nfs")


class AnsweringCluster(Cluster):
    """Answers GETs by a function, and counts them."""

    def __init__(self, answer: Answer) -> None:
        super().__init__("unused")
        self.asked: list[str] = []
        self._answer = answer

    @property
    def server(self) -> str:
        return "http://cluster"

    def request(self, method: str, path: str, **_: object) -> httpx.Response:
        self.asked.append(path)
        response = self._answer(path)
        response.request = httpx.Request(method, f"http://cluster{path}")
        return response


def status(code: int) -> httpx.Response:
    return httpx.Response(code, json={"message": "as it is"})


def service(path: str) -> httpx.Response:
    return httpx.Response(200, json={"metadata": {"name": path.rpartition("/")[2], "uid": "1"}})


def reading(answer: Answer, *places: ObjectPlace) -> tuple[Mapping[ObjectPlace, object], ObjectReader, int]:
    cluster = AnsweringCluster(answer)
    with ObjectReader(cluster, "app=dittofs-server") as reader:
        seen = reader.read(places)
    return seen, reader, len(cluster.asked)


@pytest.mark.parametrize("code", [403, 500, 503])
def test_a_listing_that_fails_is_followed_by_single_reads(code: int) -> None:
    seen, reader, asked = reading(
        lambda path: status(code) if path == SERVICES else service(path), *PLACES[:3]
    )

    assert all(seen[place] is not None for place in PLACES[:3])
    assert (reader.unread, asked) == ({}, 4)


def test_what_still_cannot_be_read_is_left_out_with_the_reason() -> None:
    def forbidden(path: str) -> httpx.Response:
        return service(path) if path.endswith("media-1") else status(403)

    seen, reader, _ = reading(forbidden, *PLACES[:3])

    assert list(seen) == [PLACES[1]]
    assert set(reader.unread) == {PLACES[0], PLACES[2]}
    assert all("answered 403" in why for why in reader.unread.values())


def test_a_cluster_that_does_not_answer_is_not_asked_about_every_object() -> None:
    def silent(path: str) -> httpx.Response:
        raise UnansweredError(f"no answer to {path}")

    seen, reader, asked = reading(silent, *PLACES)

    assert (dict(seen), set(reader.unread)) == ({}, set(PLACES))
    assert asked < len(PLACES)


def test_a_kind_that_the_cluster_does_not_know_is_neither_seen_nor_unread() -> None:
    seen, reader, _ = reading(lambda _: status(404), MAPPING)

    assert (dict(seen), reader.unread) == ({}, {})
