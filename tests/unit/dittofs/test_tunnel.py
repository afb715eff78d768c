"""Servers and logins that only the cluster has: when they are asked, and what is said when they cannot be."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from anyio import connect_tcp
from anyio.abc import ByteStream
from pydantic import SecretStr

from dittoinfra.dittofs import AccessProblems, ApiAccess, Login, NotAsked, resolve_access
from dittoinfra.dittofs.api_access import PasswordSource, StoredLogin
from dittoinfra.dittofs.client import DittoFSClient
from dittoinfra.dittofs.poll_errors import FinalError
from dittoinfra.dittofs.transport import Tunnel
from dittoinfra.model import Answered, Denied, Outcome, Unreachable
from dittoinfra.settings import ByPortForward, PasswordSecret, ServerSettings
from lab.bed.credentials import credential
from lab.simulator import SimulatedDittoFS
from tests.unit.dittofs.bench import IMPATIENT, PASSWORD, USERNAME, poll

ENVIRON = {"MEDIA": PASSWORD}
CREDENTIALS = {"jwt": {"secret": "s", "key": "k"}, "adminPassword": {"secret": "s", "key": "k"}}


class Somewhere:
    """A cluster in which everything leads to one server on loopback."""

    def __init__(self, port: int = 0, password: str = PASSWORD) -> None:
        self.port = port
        self.password = password
        self.opened = 0
        self.asked_for: list[ByPortForward] = []

    def tunnel(self, server: str, endpoint: ByPortForward) -> Tunnel:
        self.asked_for.append(endpoint)

        async def stream() -> ByteStream:
            self.opened += 1
            return await connect_tcp("127.0.0.1", self.port)

        return stream

    def stored_login(self, server: ServerSettings, secret: PasswordSecret) -> StoredLogin:
        async def read() -> Login:
            source = PasswordSource(f"Secret {secret.name}", "put the right one there")
            return Login(USERNAME, SecretStr(self.password), source)

        return read


def server(api: dict[str, object] | None = None, **settings: object) -> ServerSettings:
    return ServerSettings.model_validate(
        {"name": "media", "namespace": "files", "api": {"deadline": "5s", **(api or {})}, **settings}
    )


def resolve(
    settings: ServerSettings, cluster: Somewhere | None, *, in_cluster: bool = False
) -> ApiAccess | NotAsked | AccessProblems:
    return resolve_access(settings, {}, ENVIRON, Path(), cluster=cluster, in_cluster=in_cluster)


def access(settings: ServerSettings, cluster: Somewhere) -> ApiAccess:
    resolved = resolve(settings, cluster)
    assert isinstance(resolved, ApiAccess)
    return resolved


FORWARDED = server({"portForward": {}, "passwordEnv": "MEDIA"})


@pytest.mark.parametrize(
    ("settings", "in_cluster"),
    [
        (FORWARDED, False),
        (server({"passwordEnv": "MEDIA"}), True),
        (server({"passwordEnv": "MEDIA"}, deploy={"credentials": CREDENTIALS}), False),
        (server({"url": "http://media:8080", "passwordSecret": {"name": "login"}}), False),
    ],
    ids=["written", "found", "deployed", "only the password"],
)
def test_where_there_is_no_cluster_what_is_in_it_is_not_asked(
    settings: ServerSettings, in_cluster: bool
) -> None:
    found = resolve(settings, None, in_cluster=in_cluster)

    assert isinstance(found, NotAsked)
    assert "(kubernetes:renderYamlToDirectory)" in found.why
    assert isinstance(resolve(settings, Somewhere(), in_cluster=in_cluster), ApiAccess)


def test_a_deployed_server_without_a_password_is_not_asked_and_nothing_is_wrong() -> None:
    assert resolve(server(deploy={"credentials": CREDENTIALS}), Somewhere()) == NotAsked(
        "no password is configured: the server is not asked",
        "set one with: pulumi config set --secret --path 'dittoinfra:passwords.media' to follow its adapters",
    )


def test_a_configured_port_forward_needs_a_password() -> None:
    assert isinstance(resolve(server({"portForward": {}}), Somewhere()), AccessProblems)


def test_a_configured_password_must_be_there() -> None:
    settings = server({"passwordEnv": "MISSING"}, deploy={"credentials": CREDENTIALS})

    assert isinstance(resolve(settings, Somewhere()), AccessProblems)


def test_an_address_is_asked_without_the_cluster() -> None:
    cluster = Somewhere()
    found = access(server({"url": "http://{server}:8080", "passwordEnv": "MEDIA"}), cluster)

    assert (found.url, found.tunnel, cluster.asked_for) == ("http://media:8080", None, [])


@pytest.fixture
def simulated() -> Iterator[SimulatedDittoFS]:
    with SimulatedDittoFS() as running:
        running.add_user("dittoinfra", PASSWORD)
        yield running


def port_of(simulated: SimulatedDittoFS) -> int:
    return int(simulated.url.rpartition(":")[2])


def test_one_stream_carries_a_whole_poll(simulated: SimulatedDittoFS) -> None:
    cluster = Somewhere(port_of(simulated))
    settings = access(FORWARDED, cluster)

    assert settings.url == "http://media-api.files.svc:8080"
    assert isinstance(poll(settings), Answered)
    assert cluster.opened == 1


def test_a_stream_that_was_closed_meanwhile_is_opened_anew(simulated: SimulatedDittoFS) -> None:
    cluster = Somewhere(port_of(simulated))
    settings = access(FORWARDED, cluster)

    async def twice() -> list[Outcome]:
        async with DittoFSClient(settings, IMPATIENT) as client:
            first = await client.poll()
            simulated.stop()
            await asyncio.sleep(0)
            simulated.start()
            cluster.port = port_of(simulated)
            return [first, await client.poll()]

    assert [type(outcome) for outcome in asyncio.run(twice())] == [Answered, Answered]
    assert cluster.opened >= 2


def test_what_keeps_a_stream_from_opening_is_the_outcome() -> None:
    settings = access(FORWARDED, Somewhere())

    async def forbidden() -> ByteStream:
        raise FinalError(Denied("may not create pods/portforward"))

    denied = poll(ApiAccess(url=settings.url, login=settings.login, deadline=5.0, tunnel=forbidden))

    assert denied == Denied("may not create pods/portforward")


def test_a_stream_that_never_opens_costs_the_deadline_and_no_more() -> None:
    settings = access(FORWARDED, Somewhere())

    async def never() -> ByteStream:
        await asyncio.Event().wait()
        raise AssertionError

    outcome = poll(ApiAccess(url=settings.url, login=settings.login, deadline=0.2, tunnel=never))

    assert isinstance(outcome, Unreachable)
    assert "gave no answer within 0.2 s (api.deadline)" in outcome.why


def test_a_stored_login_is_read_anew_for_every_login(simulated: SimulatedDittoFS) -> None:
    cluster = Somewhere(port_of(simulated), password=credential("of-yesterday"))
    settings = access(server({"portForward": {}, "passwordSecret": {"name": "login"}}), cluster)

    async def twice() -> list[Outcome]:
        async with DittoFSClient(settings, IMPATIENT) as client:
            first = await client.poll()
            cluster.password = PASSWORD
            return [first, await client.poll()]

    first, second = asyncio.run(twice())
    assert isinstance(first, Denied)
    assert "with the password from Secret login (HTTP 401); put the right one there" in first.why
    assert isinstance(second, Answered)


def test_the_right_setting_is_named_when_the_place_is_wrong(simulated: SimulatedDittoFS) -> None:
    simulated.answer_with(404, "nobody here")

    outcome = poll(access(FORWARDED, Somewhere(port_of(simulated))))

    assert "api.portForward" in getattr(outcome, "why", "")
    assert "api.url" not in getattr(outcome, "why", "")
