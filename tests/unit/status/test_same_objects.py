"""What is told without the provider's SDK is what is declared with it."""

import pytest

from dittoinfra.components import ServerArgs, collect_server
from dittoinfra.decide.adapter_manifests import adapter_objects
from dittoinfra.model import Answered, DeclaredAdapter, ServerDecision, State
from dittoinfra.settings import ServerSettings

ADAPTERS = (
    DeclaredAdapter("nfs", 12049, State.SERVING),
    DeclaredAdapter("smb", 12445, State.ABSENT, absences=1),
)
PEERS = [
    {"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.1.0.0/16"]}},
    {"namespaceSelector": {"matchLabels": {"name": "monitoring"}}, "podSelector": {}},
]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"labels": {"team": "files"}, "adapters": {"service": {"type": "ClusterIP", "wait": True}}},
        {"adapters": {"service": {"preset": "operator", "splitUdp": True, "annotations": {"a/b": "c"}}}},
        {
            "adapters": {
                "service": {
                    "sourceRanges": ["10.0.0.0/8"],
                    "loadBalancerClass": "example.com/lb",
                    "externalTrafficPolicy": "Local",
                    "sessionAffinity": "ClientIP",
                    "ipFamilyPolicy": "PreferDualStack",
                },
                "types": {"nfs": {"servicePort": 2049}},
            }
        },
        {"networkPolicy": {"mode": "defaultDeny", "ports": [8080]}},
        {"networkPolicy": {"mode": "enabled", "from": PEERS}},
    ],
)
def test_both_ways_lead_to_the_same_objects(settings: dict[str, object]) -> None:
    server = ServerSettings.model_validate({"name": "media", "namespace": "files", **settings})
    decision = ServerDecision("media", Answered(()), False, ADAPTERS)

    declared = collect_server(ServerArgs(server, decision))

    assert adapter_objects(server, ADAPTERS, {}, frozenset()) == declared
