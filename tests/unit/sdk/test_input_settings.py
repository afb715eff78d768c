"""From a component's inputs to settings, and the words for what is wrong with them."""

from pathlib import Path

import pulumi
import pytest
from pydantic import SecretStr

from dittoinfra.decide.refusals import BrakePulled
from dittoinfra.dittofs import AccessProblems, ApiAccess, Login, resolve_access
from dittoinfra.model import Reason, Removal
from dittoinfra.sdk.input_settings import InputWords, input_settings, server_name
from dittoinfra.sdk.resolved_inputs import Resolved, whole_numbers
from dittoinfra.settings import ConfigurationError, ServerSettings
from dittoinfra.settings.problems import path_of
from dittoinfra.settings.stack import Brake

WORDS = InputWords()
API = {"url": "https://media.example.com"}


def problems(values: dict[str, object], *, deployed: bool = False, remote: bool = False) -> list[str]:
    with pytest.raises(ConfigurationError) as refused:
        input_settings(Resolved(values), "media", InputWords(remote), deployed=deployed)
    return [str(problem) for problem in refused.value.problems]


def test_inputs_may_be_spelled_as_in_python_or_as_in_yaml() -> None:
    for values in (
        {"absence_polls": 5, "api": {**API, "request_timeout": "2s"}, "approve_removals": ["media/nfs"]},
        {"absencePolls": 5, "api": {**API, "requestTimeout": "2s"}, "approveRemovals": ["media/nfs"]},
    ):
        wanted = input_settings(Resolved(values), "media", WORDS, deployed=False)
        assert wanted is not None
        [server] = wanted.settings.servers
        assert (server.name, server.absence_polls, server.api.request_timeout.total_seconds()) == (
            "media",
            5,
            2,
        )
        assert wanted.settings.approve_removals == ["media/nfs"]


def test_a_problem_has_the_name_that_the_program_gave() -> None:
    bad: dict[str, object] = {"network_policy": {"mode": "enabled"}}
    assert problems(bad)[0].startswith("network_policy.ports: is required")
    assert problems(bad, remote=True)[0].startswith("networkPolicy.ports: is required")
    assert problems({"server_name": "A"})[0].startswith("server_name: ")
    assert problems({"serverName": "A"}, remote=True)[0].startswith("serverName: ")


def test_a_deployed_server_needs_its_secrets() -> None:
    wrong = problems({}, deployed=True)
    assert wrong == [
        "deploy.credentials.admin_password: is required; name a Secret that exists, or give "
        "`secrets.admin_password`",
        "deploy.credentials.jwt: is required; name a Secret that exists, or give `secrets.jwt`",
    ]
    assert problems({"secrets": {"jwt": "short"}}, deployed=True)[0].startswith(
        "secrets.jwt: must be at least 32"
    )


def test_what_is_unknown_is_never_empty() -> None:
    unknown = pulumi.UNKNOWN
    waiting = input_settings(Resolved({"api": API, "password": unknown}), "media", WORDS, deployed=False)
    assert waiting is not None
    assert waiting.not_yet == "its password is not known before the update"
    assert input_settings(Resolved({"api": {"url": unknown}}), "media", WORDS, deployed=False) is None
    for secrets in (unknown, {"jwt": unknown, "admin_password": unknown}):
        deployed = input_settings(Resolved({"secrets": secrets}), "media", WORDS, deployed=True)
        assert deployed is not None
        assert not deployed.secrets_known


def test_the_server_is_named_by_an_input_or_by_the_component() -> None:
    assert server_name(Resolved({}), "media") == "media"
    assert server_name(Resolved({"serverName": "files"}), "media") == "files"
    assert server_name(Resolved({"server_name": 7}), "media") == "media", "which the settings then refuse"
    assert server_name(Resolved({"server_name": pulumi.UNKNOWN}), "media") is None


@pytest.mark.parametrize(
    ("place", "here", "elsewhere"),
    [
        (("servers", 0, "api", "caBundle"), "api.ca_bundle", "api.caBundle"),
        (("servers", 0, "name"), "server_name", "serverName"),
        (("servers", 0), "", ""),
        (("passwords", "media"), "password", "password"),
        (("passwords", "*"), "password", "password"),
        (("serverSecrets", "media", "adminPassword"), "secrets.admin_password", "secrets.adminPassword"),
        (("approveRemovals", 0), "approve_removals[0]", "approveRemovals[0]"),
    ],
)
def test_a_setting_of_a_configuration_has_the_name_of_its_input(
    place: tuple[int | str, ...], here: str, elsewhere: str
) -> None:
    assert InputWords().name(path_of(place)) == here
    assert InputWords(remote=True).name(path_of(place)) == elsewhere


def test_a_brake_is_let_go_by_an_input() -> None:
    pulled = BrakePulled(
        (Removal("a", "nfs", Reason.ABSENT),), 1, Brake(), empties=True, approvals=("a/nfs",)
    )
    assert str(pulled).endswith("approve exactly these: `dittoinfra:approveRemovals: [a/nfs]`")
    assert pulled.worded(WORDS).endswith("approve exactly these: `approve_removals: [a/nfs]`")
    assert pulled.worded(InputWords(remote=True)).endswith("these: `approveRemovals: [a/nfs]`")


def test_a_password_is_an_input(tmp_path: Path) -> None:
    server = ServerSettings.model_validate({"name": "media", "api": API})
    missing = resolve_access(server, {}, {}, tmp_path, words=WORDS)
    assert isinstance(missing, AccessProblems)
    [problem] = missing.problems
    assert problem.message == "neither it nor password gives a password for media; give `password`"
    found = resolve_access(server, {"media": SecretStr("x")}, {}, tmp_path, words=WORDS)
    assert isinstance(found, ApiAccess)
    assert isinstance(found.login, Login)
    assert (str(found.login.source), found.login.source.fix) == ("password", "give the right `password`")


def test_numbers_of_other_languages_are_whole() -> None:
    assert whole_numbers({"a": [1.0, 2.5, "x"], "b": (3.0,)}) == {"a": [1, 2.5, "x"], "b": [3]}
