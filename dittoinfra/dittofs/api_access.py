"""How one server's API is reached: settings, passwords, environment and files, checked together."""

import ssl
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Protocol

from pydantic import SecretStr

from dittoinfra.dittofs.text import cut
from dittoinfra.dittofs.tls import (
    ClientCertificate,
    TlsSettingError,
    read_authorities,
    read_client_certificate,
    tls_context,
)
from dittoinfra.dittofs.transport import Tunnel
from dittoinfra.settings import (
    ANY_SERVER,
    ByPortForward,
    PasswordSecret,
    Problem,
    ServerSettings,
    SettingPath,
)
from dittoinfra.settings.problems import path_of
from dittoinfra.settings.server import ApiSettings, ByUrl, api_endpoint
from dittoinfra.settings.setting_words import STACK_WORDS, SettingWords
from dittoinfra.trouble import Trouble

LONGEST_SHOWN_URL = 120
_PASSWORD_ENV = SettingPath(("api", "passwordEnv"))
_PASSWORDS = path_of(("passwords",))


@dataclass(frozen=True, slots=True)
class PasswordSource:
    """Where a password is configured, and how to change it: what a refused login tells people."""

    where: str
    fix: str
    place: Callable[[], str | None] = field(default=lambda: None, repr=False, compare=False)
    """The file and the line of a setting. Called only for a message: it reads the stack's files."""

    def __str__(self) -> str:
        place = self.place()
        return f"{self.where} in {place}" if place else self.where


@dataclass(frozen=True, slots=True)
class Login:
    """A user's name and password."""

    username: str
    password: SecretStr
    source: PasswordSource


StoredLogin = Callable[[], Awaitable[Login]]
"""Reads a login in the middle of a poll; what keeps it from that is a `StepError`."""


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
    """For an https proxy: the same authorities, but never our certificate."""
    tunnel: Tunnel | None = None
    """What carries the bytes instead of a connection of our own; TLS still verifies the URL's host."""

    def hurried(self) -> "ApiAccess":
        """This access, with no more time for a whole poll than for one request."""
        return replace(self, deadline=min(self.deadline, self.request_timeout))

    @property
    def setting(self) -> str:
        """The setting that decides where we ask: what to look at when it is the wrong place."""
        return "api.url" if self.tunnel is None else "api.portForward"

    @property
    def check_setting(self) -> str:
        """The next step where something else than a DittoFS API seems to answer."""
        return f"check that {self.setting} leads to a DittoFS API"

    @property
    def shown_url(self) -> str:
        """The address as messages show it."""
        return cut(self.url, LONGEST_SHOWN_URL)


@dataclass(frozen=True, slots=True)
class NotAsked(Trouble):
    """There is no way to ask the server."""

    def hurried(self) -> "NotAsked":
        """Itself: what is not asked takes no time."""
        return self


NO_ADDRESS = NotAsked(
    "no api.url is configured: the server is not asked",
    "set api.url, or api.portForward where only the cluster reaches it, to follow its adapters",
)
_NO_CLUSTER = NotAsked(
    "the provider writes manifests (kubernetes:renderYamlToDirectory), so there is no cluster to reach it "
    "through: the server is not asked",
    "give api.url and a password outside the cluster to follow its adapters",
)


