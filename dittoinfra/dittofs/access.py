"""How one server's API is reached: settings, passwords, environment and files, checked together."""

import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import SecretStr

from dittoinfra.dittofs.tls import (
    ClientCertificate,
    TlsSettingError,
    read_authorities,
    read_client_certificate,
    tls_context,
)
from dittoinfra.settings import ANY_SERVER, ApiSettings, Problem, ServerSettings


@dataclass(frozen=True, slots=True)
class PasswordSource:
    """Where a password is configured, and how to change it: what a refused login tells people."""

    where: str
    fix: str


@dataclass(frozen=True, slots=True)
class ApiAccess:
    """Everything that asking one API takes."""

    url: str
    username: str
    password: SecretStr
    password_source: PasswordSource
    deadline: float = 20.0
    """Seconds for a whole poll."""
    request_timeout: float = 5.0
    """Seconds for one request, from connecting to the last byte."""
    tls: ssl.SSLContext | None = field(default=None, repr=False)
    """None for plain http."""
    proxy: str | None = None
    proxy_tls: ssl.SSLContext | None = field(default=None, repr=False)
    """The way to an https proxy: the same authorities, but never our certificate."""


@dataclass(frozen=True, slots=True)
class NotAsked:
    """The server has no address to ask."""

    why: str = "no api.url is configured: the server is not asked; set api.url to follow its adapters"


@dataclass(frozen=True, slots=True)
class AccessProblems:
    """Everything that is wrong with a server's access; paths start at the server, or at `dittoinfra:`."""

    problems: tuple[Problem, ...]


def resolve_access(
    server: ServerSettings,
    passwords: Mapping[str, SecretStr],
    environ: Mapping[str, str],
    root: Path,
) -> ApiAccess | NotAsked | AccessProblems:
    """The access to a server's API; paths are relative to `root`."""
    api = server.api
    if api.url is None:
        return NotAsked()
    password = _password(server.name, api, passwords, environ)
    tls = _read_tls(api, root)
    problems = tuple(problem for found in (password, tls) if isinstance(found, list) for problem in found)
    if isinstance(password, list) or isinstance(tls, list):
        return AccessProblems(problems)
    secret, source = password
    return ApiAccess(
        url=api.url,
        username=api.username,
        password=secret,
        password_source=source,
        deadline=api.deadline.total_seconds(),
        request_timeout=api.request_timeout.total_seconds(),
        tls=tls_context(tls.authorities, tls.certificate) if _is_https(api.url) else None,
        proxy=api.proxy,
        proxy_tls=tls_context(tls.authorities, None) if api.proxy and _is_https(api.proxy) else None,
    )


def _password(
    name: str, api: ApiSettings, passwords: Mapping[str, SecretStr], environ: Mapping[str, str]
) -> tuple[SecretStr, PasswordSource] | list[Problem]:
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
        return SecretStr(value), source
    # Pulumi's path syntax takes * only in brackets and quotes.
    for key, path in ((name, f"passwords.{name}"), (ANY_SERVER, 'passwords["*"]')):
        if key not in passwords:
            continue
        fix = f"pulumi config set --secret --path 'dittoinfra:{path}'"
        if not passwords[key].get_secret_value():
            return [Problem(f"dittoinfra:{path}", f"is empty; set it with: {fix}")]
        return passwords[key], PasswordSource(f"dittoinfra:{path}", fix)
    message = (
        f"neither it nor dittoinfra:passwords gives a password for {name}; set one with: "
        f"pulumi config set --secret --path 'dittoinfra:passwords.{name}'"
    )
    return [Problem("api.passwordEnv", message)]


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
