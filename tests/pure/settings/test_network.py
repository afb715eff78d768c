"""Network policies and ways to the API in the configuration."""

import pytest

from dittoinfra.settings import effective_servers, service_settings
from tests.pure.settings.reading import problems, read

A_CONDITION = "In and NotIn need values, Exists and DoesNotExist have none"
ON = {"mode": "enabled"}
OFFICE = {"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.9.0.0/16"]}}
SCRAPERS = {
    "namespaceSelector": {"matchLabels": {"name": "monitoring"}},
    "podSelector": {"matchExpressions": [{"key": "app", "operator": "In", "values": ["prometheus"]}]},
}


def test_peers_are_written_in_kubernetes_words_on_every_layer() -> None:
    [media, archive] = effective_servers(
        read(
            networkPolicy={"mode": "defaultDeny", "from": [OFFICE], "ports": [8080]},
            adapters={"types": {"nfs": {"networkPolicyFrom": [SCRAPERS]}}},
            servers=[{"name": "media", "networkPolicy": {"from": [SCRAPERS]}}, {"name": "archive"}],
        )
    )

    assert media.network_policy.mode == "defaultDeny"
    [peer] = media.network_policy.from_
    assert peer.namespace_selector is not None
    assert peer.namespace_selector.match_labels == {"name": "monitoring"}
    assert peer.pod_selector is not None
    assert peer.pod_selector.match_expressions[0].values == ["prometheus"]
    [office] = archive.network_policy.from_
    assert office.ip_block is not None
    assert (office.ip_block.cidr, office.ip_block.except_) == ("10.0.0.0/8", ["10.9.0.0/16"])
    assert service_settings(archive, "nfs").network_policy_from == [peer]
    assert service_settings(archive, "smb").network_policy_from is None


@pytest.mark.parametrize(
    ("peer", "line"),
    [
        ({}, "[0]: needs podSelector, namespaceSelector or both, or else ipBlock alone"),
        (OFFICE | SCRAPERS, "[0]: needs podSelector, namespaceSelector or both, or else ipBlock alone"),
        (
            {"podSelector": {"matchExpressions": [{"key": "a", "operator": "In"}]}},
            f"[0].podSelector.matchExpressions[0]: {A_CONDITION}",
        ),
        (
            {"podSelector": {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]}},
            f"[0].podSelector.matchExpressions[0]: {A_CONDITION}",
        ),
    ],
)
def test_a_peer_that_means_nothing_is_refused(peer: dict[str, object], line: str) -> None:
    assert problems(networkPolicy={"from": [peer]}) == [f"dittoinfra:networkPolicy.from{line}"]


def test_a_server_that_exists_already_must_say_which_ports_stay_open() -> None:
    line = (
        "dittoinfra:servers[0].networkPolicy.ports: is required for a server that exists already, because "
        "its policies close every port that they do not name; list its API's port, or [] where another "
        "policy opens it"
    )

    assert problems(networkPolicy=ON, servers=[{"name": "media"}]) == [line]
    [said] = read(servers=[{"name": "media", "networkPolicy": {**ON, "ports": []}}]).servers
    assert said.network_policy.ports == []


@pytest.mark.parametrize(
    ("api", "line"),
    [
        (
            {"ingress": {"host": "Files.example.com"}},
            ".ingress.host: must be a host name such as files.example.com, in lower case "
            "(it is 'Files.example.com')",
        ),
        (
            {"ingress": {"host": "a..b"}},
            ".ingress.host: must be a host name such as files.example.com, in lower case (it is 'a..b')",
        ),
        (
            {"tls": {"secret": "my_tls"}},
            ".tls.secret: must be lower-case letters, digits, and '-' or '.' between them (it is 'my_tls')",
        ),
        (
            {"ingress": {"host": "a.example"}, "gateway": {"host": "a.example", "gateway": "g"}},
            ": ingress and gateway are two ways to the same; choose one",
        ),
    ],
)
def test_ways_to_the_api_are_checked(api: dict[str, object], line: str) -> None:
    assert f"dittoinfra:servers[0].deploy.api{line}" in problems(
        servers=[{"name": "a", "deploy": {"api": api}}]
    )


def test_a_wildcard_is_a_host_name() -> None:
    lines = problems(servers=[{"name": "a", "deploy": {"api": {"ingress": {"host": "*.example.com"}}}}])

    assert not [line for line in lines if ".ingress" in line]


def test_a_metrics_path_starts_at_the_root() -> None:
    [line] = problems(servers=[{"name": "a", "deploy": {"metrics": {"path": "metrics"}}}])

    assert line.startswith("dittoinfra:servers[0].deploy.metrics.path: must match pattern")
