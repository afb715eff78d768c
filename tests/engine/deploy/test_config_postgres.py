"""The real server on a real PostgreSQL, from exactly the environment that is rendered."""

from pathlib import Path
from typing import Any

import pytest

from dittoinfra.decide.pod import waiting_script
from lab.bed.credentials import credential
from lab.bed.postgres import PostgresServer
from lab.bed.process import BedError, Server
from tests.engine.deploy.config import Secrets
from tests.engine.deploy.config_server import container, started

PASSWORD = credential("p@ss:wörd/with 'everything'")
PERCONA_SECRET = "media-postgres-pguser-dittofs"
DEADLINE = 60.0


def make_owned(postgres: PostgresServer, name: str) -> None:
    """A database as people make one: its user owns it."""
    postgres.run(f"create role {name} login password '{quoted(PASSWORD)}'")
    postgres.run(f"create database {name} owner {name}")


def make_as_percona_does(postgres: PostgresServer, name: str) -> None:
    """A database whose user owns nothing in it but a schema with its own name."""
    postgres.run(f"create role {name} login password '{quoted(PASSWORD)}'")
    postgres.run(f"create database {name}")
    postgres.run(f"grant all on database {name} to {name}")
    postgres.run(f"create schema authorization {name}", name)


def quoted(text: str) -> str:
    return text.replace("'", "''")


def by_secret(postgres: PostgresServer, name: str, **others: str) -> Secrets:
    told = {"host": "127.0.0.1", "database": name, "user": name, "password": PASSWORD, **others}
    return {"pg": {"port": str(postgres.port), **told}, "pg-ca": {"ca.crt": postgres.ca_pem}}


def as_percona_tells(postgres: PostgresServer, name: str) -> Secrets:
    told = {"host": "127.0.0.1", "dbname": name, "user": name, "password": PASSWORD}
    uri = "postgresql://of-no-use/to-the-server"
    return {PERCONA_SECRET: {"port": str(postgres.port), "uri": uri, **told}}


def administrators(postgres: PostgresServer, name: str, schema: str) -> str:
    return postgres.run(f"select username from {schema}.users where role = 'admin'", name)


@pytest.mark.parametrize(
    "settings",
    [{}, {"sslmode": "verify-full", "ca": {"secret": "pg-ca", "key": "ca.crt"}}],
    ids=["require", "verify-full"],
)
def test_postgres_by_secret(
    dfs_binary: Path, tmp_path: Path, postgres: PostgresServer, settings: dict[str, Any]
) -> None:
    name = postgres.database()
    make_owned(postgres, name)
    deploy = {"database": {"postgres": {"secret": "pg", **settings}}}

    with started(dfs_binary, tmp_path, deploy, by_secret(postgres, name)) as running:
        running.login()
        said = running.process.output

    assert administrators(postgres, name, "public") == "admin"
    assert PASSWORD not in said
    assert not (tmp_path / "data").exists(), "nothing is left on the claim"


def test_a_database_certificate_of_an_unknown_authority_is_not_believed(
    dfs_binary: Path, tmp_path: Path, postgres: PostgresServer
) -> None:
    name = postgres.database()
    make_owned(postgres, name)
    deploy = {"database": {"postgres": {"secret": "pg", "sslmode": "verify-full"}}}

    with (
        pytest.raises(BedError, match="unknown authority"),
        started(dfs_binary, tmp_path, deploy, by_secret(postgres, name)),
    ):
        pass


def test_percona(dfs_binary: Path, tmp_path: Path, postgres: PostgresServer) -> None:
    name = postgres.database()
    make_as_percona_does(postgres, name)
    deploy: dict[str, Any] = {"database": {"percona": {}}}

    with started(dfs_binary, tmp_path, deploy, as_percona_tells(postgres, name)) as running:
        running.login()

    assert administrators(postgres, name, name) == "admin"


def test_the_server_is_kept_waiting_until_its_database_lets_it_in(
    dfs_binary: Path, tmp_path: Path, postgres: PostgresServer
) -> None:
    name = postgres.database()
    made = container(tmp_path, {"database": {"percona": {}}}, as_percona_tells(postgres, name))
    script = waiting_script(str(dfs_binary), str(made.config_file))
    log = tmp_path / "waiting.log"

    waiting = Server("waiting", ["/bin/sh", "-c", script], log, environment=made.environment)
    try:
        waiting.wait_until(lambda: "migration failed" in waiting.output, DEADLINE)
        make_as_percona_does(postgres, name)
        assert waiting.wait(DEADLINE) == 0, waiting.output
    finally:
        waiting.stop()

    assert "Migrations completed successfully" in waiting.output
    assert PASSWORD not in waiting.output
