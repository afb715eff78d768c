"""From a component's inputs to settings, and the words for what is wrong with them."""

import pulumi
import pytest

from dittoinfra.sdk.input_settings import component_words, input_name, input_settings, server_name
from dittoinfra.sdk.resolved_inputs import Resolved, whole_numbers
from dittoinfra.settings import ConfigurationError

API = {"url": "https://media.example.com"}


def problems(values: dict[str, object], *, deployed: bool = False, remote: bool = False) -> list[str]:
    with pytest.raises(ConfigurationError) as refused:
        input_settings(Resolved(values), "media", deployed=deployed, remote=remote)
    return [str(problem) for problem in refused.value.problems]


def test_inputs_may_be_spelled_as_in_python_or_as_in_yaml() -> None:
    for values in (
        {"absence_polls": 5, "api": {**API, "request_timeout": "2s"}, "approve_removals": ["media/nfs"]},
        {"absencePolls": 5, "api": {**API, "requestTimeout": "2s"}, "approveRemovals": ["media/nfs"]},
    ):
        wanted = input_settings(Resolved(values), "media", deployed=False)
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
        "deploy.credentials.admin_password: is required; name a Secret that exists, or give it in secrets",
        "deploy.credentials.jwt: is required; name a Secret that exists, or give it in secrets",
    ]
    assert problems({"secrets": {"jwt": "short"}}, deployed=True)[0].startswith(
        "secrets.jwt: must be at least 32"
    )


def test_what_is_unknown_is_never_empty() -> None:
    unknown = pulumi.UNKNOWN
    waiting = input_settings(Resolved({"api": API, "password": unknown}), "media", deployed=False)
    assert waiting is not None
    assert waiting.not_yet == "its password is not known before the update"
    assert input_settings(Resolved({"api": {"url": unknown}}), "media", deployed=False) is None
    for secrets in (unknown, {"jwt": unknown, "admin_password": unknown}):
        deployed = input_settings(Resolved({"secrets": secrets}), "media", deployed=True)
        assert deployed is not None
        assert not deployed.secrets_known


def test_the_server_is_named_by_an_input_or_by_the_component() -> None:
    assert server_name(Resolved({}), "media") == "media"
    assert server_name(Resolved({"serverName": "files"}), "media") == "files"
    assert server_name(Resolved({"server_name": 7}), "media") == "media", "which the settings then refuse"
    assert server_name(Resolved({"server_name": pulumi.UNKNOWN}), "media") is None


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("dittoinfra:servers[0].api.url: x", "api.url: x"),
        (
            "approve exactly these: `dittoinfra:approveRemovals: [a/nfs]`",
            "approve exactly these: `approveRemovals: [a/nfs]`",
        ),
        ("set one with: pulumi config set --secret --path 'dittoinfra:passwords.media'", "give `password`"),
        ("dittoinfra:passwords.media: is empty", "password: is empty"),
    ],
)
def test_what_the_rules_say_of_a_configuration_is_said_of_inputs(said: str, words: str) -> None:
    assert component_words(said) == words
    assert input_name("dittoinfra:servers[0].api.caBundle", remote=False) == "api.ca_bundle"


def test_numbers_of_other_languages_are_whole() -> None:
    assert whole_numbers({"a": [1.0, 2.5, "x"], "b": (3.0,)}) == {"a": [1, 2.5, "x"], "b": [3]}
