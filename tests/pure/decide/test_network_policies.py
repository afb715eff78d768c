"""What network policies let in: exactly what is exposed, from the clients that the nearest layer names."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dittoinfra.decide.exposure import Ingress, adapter_ingress, baseline_ingress, default_deny, service_ports
from dittoinfra.model import DeclaredAdapter, State
from dittoinfra.settings import ServerSettings, service_settings
from tests.pure.decide.make import server, type_settings
from tests.pure.naming.strategies import unhurried

NFS = DeclaredAdapter("nfs", 12049, State.SERVING)
OFFICE = {"ipBlock": {"cidr": "10.0.0.0/8"}}
PROMETHEUS = {"namespaceSelector": {"matchLabels": {"name": "monitoring"}}}
BACKUP: dict[str, object] = {"podSelector": {}}


def guarded(**settings: object) -> ServerSettings:
    return server(networkPolicy={"mode": "enabled", **settings})


def opened(ingress: Ingress | None) -> list[str]:
    assert ingress is not None
    return [f"{port.port}/{port.protocol}" for rule in ingress for port in rule.ports]


def peers(ingress: Ingress | None) -> list[list[dict[str, object]]]:
    assert ingress is not None
    return [[peer.model_dump(by_alias=True, exclude_unset=True) for peer in rule.peers] for rule in ingress]


@unhurried
@given(
    port=st.integers(1, 65535),
    adapter_type=st.sampled_from(["nfs", "smb", "ftp"]),
    preset=st.sampled_from(["minimal", "operator"]),
    extras=st.dictionaries(st.sampled_from(["portmapper", "udp", "mdns", "wsDiscovery"]), st.booleans()),
    service_port=st.none() | st.integers(1, 65535),
    split=st.booleans(),
)
def test_a_policy_opens_exactly_what_the_services_lead_to(
    port: int,
    adapter_type: str,
    preset: str,
    extras: dict[str, bool],
    service_port: int | None,
    split: bool,
) -> None:
    adapter = DeclaredAdapter(adapter_type, port, State.SERVING)
    settings = type_settings(preset=preset, extras=extras, servicePort=service_port, splitUdp=split)

    ports = opened(adapter_ingress(guarded(), adapter, settings))

    assert set(ports) == {f"{p.target}/{p.protocol}" for p in service_ports(adapter, settings)}
    assert len(set(ports)) == len(ports)


def test_the_operators_discovery_ports_are_not_only_in_the_service_but_open() -> None:
    smb = DeclaredAdapter("smb", 12445, State.SERVING)

    ports = opened(adapter_ingress(guarded(), smb, type_settings(preset="operator")))

    assert ports == ["12445/TCP", "5353/UDP", "3702/UDP", "5357/TCP"]


def test_two_service_ports_that_lead_to_one_port_open_it_once() -> None:
    on_mdns = DeclaredAdapter("nfs", 5353, State.SERVING)
    settings = type_settings(servicePort=2049, extras={"udp": True, "mdns": True})

    assert opened(adapter_ingress(guarded(), on_mdns, settings)) == ["5353/TCP", "5353/UDP"]


@pytest.mark.parametrize("policy", [{}, {"mode": "disabled"}])
def test_there_are_no_policies_unless_configured(policy: dict[str, str]) -> None:
    quiet = server(deploy={}, networkPolicy=policy)

    assert adapter_ingress(quiet, NFS, type_settings()) is None
    assert baseline_ingress(quiet) is None
    assert not default_deny(quiet)


def test_only_default_deny_closes_by_a_policy_of_its_own() -> None:
    assert not default_deny(guarded())
    assert default_deny(server(networkPolicy={"mode": "defaultDeny"}))


def test_the_baseline_opens_the_api_and_the_metrics_where_there_are_any() -> None:
    policy = {"mode": "enabled"}

    assert opened(baseline_ingress(server(networkPolicy=policy, deploy={}))) == ["8080/TCP"]
    metrics = {"api": {"port": 8443}, "metrics": {"enabled": True, "port": 9100}}
    assert opened(baseline_ingress(server(networkPolicy=policy, deploy=metrics))) == ["8443/TCP", "9100/TCP"]


def test_the_baseline_of_a_server_that_exists_already_opens_the_ports_that_were_named() -> None:
    assert opened(baseline_ingress(guarded(ports=[8080, 9090]))) == ["8080/TCP", "9090/TCP"]
    assert baseline_ingress(guarded(ports=[])) is None


def test_every_client_is_let_in_where_none_is_named() -> None:
    assert peers(adapter_ingress(guarded(), NFS, type_settings())) == [[]]


def test_the_nearest_peers_win() -> None:
    deploy = {
        "api": {"networkPolicyFrom": [OFFICE]},
        "metrics": {"enabled": True, "networkPolicyFrom": [PROMETHEUS]},
    }
    adapters = {"service": {}, "types": {"nfs": {"networkPolicyFrom": [OFFICE, BACKUP]}}}
    policy = {"mode": "enabled", "from": [BACKUP], "ports": [2112]}
    media = server(networkPolicy=policy, deploy=deploy, adapters=adapters)

    assert peers(baseline_ingress(media)) == [[OFFICE], [PROMETHEUS], [BACKUP]]
    assert peers(adapter_ingress(media, NFS, service_settings(media, "nfs"))) == [[OFFICE, BACKUP]]
    smb = DeclaredAdapter("smb", 12445, State.SERVING)
    assert peers(adapter_ingress(media, smb, service_settings(media, "smb"))) == [[BACKUP]]


def test_an_empty_list_that_is_nearer_lets_everyone_in() -> None:
    media = server(
        networkPolicy={"mode": "enabled", "from": [OFFICE]}, deploy={"api": {"networkPolicyFrom": []}}
    )

    assert peers(baseline_ingress(media)) == [[]]
