"""Settings become an access, or every problem at once."""

import ssl
from pathlib import Path
from typing import Any

import pytest
import trustme
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)
from pydantic import SecretStr

from dittoinfra.dittofs import AccessProblems, ApiAccess, Login, NotAsked, resolve_access
from dittoinfra.dittofs.api_access import PasswordSource
from dittoinfra.settings import Problem, SettingPath
from dittoinfra.settings.problems import path_of
from dittoinfra.settings.server import ServerSettings
from dittoinfra.settings.setting_words import StackWords
from lab.bed.credentials import credential

URL = "https://dittofs.example.com:8080"
OF_MEDIA, OF_OTHERS, OF_SHELL = map(credential, ("of-media", "of-all-others", "of-the-shell"))
PASSWORDS = {"media": SecretStr(OF_MEDIA), "*": SecretStr(OF_OTHERS)}


def server(name: str = "media", **api: object) -> ServerSettings:
    return ServerSettings.model_validate({"name": name, "api": {"url": URL, **api}})


def problems(settings: ServerSettings, root: Path, environ: dict[str, str] | None = None) -> tuple[str, ...]:
    found = resolve_access(settings, PASSWORDS, environ or {}, root)
    assert isinstance(found, AccessProblems)
    return tuple(map(str, found.problems))


def resolved(settings: ServerSettings, root: Path, environ: dict[str, str] | None = None) -> ApiAccess:
    access = resolve_access(settings, PASSWORDS, environ or {}, root)
    assert isinstance(access, ApiAccess)
    return access


def test_a_server_without_an_address_is_not_asked(tmp_path: Path) -> None:
    settings = ServerSettings.model_validate({"name": "media", "api": {"caBundle": "missing.pem"}})

    found = resolve_access(settings, {}, {}, tmp_path)

    assert isinstance(found, NotAsked)
    assert found.why.startswith("no api.url is configured: ")


def test_settings_arrive(tmp_path: Path) -> None:
    access = resolved(
        server(username="me", deadline="1m", requestTimeout="500ms", proxy="https://proxy.example"), tmp_path
    )

    assert isinstance(access.login, Login)
    assert (access.url, access.login.username, access.proxy) == (URL, "me", "https://proxy.example")
    assert (access.deadline, access.request_timeout) == (60.0, 0.5)
    assert access.tls is not None
    assert access.proxy_tls is not None


def test_plain_http_has_no_tls(tmp_path: Path) -> None:
    access = resolved(server(url="http://127.0.0.1:8080", proxy="http://proxy.example"), tmp_path)

    assert access.tls is None
    assert access.proxy_tls is None


@pytest.mark.parametrize(
    ("settings", "password", "where"),
    [
        (server(passwordEnv="MEDIA_PASSWORD"), OF_SHELL, "the environment variable MEDIA_PASSWORD"),
        (server(), OF_MEDIA, "dittoinfra:passwords.media"),
        (server("backup"), OF_OTHERS, 'dittoinfra:passwords["*"]'),
    ],
    ids=["of the shell", "of media", "of all others"],
)
def test_the_nearest_password_wins(
    settings: ServerSettings, password: str, where: str, tmp_path: Path
) -> None:
    access = resolved(settings, tmp_path, {"MEDIA_PASSWORD": OF_SHELL})

    assert isinstance(access.login, Login)
    assert access.login.password.get_secret_value() == password
    assert access.login.source.where == where


def test_a_missing_password_says_how_to_set_it(tmp_path: Path) -> None:
    assert resolve_access(server(), {"other": SecretStr("x")}, {}, tmp_path) == AccessProblems(
        (
            Problem(
                SettingPath(("api", "passwordEnv")),
                "neither it nor dittoinfra:passwords gives a password for media; set one with: "
                "pulumi config set --secret --path 'dittoinfra:passwords.media'",
            ),
        )
    )


def test_an_empty_password_is_none(tmp_path: Path) -> None:
    assert resolve_access(server(), {"media": SecretStr("")}, {}, tmp_path) == AccessProblems(
        (
            Problem(
                path_of(("passwords", "media")),
                "is empty; set one with: pulumi config set --secret --path 'dittoinfra:passwords.media'",
            ),
        )
    )


