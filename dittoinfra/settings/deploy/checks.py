"""What must fit together before a server can be deployed."""

from collections.abc import Iterator
from urllib.parse import urlsplit

from dittoinfra.settings.deploy.credentials import Credentials, ServerSecrets
from dittoinfra.settings.deploy.workload import Deploy
from dittoinfra.settings.problems import Problem, path_of
from dittoinfra.settings.server import ServerSettings
from dittoinfra.settings.way import ByUrl, Way, way_to

PERCONA_NAME_LIMIT = 28
"""Percona adds `-postgres-instance1-` and four letters, and a StatefulSet's name must stay within 52."""

_Place = tuple[str | int, ...]


def check_deployment(
    server: ServerSettings, secrets: ServerSecrets | None, place: tuple[str, int]
) -> Iterator[Problem]:
    """Every contradiction in the deployment of one server; a server that exists already has none."""
    deploy = server.deploy
    if deploy is None:
        return
    within = (*place, "deploy")
    yield from _credentials(server.name, deploy.credentials, secrets or ServerSecrets(), within)
    yield from _percona(server.name, deploy, within)
    yield from _client(server, deploy, place)


def _credentials(name: str, credentials: Credentials, own: ServerSecrets, place: _Place) -> Iterator[Problem]:
    for key, referred, given in (
        ("jwt", credentials.jwt, own.jwt),
        ("adminPassword", credentials.admin_password, own.admin_password),
    ):
        path, secret = path_of((*place, "credentials", key)), path_of(("serverSecrets", name, key))
        if referred is None and given is None:
            yield Problem(
                path,
                f"is required; name a Secret that exists, or let the stack make one: "
                f"`pulumi config set --secret --path '{secret}'`",
            )
        elif referred is not None and given is not None:
            yield Problem(path, f"and {secret} both say where it comes from; drop one")


def _percona(name: str, deploy: Deploy, place: _Place) -> Iterator[Problem]:
    if deploy.database.percona is not None and len(name) > PERCONA_NAME_LIMIT:
        yield Problem(
            path_of((*place, "database", "percona")),
            f"needs a server name of at most {PERCONA_NAME_LIMIT} characters, because Percona's own names "
            f"become longer ({name!r} has {len(name)})",
        )


def _client(server: ServerSettings, deploy: Deploy, place: _Place) -> Iterator[Problem]:
    """Whether the program's own client can speak with the API that it deploys."""
    api, tls, way = server.api, deploy.api.tls, way_to(server)
    routed = deploy.api.ingress is not None or deploy.api.gateway is not None
    # A route ends TLS by itself, so what a client meets there says nothing about the server behind it.
    if tls is None or way is None or (routed and isinstance(way, ByUrl)):
        return
    if urlsplit(way.url).scheme == "http":
        setting, right = ("url", "https://") if isinstance(way, ByUrl) else ("portForward.scheme", "https")
        yield Problem(
            path_of((*place, "api", setting)),
            f"must be {right}, because deploy.api.tls makes the API speak TLS",
        )
    if tls.client_ca is not None and api.client_certificate is None and _is_written(way):
        yield Problem(
            path_of((*place, "api", "clientCertificate")),
            "is required, because deploy.api.tls.clientCa lets nobody in without one",
        )


def _is_written(way: Way) -> bool:
    return isinstance(way, ByUrl) or way.written
