"""What a changed configuration of the provider means for everything it has made."""

from pathlib import Path

import pytest
import yaml
from pulumi.runtime.rpc import UNKNOWN

from lab.standin.configuration import configuration_diff


def _kubeconfig(server: str, token: str = "t") -> str:
    return yaml.safe_dump(
        {
            "current-context": "main",
            "clusters": [{"name": "c", "cluster": {"server": server}}],
            "users": [{"name": "u", "user": {"token": token}}],
            "contexts": [
                {"name": "main", "context": {"cluster": "c", "user": "u"}},
                {"name": "other", "context": {"cluster": "c", "user": "u", "namespace": "n"}},
            ],
        }
    )


HERE, THERE = _kubeconfig("https://here"), _kubeconfig("https://there")


@pytest.mark.parametrize(
    ("old", "new", "changed", "replacing"),
    [
        ({"kubeconfig": HERE}, {"kubeconfig": HERE}, [], []),
        ({"kubeconfig": HERE}, {"kubeconfig": THERE}, ["kubeconfig"], ["kubeconfig"]),
        # another login for the same cluster, another context of it, a setting
        ({"kubeconfig": HERE}, {"kubeconfig": _kubeconfig("https://here", "new")}, ["kubeconfig"], []),
        ({"kubeconfig": HERE}, {"kubeconfig": HERE, "context": "other"}, ["context"], []),
        (
            {"namespace": "a"},
            {"namespace": "b", "enablePatchForce": "true"},
            ["enablePatchForce", "namespace"],
            [],
        ),
        # where one of them says nothing, nothing can be told
        ({}, {"kubeconfig": THERE}, ["kubeconfig"], []),
        ({"kubeconfig": "a: ["}, {"kubeconfig": THERE}, ["kubeconfig"], []),
        ({"kubeconfig": HERE}, {"kubeconfig": UNKNOWN}, ["kubeconfig"], ["kubeconfig"]),
        (
            {"renderYamlToDirectory": "a"},
            {"renderYamlToDirectory": "b"},
            ["renderYamlToDirectory"],
            ["renderYamlToDirectory"],
        ),
        # who names the cluster decides
        (
            {"kubeconfig": HERE, "clusterIdentifier": "a"},
            {"kubeconfig": THERE, "clusterIdentifier": "a"},
            ["kubeconfig"],
            [],
        ),
        (
            {"clusterIdentifier": "a"},
            {"clusterIdentifier": "b"},
            ["clusterIdentifier"],
            ["clusterIdentifier"],
        ),
    ],
)
def test_only_another_cluster_or_folder_makes_everything_anew(
    old: dict[str, str], new: dict[str, str], changed: list[str], replacing: list[str]
) -> None:
    assert configuration_diff(old, new) == (changed, replacing)


def test_a_kubeconfig_is_named_by_its_path_too(tmp_path: Path) -> None:
    path = tmp_path / "kubeconfig"
    path.write_text(HERE)

    assert configuration_diff({"kubeconfig": str(path)}, {"kubeconfig": HERE}) == (["kubeconfig"], [])
    assert configuration_diff({"kubeconfig": str(path)}, {"kubeconfig": THERE}) == (
        ["kubeconfig"],
        ["kubeconfig"],
    )
