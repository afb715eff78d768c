"""One project per test, with its state in each of the backends in turn."""

import os
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, urlencode

import pytest
from pulumi.automation import PulumiCommand

from dittoinfra.engine.engine_errors import EngineError
from lab.bed.credentials import credential
from lab.bed.kubernetes import KubernetesApi
from lab.bed.postgres import PostgresServer
from lab.bed.s3 import REGION, S3Server
from lab.bed.tools import VERSITYGW, VERSITYGW_TOOL
from lab.gotools import StreamProgress, build
from tests.chaos.crashes.site import Site
from tests.chaos.crashes.site import site as new_site


@pytest.fixture(scope="session")
def s3(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[S3Server]:
    """A real S3 server; take a `bucket()` of it and nothing of another test is in the way."""
    capture = request.config.pluginmanager.getplugin("capturemanager")
    try:
        # The first build takes minutes: it must be seen to move.
        with capture.global_and_fixture_disabled():
            binary = VERSITYGW_TOOL.binary(build(VERSITYGW_TOOL, StreamProgress()), VERSITYGW)
    except EngineError as error:
        pytest.fail(str(error), pytrace=False)
    with S3Server(binary, tmp_path_factory.mktemp("s3")) as server:
        yield server


@pytest.fixture(params=["file", "postgres", "s3"])
def backend(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str | None:
    """A backend of its own for one test; None for a folder of the project."""
    match request.param:
        case "postgres":
            return postgres_url(request.getfixturevalue("postgres"))
        case "s3":
            return s3_url(request.getfixturevalue("s3"), monkeypatch)
        case _:
            return None


@pytest.fixture
def site(
    pulumi_cli: PulumiCommand, kubernetes_api: KubernetesApi, tmp_path: Path, backend: str | None
) -> Iterator[Site]:
    """A project without a stack yet."""
    with new_site(pulumi_cli, kubernetes_api, tmp_path) as fresh:
        fresh.fleet.backend = backend
        yield fresh


def postgres_url(server: PostgresServer) -> str:
    """A fresh database of a server, as the CLI takes it."""
    name, password = server.database(), credential("of-the-state")
    server.run(f"create role {name} login password '{password}'")
    server.run(f"create database {name} owner {name}")
    return f"postgres://{name}:{quote(password, safe='')}@127.0.0.1:{server.port}/{name}?sslmode=require"


def s3_url(server: S3Server, monkeypatch: pytest.MonkeyPatch) -> str:
    """A fresh bucket of a server, as the CLI takes it, whose keys it takes from the environment."""
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    # Nor what is in the home of the user who runs the tests.
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, os.devnull)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", server.access_key)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", server.secret_key)
    query = {"endpoint": server.url, "s3ForcePathStyle": "true", "region": REGION}
    return f"s3://{server.bucket()}?{urlencode(query, safe=':/')}"