class ClusterSide(Protocol):
    """Access that leads through the cluster."""

    def tunnel(self, server: str, endpoint: ByPortForward) -> Tunnel:
        """What opens streams to the API of a server."""

    def stored_login(self, server: ServerSettings, secret: PasswordSecret) -> StoredLogin:
        """What reads the login of a server."""


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
    words: SettingWords = STACK_WORDS,
) -> ApiAccess | NotAsked | AccessProblems:
    """The access to a server's API; paths are relative to `root`.

    Without a `cluster` nothing in it can be asked; `in_cluster` says that the server was found there, and
    `words` how messages name passwords.
    """
    api, endpoint = server.api, api_endpoint(server, in_cluster=in_cluster)
    if endpoint is None:
        return NO_ADDRESS
    if cluster is None and (isinstance(endpoint, ByPortForward) or api.password_secret is not None):
        return _NO_CLUSTER
    if isinstance(endpoint, ByPortForward) and not endpoint.explicit and not _has_password(server, passwords):
        return NotAsked(
            "no password is configured: the server is not asked",
            f"{words.set_secret(_password_of(server))} to follow its adapters",
        )
    login = _login(server, passwords, environ, cluster, words)
    tls = _read_tls(api, root)
    if isinstance(login, list) or isinstance(tls, list):
        found = (problems for problems in (login, tls) if isinstance(problems, list))
        return AccessProblems(tuple(chain.from_iterable(found)))
    authorities, certificate = tls
    proxy = api.proxy if isinstance(endpoint, ByUrl) else None
    try:
        verifying = tls_context(authorities, certificate) if _is_https(endpoint.url) else None
    except (OSError, ValueError):
        # OpenSSL reads the files once more, and they may have been replaced since they were looked at.
        changed = "its files were replaced while they were read; run again"
        return AccessProblems((Problem(SettingPath(("api", "clientCertificate")), changed),))
    return ApiAccess(
        url=endpoint.url,
        login=login,
        deadline=api.deadline.total_seconds(),
        request_timeout=api.request_timeout.total_seconds(),
        tls=verifying,
        proxy=proxy,
        proxy_tls=tls_context(authorities, None) if proxy and _is_https(proxy) else None,
        tunnel=cluster.tunnel(server.name, endpoint)
        if cluster and isinstance(endpoint, ByPortForward)
        else None,
    )


def _login(
    server: ServerSettings,
    passwords: Mapping[str, SecretStr],
    environ: Mapping[str, str],
    cluster: ClusterSide | None,
    words: SettingWords,
) -> Login | StoredLogin | list[Problem]:
    name, api = server.name, server.api
    if api.password_env is not None:
        value = environ.get(api.password_env, "")
        if not value:
            state = "empty" if api.password_env in environ else "not set"
            message = (
                f"the environment variable {api.password_env} is {state}; "
                f"export it, or drop api.passwordEnv and use {words.name(_PASSWORDS)}"
            )
            return [Problem(_PASSWORD_ENV, message)]
        source = PasswordSource(f"the environment variable {api.password_env}", "export the right one")
        return Login(api.username, SecretStr(value), source)
    if api.password_secret is not None and cluster is not None:
        return cluster.stored_login(server, api.password_secret)
    for key in (name, ANY_SERVER):
        if key not in passwords:
            continue
        path = path_of(("passwords", key))
        if not passwords[key].get_secret_value():
            return [Problem(path, f"is empty; {words.set_secret(path)}")]
        source = PasswordSource(words.name(path), words.correct_secret(path), partial(words.place, path))
        return Login(api.username, passwords[key], source)
    message = (
        f"neither it nor {words.name(_PASSWORDS)} gives a password for {name}; "
        f"{words.set_secret(_password_of(server))}"
    )
    return [Problem(_PASSWORD_ENV, message)]


def _has_password(server: ServerSettings, passwords: Mapping[str, SecretStr]) -> bool:
    api = server.api
    written = api.password_env is not None or api.password_secret is not None
    return written or not passwords.keys().isdisjoint({server.name, ANY_SERVER})


def _password_of(server: ServerSettings) -> SettingPath:
    return path_of((*_PASSWORDS.steps, server.name))


def _read_tls(api: ApiSettings, root: Path) -> tuple[str | None, ClientCertificate | None] | list[Problem]:
    """The authorities and the client certificate that the settings name, or what is wrong with them."""
    problems: list[Problem] = []
    authorities: str | None = None
    certificate: ClientCertificate | None = None
    try:
        authorities = read_authorities(api.ca_bundle, root) if api.ca_bundle is not None else None
    except TlsSettingError as error:
        problems.append(error.problem)
    try:
        if api.client_certificate is not None:
            certificate = read_client_certificate(api.client_certificate, api.client_key, root)
    except TlsSettingError as error:
        problems.append(error.problem)
    if api.client_key is not None and api.client_certificate is None:
        why = "a key without a certificate; set api.clientCertificate as well, or drop api.clientKey"
        problems.append(Problem(SettingPath(("api", "clientKey")), why))
    return problems or (authorities, certificate)


def _is_https(url: str) -> bool:
    return url.lower().startswith("https:")
