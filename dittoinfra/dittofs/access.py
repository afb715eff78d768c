"""How one server's API is reached: settings, passwords, environment and files, checked together."""

import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from pydantic import SecretStr

from dittoinfra.dittofs.login import Login, PasswordSource, StoredLogin
from dittoinfra.dittofs.tls import (
    ClientCertificate,
    TlsSettingError,
    read_authorities,
    read_client_certificate,
    tls_context,
)
from dittoinfra.dittofs.tunnel import Tunnel
from dittoinfra.settings import (
    ANY_SERVER,
    ApiSettings,
    ByPortForward,
    ByUrl,
    PasswordSecret,
    Problem,
    ServerSettings,
    way_to,
)


@dataclass(frozen=True, slots=True)
class ApiAccess:
    """Everything that asking one API takes."""

    url: str
    login: Login | StoredLogin
    deadline: float = 20.0
    """Seconds for a whole poll."""
    request_timeout: float = 5.0
    """Seconds for one request, from connecting to the last byte."""
    tls: ssl.SSLContext | None = field(default=None, repr=False)
    """None for plain http."""
    proxy: str | None = None
    proxy_tls: ssl.SSLContext | None = field(default=None, repr=False)
    """The way to an https proxy: the same authorities, but never our certificate."""
    tunnel: Tunnel | None = None
    """What carries the bytes where no address of ours does; the URL is then the one that TLS verifies."""

    @property
    def setting(self) -> str:
        """The setting that decides where we ask: what to look at when it is the wrong place."""
        return "api.url" if self.tunnel is None else "api.portForward"


@dataclass(frozen=True, slots=True)
class NotAsked:
    """There is no way to ask the server."""

    why: str = (
        "no api.url is configured: the server is not asked; set api.url, or api.portForward where only the "
        "cluster reaches it, to follow its adapters"
    )


class ClusterSide(Protocol):
    """What only the cluster can give."""

    def tunnel(self, server: str, way: ByPortForward) -> Tunnel:
        """What opens streams to the API of a server."""

    def stored_login(self, server: ServerSettings, secret: PasswordSecret) -> StoredLogin:
        """What reads the login of a server."""


_NO_CLUSTER = (
    "the provider writes manifests (kubernetes:renderYamlToDirectory), so there is no cluster to reach it "
    "through: the server is not asked; give api.url and a password outside the cluster to follow its adapters"
)


@dataclass(frozen=True, slots=True)
class AccessProblems:
    """Everything that is wrong with a server's access; paths start at the server, or at `dittoinfra:`."""

    problems: tuple[Problem, ...]


def resolve_access(
    server: ServerSettings,
    passwords: Mapping[str, SecretStr],
    environ: Mapping[str, str],
    root: Path,
    *,
    cluster: ClusterSide | None = None,
    in_cluster: bool = False,
) -> ApiAccess | NotAsked | AccessProblems:
    """The access to a server's API; paths are relative to `root`.

    Without a `cluster` nothing in it can be asked; `in_cluster` says that the server was found there.
    """
    api, way = server.api, way_to(server, in_cluster=in_cluster)
    if way is None:
        return NotAsked()
    if cluster is None and (isinstance(way, ByPortForward) or api.password_secret is not None):
        return NotAsked(_NO_CLUSTER)
    if isinstance(way, ByPortForward) and not way.written and not _has_password(server, passwords):
        return NotAsked(
            f"no password is configured: the server is not asked; {_set_password(server.name)} to follow its "
            "adapters"
        )
    login = _login(server, passwords, environ, cluster)
    tls = _read_tls(api, root)
    problems = tuple(problem for found in (login, tls) if isinstance(found, list) for problem in found)
    if isinstance(login, list) or isinstance(tls, list):
        return AccessProblems(problems)
    proxy = api.proxy if isinstance(way, ByUrl) else None
    return ApiAccess(
        url=way.url,
        login=login,
        deadline=api.deadline.total_seconds(),
        request_timeout=api.request_timeout.total_seconds(),
        tls=tls_context(tls.authorities, tls.certificate) if _is_https(way.url) else None,
        proxy=proxy,
        proxy_tls=tls_context(tls.authorities, None) if proxy and _is_https(proxy) else None,
        tunnel=cluster.tunnel(server.name, way) if cluster and isinstance(way, ByPortForward) else None,
    )


def _login(
    server: ServerSettings,
    passwords: Mapping[str, SecretStr],
    environ: Mapping[str, str],
    cluster: ClusterSide | None,
) -> Login | StoredLogin | list[Problem]:
    name, api = server.name, server.api
    if api.password_env is not None:
        value = environ.get(api.password_env, "")
        if not value:
            state = "empty" if api.password_env in environ else "not set"
            message = (
                f"the environment variable {api.password_env} is {state}; "
                "export it, or drop api.passwordEnv and use dittoinfra:passwords"
            )
            return [Problem("api.passwordEnv", message)]
        source = PasswordSource(f"the environment variable {api.password_env}", "export the right one")
        return Login(api.username, SecretStr(value), source)
    if api.password_secret is not None and cluster is not None:
        return cluster.stored_login(server, api.password_secret)
    # Pulumi's path syntax takes * only in brackets and quotes.
    for key, path in ((name, f"passwords.{name}"), (ANY_SERVER, 'passwords["*"]')):
        if key not in passwords:
            continue
        fix = f"pulumi config set --secret --path 'dittoinfra:{path}'"
        if not passwords[key].get_secret_value():
            return [Problem(f"dittoinfra:{path}", f"is empty; set it with: {fix}")]
        return Login(api.username, passwords[key], PasswordSource(f"dittoinfra:{path}", fix))
    message = f"neither it nor dittoinfra:passwords gives a password for {name}; {_set_password(name)}"
    return [Problem("api.passwordEnv", message)]


def _has_password(server: ServerSettings, passwords: Mapping[str, SecretStr]) -> bool:
    api = server.api
    written = api.password_env is not None or api.password_secret is not None
    return written or not passwords.keys().isdisjoint({server.name, ANY_SERVER})


def _set_password(name: str) -> str:
    return f"set one with: pulumi config set --secret --path 'dittoinfra:passwords.{name}'"


@dataclass(frozen=True, slots=True)
class _TlsFiles:
    authorities: str | None = None
    certificate: ClientCertificate | None = None


def _read_tls(api: ApiSettings, root: Path) -> _TlsFiles | list[Problem]:
    problems: list[Problem] = []
    authorities: str | None = None
    certificate: ClientCertificate | None = None
    try:
        authorities = read_authorities(api.ca_bundle, root) if api.ca_bundle is not None else None
    except TlsSettingError as error:
        problems.append(error.problem)
    try:
        certificate = _client_certificate(api, root)
    except TlsSettingError as error:
        problems.append(error.problem)
    return problems or _TlsFiles(authorities, certificate)


def _client_certificate(api: ApiSettings, root: Path) -> ClientCertificate | None:
    if api.client_certificate is not None:
        return read_client_certificate(api.client_certificate, api.client_key, root)
    if api.client_key is not None:
        why = "a key without a certificate"
        raise TlsSettingError(
            "api.clientKey", why, "set api.clientCertificate as well, or drop api.clientKey"
        )
    return None


def _is_https(url: str) -> bool:
    return url.lower().startswith("https:")