@pytest.mark.parametrize(("environ", "state"), [({}, "not set"), ({"MEDIA": ""}, "empty")])
def test_an_unset_variable_is_not_replaced_by_another_password(
    environ: dict[str, str], state: str, tmp_path: Path
) -> None:
    assert problems(server(passwordEnv="MEDIA"), tmp_path, environ) == (
        f"api.passwordEnv: the environment variable MEDIA is {state}; "
        "export it, or drop api.passwordEnv and use dittoinfra:passwords",
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with every kind of right and wrong file."""
    folder = tmp_path_factory.mktemp("project")
    authority = trustme.CA()
    one, other = authority.issue_cert("one@example.com"), authority.issue_cert("other@example.com")
    one.cert_chain_pems[0].write_to_path(str(folder / "one.crt"))
    one.private_key_pem.write_to_path(str(folder / "one.key"))
    other.private_key_pem.write_to_path(str(folder / "other.key"))
    key = load_pem_private_key(one.private_key_pem.bytes(), None)
    locked = key.private_bytes(
        Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(credential("key").encode())
    )
    (folder / "locked.key").write_bytes(locked)
    (folder / "text.txt").write_text("not a certificate")
    (folder / "broken.pem").write_text("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n")
    (folder / "broken.key").write_text("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n")
    (folder / "commented.pem").write_bytes(
        "# Zertifizierungsstelle für Köln\n".encode() + authority.cert_pem.bytes()
    )
    return folder


PEM_OR_TEXT = "give a PEM file, relative to the project's folder, or PEM text"
CERTIFICATE_FILE = "give the PEM file of a certificate, relative to the project's folder"
KEY_FILE = "give the PEM file of an unencrypted private key, relative to the project's folder"


@pytest.mark.parametrize(
    ("api", "problem"),
    [
        (
            {"caBundle": "no.pem"},
            f"api.caBundle: no.pem cannot be read (No such file or directory); {PEM_OR_TEXT}",
        ),
        ({"caBundle": "."}, f"api.caBundle: . cannot be read (Is a directory); {PEM_OR_TEXT}"),
        ({"caBundle": "a\0b"}, f"api.caBundle: is no path; {PEM_OR_TEXT}"),
        ({"caBundle": "text.txt"}, f"api.caBundle: text.txt holds no PEM certificate; {PEM_OR_TEXT}"),
        (
            {"caBundle": "-----BEGIN X-----"},
            f"api.caBundle: the PEM text holds no PEM certificate; {PEM_OR_TEXT}",
        ),
        (
            {"clientCertificate": "no.crt"},
            f"api.clientCertificate: no.crt cannot be read (No such file or directory); {CERTIFICATE_FILE}",
        ),
        (
            {"clientCertificate": "text.txt"},
            f"api.clientCertificate: text.txt holds no PEM certificate; {CERTIFICATE_FILE}",
        ),
        (
            {"clientCertificate": "one.crt"},
            "api.clientCertificate: one.crt holds no PEM private key; "
            "add the key to the file, or name its own file in api.clientKey",
        ),
        (
            {"clientCertificate": "one.crt", "clientKey": "no.key"},
            f"api.clientKey: no.key cannot be read (No such file or directory); {KEY_FILE}",
        ),
        (
            {"clientCertificate": "one.crt", "clientKey": "text.txt"},
            f"api.clientKey: text.txt holds no PEM private key; {KEY_FILE}",
        ),
        (
            {"clientCertificate": "one.crt", "clientKey": "other.key"},
            "api.clientKey: the key in other.key does not belong to the certificate in one.crt; "
            "give the key that the certificate was made for",
        ),
        (
            {"clientCertificate": "one.crt", "clientKey": "locked.key"},
            f"api.clientKey: the key in locked.key is encrypted; {KEY_FILE}",
        ),
        (
            {"clientKey": "one.key"},
            "api.clientKey: a key without a certificate; "
            "set api.clientCertificate as well, or drop api.clientKey",
        ),
    ],
)
def test_a_file_that_cannot_be_used_is_named(api: dict[str, str], problem: str, files: Path) -> None:
    assert problems(server(**api), files) == (problem,)


@pytest.mark.parametrize(
    ("api", "beginning"),
    [
        ({"caBundle": "broken.pem"}, "api.caBundle: broken.pem is not valid PEM ("),
        (
            {"clientCertificate": "one.crt", "clientKey": "broken.key"},
            "api.clientCertificate: one.crt and its key cannot be loaded (",
        ),
    ],
)
def test_a_broken_file_is_named(api: dict[str, str], beginning: str, files: Path) -> None:
    [problem] = problems(server(**api), files)

    assert problem.startswith(beginning)


def test_a_bundle_may_carry_comments(files: Path) -> None:
    assert resolved(server(caBundle="commented.pem"), files).tls is not None


def test_every_problem_is_found_at_once(tmp_path: Path) -> None:
    settings = server(passwordEnv="MEDIA", caBundle="no.pem", clientKey="no.key")

    assert [problem.partition(":")[0] for problem in problems(settings, tmp_path)] == [
        "api.passwordEnv",
        "api.caBundle",
        "api.clientKey",
    ]


def test_a_renewed_certificate_is_another_one(tmp_path: Path) -> None:
    authority = trustme.CA()
    contexts = []
    for _ in range(2):
        pem = authority.issue_cert("me@example.com").private_key_and_cert_chain_pem
        pem.write_to_path(str(tmp_path / "me.pem"))
        contexts.append(resolved(server(clientCertificate="me.pem"), tmp_path).tls)

    assert contexts[0] is not contexts[1]


@pytest.mark.parametrize("load", [1, 2], ids=["while it is checked", "while it is used"])
def test_a_certificate_that_is_replaced_while_it_is_read_is_a_problem_and_no_error(
    load: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pem = trustme.CA().issue_cert("me@example.com").private_key_and_cert_chain_pem
    pem.write_to_path(str(tmp_path / "me.pem"))
    loads, load_chain = 0, ssl.SSLContext.load_cert_chain

    def replaced(context: ssl.SSLContext, certificate: Path, *rest: Any, **options: Any) -> None:  # noqa: ANN401
        nonlocal loads
        loads += 1
        if loads == load:
            certificate.unlink()
        load_chain(context, certificate, *rest, **options)

    monkeypatch.setattr(ssl.SSLContext, "load_cert_chain", replaced)

    [problem] = problems(server(clientCertificate="me.pem"), tmp_path)

    assert problem.startswith("api.clientCertificate: ")


def test_a_stored_password_is_named_with_the_line_that_it_is_written_in(tmp_path: Path) -> None:
    written = {path_of(("passwords", "media")): "Pulumi.prod.yaml:10"}

    found = resolve_access(server(), PASSWORDS, {}, tmp_path, words=StackWords(written.get))

    assert isinstance(found, ApiAccess)
    assert isinstance(found.login, Login)
    assert str(found.login.source) == "dittoinfra:passwords.media in Pulumi.prod.yaml:10"
    assert str(PasswordSource("the environment variable X", "export it")) == "the environment variable X"
