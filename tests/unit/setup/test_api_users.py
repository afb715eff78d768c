"""The user of a stack at a server: which administrator's login is tried, and how often."""

from collections.abc import Iterator

import pytest
import typer
from pydantic import SecretStr

from dittoinfra.cli.init_questions import InitAnswers, user_prompts, with_logins
from dittoinfra.dittofs import ApiAccess, Login
from dittoinfra.dittofs.api_access import PasswordSource
from dittoinfra.dittofs.users import administrators_login
from dittoinfra.settings import ServerSettings
from dittoinfra.setup.api_users import UserState, ensure_user
from lab.bed.credentials import credential
from lab.simulator import SimulatedDittoFS

NOTHING_GIVEN = InitAnswers(
    stack="prod",
    namespace="files",
    create_namespace=False,
    servers=(),
    deployed=(),
    service_type=None,
    username=None,
    kubeconfig=None,
    context=None,
    terminal=True,
    admin="admin",
    admin_password=None,
    password=None,
    existing_user=False,
    reset_password=False,
)


@pytest.fixture
def dittofs() -> Iterator[SimulatedDittoFS]:
    with SimulatedDittoFS() as server:
        yield server


def ensured(dittofs: SimulatedDittoFS, tried_before: str) -> UserState:
    """What becomes of the user where this administrator's password was typed in the guided start."""
    attempts = iter(range(10))
    reader = Login("dittoinfra-prod", SecretStr(credential("reader")), PasswordSource("it", "mend it"))

    def connect() -> ApiAccess:
        assert next(attempts, None) is not None, "one login is tried again and again"
        return ApiAccess(dittofs.url, reader)

    def typed(server: str) -> Login:
        assert server == "media"
        return administrators_login("admin", SecretStr(tried_before))

    given = with_logins(NOTHING_GIVEN, typed, existing=False)
    api = {"url": dittofs.url, "username": "dittoinfra-prod"}
    server = ServerSettings.model_validate({"name": "media", "namespace": "files", "api": api})
    return ensure_user(server, connect, None, user_prompts(given), new=True)


def typing(monkeypatch: pytest.MonkeyPatch, *lines: str) -> list[str]:
    """A person who types these; the questions that are asked."""
    left, asked = list(lines), list[str]()

    def prompt(text: str, **_: object) -> str:
        asked.append(text.strip())
        return left.pop(0)

    monkeypatch.setattr(typer, "prompt", prompt)
    return asked


def test_a_typed_login_is_used_without_another_question(
    dittofs: SimulatedDittoFS, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = typing(monkeypatch)

    assert ensured(dittofs, dittofs.admin_password).state == "created"
    assert asked == []


def test_a_typed_login_that_is_refused_is_tried_once_and_another_one_is_asked_for(
    dittofs: SimulatedDittoFS, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = typing(monkeypatch, "admin", dittofs.admin_password)

    assert ensured(dittofs, credential("guess")).state == "created"
    assert asked == ["administrator", "password (empty: give up)"]
    assert capsys.readouterr().err.count("refused user 'admin'") == 1


def test_typing_no_other_login_gives_up(dittofs: SimulatedDittoFS, monkeypatch: pytest.MonkeyPatch) -> None:
    typing(monkeypatch, "admin", "")

    user = ensured(dittofs, credential("guess"))

    assert (user.state, user.denied) == ("failed", True)


def test_an_existing_users_password_is_replaced_only_with_a_yes(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def confirm(text: str, **_: object) -> bool:
        asked.append(text)
        return False

    monkeypatch.setattr(typer, "confirm", confirm)

    assert not NOTHING_GIVEN.may_set_password("media", "reader")
    assert asked == [
        "media: user reader already exists and may belong to another stack, whose login would then stop "
        "working. Set a new password?"
    ]
