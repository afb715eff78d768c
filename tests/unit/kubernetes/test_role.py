"""The Role that a run prints: what is needed, for what it is needed, and nothing else."""

import yaml

from dittoinfra.kubernetes.rbac import Rule, role_yaml


def test_verbs_and_names_are_put_together() -> None:
    rules = [
        Rule("get", "secrets", "b-login"),
        Rule("get", "secrets", "a-login"),
        Rule("get", "pods/portforward", "media-0"),
        Rule("create", "pods/portforward", "media-0"),
        Rule("list", "endpointslices", group="discovery.k8s.io"),
    ]

    role = yaml.safe_load(role_yaml("files", rules))

    assert (role["kind"], role["metadata"]) == ("Role", {"name": "dittoinfra", "namespace": "files"})
    assert role["rules"] == [
        {
            "apiGroups": [""],
            "resources": ["pods/portforward"],
            "resourceNames": ["media-0"],
            "verbs": ["create", "get"],
        },
        {
            "apiGroups": [""],
            "resources": ["secrets"],
            "resourceNames": ["a-login", "b-login"],
            "verbs": ["get"],
        },
        {"apiGroups": ["discovery.k8s.io"], "resources": ["endpointslices"], "verbs": ["list"]},
    ]


def test_the_order_of_the_rules_changes_nothing() -> None:
    rules = [Rule("get", "pods", "b-0"), Rule("get", "pods", "a-0"), Rule("get", "secrets", "x")]

    assert role_yaml("files", rules) == role_yaml("files", reversed(rules))
