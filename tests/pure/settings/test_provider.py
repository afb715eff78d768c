"""What a stack's configuration must leave to the project about the Kubernetes provider."""

import json
from typing import Any

import pytest

from dittoinfra.settings.provider import (
    NEEDED,
    PROVIDER,
    cluster_key,
    kubeconfig_paths,
    provider_problems,
    replacing_settings,
)

GIVEN = {PROVIDER + name: "true" for name in NEEDED}


def said(values: dict[str, str]) -> list[str]:
    return [str(problem) for problem in provider_problems(values)]


def test_a_stack_that_overrides_nothing_has_no_problem() -> None:
    assert said({**GIVEN, "kubernetes:context": "prod", "kubernetes:enableServerSideApply": "true"}) == []


@pytest.mark.parametrize("name", NEEDED)
@pytest.mark.parametrize("value", ["false", "", "no"])
def test_a_stack_that_overrides_one_is_told_why_and_what_to_do(name: str, value: str) -> None:
    (line,) = said({**GIVEN, PROVIDER + name: value})

    assert line.startswith(f'kubernetes:{name}: is {value!r} and must be "true", so that {NEEDED[name]};')
    assert line.endswith(f'have `kubernetes:{name}: "true"` under `config:` in Pulumi.yaml')


def test_a_project_without_them_is_told_all_of_them_at_once() -> None:
    lines = said({})

    assert [line.partition(": ")[0] for line in lines] == list(GIVEN)
    assert all(" is not set and must be " in f" {line.partition(': ')[2]}" for line in lines)


def test_client_side_apply_is_refused() -> None:
    (line,) = said({**GIVEN, "kubernetes:enableServerSideApply": "false"})

    assert line.startswith("kubernetes:enableServerSideApply: is 'false', and a Service with one port number")


def test_manifests_go_through_no_api() -> None:
    assert said({"kubernetes:renderYamlToDirectory": "rendered"}) == []


TWO: dict[str, Any] = {
    "current-context": "prod",
    "contexts": [
        {"name": "prod", "context": {"cluster": "a"}},
        {"name": "same", "context": {"cluster": "a"}},
        {"name": "staging", "context": {"cluster": "b"}},
    ],
    "clusters": [
        {"name": "a", "cluster": {"server": "https://a.example.com"}},
        {"name": "b", "cluster": {"server": "https://b.example.com"}},
    ],
}
CONTENT = json.dumps(TWO, indent=1)


@pytest.mark.parametrize(
    ("before", "now", "replacing"),
    [
        ({"kubeconfig": CONTENT}, {"kubeconfig": CONTENT}, ()),
        ({"kubeconfig": CONTENT}, {"kubeconfig": CONTENT, "enablePatchForce": "true"}, ()),
        ({"kubeconfig": CONTENT}, {"kubeconfig": CONTENT, "context": "same"}, ()),
        ({"kubeconfig": CONTENT}, {"kubeconfig": CONTENT, "context": "staging"}, ("context",)),
        ({"kubeconfig": CONTENT}, {"kubeconfig": CONTENT, "cluster": "b"}, ("cluster",)),
        (
            {"kubeconfig": CONTENT},
            {"kubeconfig": CONTENT.replace("a.example", "c.example")},
            ("kubeconfig",),
        ),
        # The environment leads to a cluster that the settings do not name: nothing is known of it.
        ({"context": "prod"}, {"context": "staging"}, ()),
        ({"kubeconfig": CONTENT}, {}, ()),
        ({"kubeconfig": CONTENT}, {"kubeconfig": "[]\n"}, ()),
        ({"kubeconfig": CONTENT}, {"kubeconfig": "{\n"}, ()),
        ({}, {"renderYamlToDirectory": "rendered"}, ("renderYamlToDirectory",)),
        (
            {"kubeconfig": CONTENT, "clusterIdentifier": "a"},
            {"kubeconfig": CONTENT, "context": "staging", "clusterIdentifier": "a"},
            (),
        ),
        ({"clusterIdentifier": "a"}, {"clusterIdentifier": "b"}, ("clusterIdentifier",)),
    ],
)
def test_settings_that_lead_to_another_cluster_or_folder_replace_everything(
    before: dict[str, str], now: dict[str, str], replacing: tuple[str, ...]
) -> None:
    assert replacing_settings(before, now, {}) == replacing


def test_a_kubeconfig_by_its_path_is_as_it_was_read() -> None:
    here, there = {"kubeconfig": "~/here"}, {"kubeconfig": "~/there"}
    read = {"~/here": CONTENT, "~/there": CONTENT.replace("a.example", "c.example")}

    assert replacing_settings(here, {**here, "context": "staging"}, read) == ("context",)
    assert replacing_settings(here, there, read) == ("kubeconfig",)
    assert cluster_key(here, read) != cluster_key(there, read)
    assert cluster_key(here, read) == cluster_key({"kubeconfig": CONTENT}, read)
    assert replacing_settings(here, there, {**read, "~/there": ""}) == (), "it cannot be read"


def test_a_kubeconfig_that_was_not_read_never_passes_for_one_that_leads_nowhere() -> None:
    here, there = {"kubeconfig": "~/here"}, {"kubeconfig": "~/there"}

    with pytest.raises(KeyError, match="~/there"):
        replacing_settings(here, there, {"~/here": CONTENT})
    with pytest.raises(KeyError, match="~/here"):
        cluster_key(here, {})


def test_only_paths_are_read() -> None:
    hidden = {"kubeconfig": {"ciphertext": "v1:…"}}
    given = [{"kubeconfig": this} for this in ("~/here", "there", CONTENT, json.dumps(TWO), '{"clusters": [')]

    assert kubeconfig_paths([{}, hidden, *given]) == {"~/here", "there"}


def test_content_in_one_line_leads_to_its_cluster() -> None:
    before = {"kubeconfig": json.dumps(TWO)}

    assert replacing_settings(before, {**before, "context": "staging"}, {}) == ("context",)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({}, {"enablePatchForce": "true"}, True),
        ({"context": "prod"}, {"context": "staging"}, False),
        ({"kubeconfig": CONTENT}, {"kubeconfig": CONTENT, "context": "staging"}, False),
        ({"kubeconfig": CONTENT}, {"kubeconfig": CONTENT + "# edited\n"}, True),
        ({"clusterIdentifier": "a", "context": "prod"}, {"clusterIdentifier": "a"}, True),
        ({"renderYamlToDirectory": "a"}, {"renderYamlToDirectory": "b"}, False),
    ],
)
def test_providers_of_the_same_cluster_have_the_same_key(
    one: dict[str, str], other: dict[str, str], same: bool
) -> None:
    assert (cluster_key(one, {}) == cluster_key(other, {})) is same


def test_the_key_of_a_cluster_shows_no_kubeconfig() -> None:
    assert "token" not in cluster_key({"kubeconfig": "{users: [{user: {token: x}}]}"}, {})
