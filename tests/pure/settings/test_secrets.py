"""Secrets: always encrypted, never repeated to anybody."""

import pytest

from dittoinfra.settings import ConfigurationError
from dittoinfra.settings.configuration import load
from lab.bed.credentials import credential
from tests.pure.settings.reading import ENCRYPTED, IN_THE_CLEAR, problems, read

SECRET = credential("password")


def test_passwords_in_the_clear_are_refused_with_the_way_to_encrypt_them() -> None:
    lines = problems(IN_THE_CLEAR, servers=[{"name": "media"}], passwords={"media": SECRET})

    assert lines == [
        "dittoinfra:passwords: is stored in the clear; "
        "store it with `pulumi config set --secret --path 'dittoinfra:passwords.SERVER'`"
    ]


def test_passwords_in_the_clear_are_told_beside_every_other_problem() -> None:
    lines = problems(IN_THE_CLEAR, passwords={"*": SECRET}, absencePolls=0)

    assert [line.partition(": ")[0] for line in lines] == ["dittoinfra:absencePolls", "dittoinfra:passwords"]


def test_no_passwords_are_nothing_to_hide() -> None:
    assert read(IN_THE_CLEAR, passwords={}).passwords == {}


@pytest.mark.parametrize(
    "passwords",
    [
        SECRET,
        [SECRET],
        {"media": [SECRET]},
        {"media": {"password": SECRET}},
        {"media": 271828},
        f'"{SECRET}"',
        f'{{"media": "{SECRET}"',
    ],
    ids=["text", "list", "list inside", "map inside", "number", "quoted", "broken"],
)
@pytest.mark.parametrize("encrypted", [ENCRYPTED, IN_THE_CLEAR], ids=["encrypted", "in the clear"])
def test_no_message_about_passwords_repeats_one(passwords: object, encrypted: tuple[str, ...]) -> None:
    lines = problems(encrypted, servers=[{"name": "media"}], passwords=passwords)

    assert any(line.startswith("dittoinfra:passwords") for line in lines)
    assert not any(SECRET in line or "271828" in line for line in lines)


@pytest.mark.parametrize(
    "url",
    [
        f"https://reader:{SECRET}@media:8080",
        f"https://:{SECRET}@media:8080",
        f"https://{SECRET}@media:8080",
        f"ftp://reader:{SECRET}@media",
        f"https://reader:{SECRET}@",
        f"reader:{SECRET}@media",
    ],
    ids=["both", "no user", "user only", "another scheme", "no host", "no scheme"],
)
@pytest.mark.parametrize("key", ["url", "proxy"])
def test_an_address_with_credentials_is_refused_and_not_repeated(url: str, key: str) -> None:
    [line] = problems(api={key: url})

    assert line.startswith(f"dittoinfra:api.{key}: ")
    assert SECRET not in line


def test_an_address_with_credentials_is_told_where_they_belong() -> None:
    assert problems(api={"url": f"https://reader:{SECRET}@media"}) == [
        "dittoinfra:api.url: must not carry credentials; use api.username, and store the password as a secret"
    ]


def test_an_address_with_a_token_behind_it_is_refused_and_not_repeated() -> None:
    assert problems(api={"url": f"https://media/?token={SECRET}"}) == [
        "dittoinfra:api.url: must end with the path"
    ]


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("namespace", "Hunter2", "must be lower-case letters, digits and '-' between them"),
        ("api", {"username": 271828}, "must be text: write it in quotes"),
        ("absencePolls", 271828, "must be less than or equal to 100"),
        ("servers", "Hunter2", "must be a valid list"),
    ],
    ids=["text", "inside a block", "number", "not JSON"],
)
def test_an_encrypted_value_is_not_repeated(key: str, value: object, line: str) -> None:
    told, refused = sorted(problems((key,), **{key: value}), key=len)

    assert told.startswith(f"dittoinfra:{key}")
    assert told.endswith(f": {line}")
    assert refused.startswith(f"dittoinfra:{key}: has an encrypted value in it")
    assert not any(str(value) in each for each in (told, refused))


@pytest.mark.parametrize(
    "keys",
    [
        {"servers": [{"name": "media", "deploy": {"env": [{"name": "TOKEN", "value": SECRET}]}}]},
        {"adapters": {"service": {"annotations": {"example.com/token": SECRET}}}},
        {"namespace": "hunter2"},
    ],
    ids=["environment", "annotation", "text"],
)
def test_an_encrypted_value_that_would_not_stay_secret_is_refused(keys: dict[str, object]) -> None:
    [key] = keys
    lines = [line for line in problems((key,), **keys) if line.startswith(f"dittoinfra:{key}: ")]

    assert lines == [
        f"dittoinfra:{key}: has an encrypted value in it, which would be in the clear in the state, in "
        "previews and in reports; put it into a Kubernetes Secret and refer to that (deploy.env by "
        "valueFrom.secretKeyRef, deploy.credentials, config.ldap.bindPassword, api.passwordSecret), or into "
        "dittoinfra:passwords or dittoinfra:serverSecrets; what is no secret goes in unencrypted"
    ]


def test_a_password_under_an_unknown_key_is_not_repeated() -> None:
    lines = problems(password=SECRET, api={"password": SECRET})

    assert len(lines) == 2
    assert not any(SECRET in line for line in lines)


def test_settings_can_be_printed_without_showing_a_password() -> None:
    stack = read(servers=[{"name": "media"}], passwords={"media": SECRET})

    assert SECRET not in f"{stack} {stack!r} {stack.model_dump_json()}"


def test_the_error_drags_no_cause_along_that_could_show_more() -> None:
    with pytest.raises(ConfigurationError) as caught:
        load({"passwords": f'["{SECRET}"]'}, {"passwords"})

    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__
