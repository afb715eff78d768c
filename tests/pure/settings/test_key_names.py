"""Keys that are close to one that would be read are refused; those of others are left alone."""

import inspect

import pulumi_kubernetes
import pytest

from dittoinfra.settings.key_names import PROVIDER_KEYS, misnamed_keys


@pytest.mark.parametrize(
    ("key", "meant"),
    [
        ("kubernetes:contxt", "kubernetes:context"),
        ("kubernetes:Kubeconfig", "kubernetes:kubeconfig"),
        ("kuberntes:context", "kubernetes:context"),
        ("ditoinfra:namespace", "dittoinfra:namespace"),
    ],
)
def test_a_misspelt_key_is_told_with_the_right_one(key: str, meant: str) -> None:
    [problem] = misnamed_keys({key: "x", "dittoinfra:servers": "[]"}, "dittoinfra")

    assert str(problem) == f"{key}: is not a setting; did you mean {meant!r}?"


@pytest.mark.parametrize(
    "key",
    [
        "kubernetes:context",
        "kubernetes:somethingNew",
        "dittoinfra:anything",
        "pulumi:tags",
        "aws:region",
        # Told with the place where the servers were looked for.
        "dittoinfra2:servers",
    ],
)
def test_keys_of_others_are_none_of_ours(key: str) -> None:
    assert list(misnamed_keys({key: "x"}, "dittoinfra")) == []


def test_a_project_with_a_name_like_ours_has_keys_of_its_own() -> None:
    assert list(misnamed_keys({"dittoinfra2:owner": "x"}, "dittoinfra2")) == []


def test_the_known_keys_are_those_of_the_provider() -> None:
    arguments = set(inspect.signature(pulumi_kubernetes.ProviderArgs.__init__).parameters) - {"__self__"}

    def camel(name: str) -> str:
        first, *rest = name.split("_")
        return first + "".join(map(str.capitalize, rest))

    assert set(PROVIDER_KEYS) == set(map(camel, arguments))
