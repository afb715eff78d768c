"""The ports of a server's container, and of the headless Service in front of it."""

import pytest

from dittoinfra.decide.exposure import (
    ContainerPort,
    container_ports,
    headless_ports,
    template_ports,
    unnamed_by_others,
)
from dittoinfra.model import DeclaredAdapter, State
from dittoinfra.settings import Deploy, TypeSettings
from tests.pure.decide.make import type_settings

NFS = DeclaredAdapter("nfs", 12049, State.SERVING)
SMB = DeclaredAdapter("smb", 12445, State.SERVING)
MINIMAL = type_settings()
OPERATOR = type_settings(preset="operator")
DEPLOY = Deploy()
DEPLOY_WITH_METRICS = Deploy.model_validate({"metrics": {"enabled": True}})


def _ports(
    *adapters: DeclaredAdapter, deploy: Deploy | None = DEPLOY, settings: TypeSettings = MINIMAL
) -> list[str]:
    """Ports as people write them: name port/protocol."""
    ports = container_ports(adapters, {a.type: settings for a in adapters}, deploy)
    return [f"{port.name} {port.port}/{port.protocol}" for port in ports]


def test_the_servers_own_ports_come_first_then_data_ports_then_extras() -> None:
    assert _ports(NFS, SMB, deploy=DEPLOY_WITH_METRICS, settings=OPERATOR) == [
        "api 8080/TCP",
        "metrics 9090/TCP",
        "adapter-nfs 12049/TCP",
        "adapter-smb 12445/TCP",
        "adapter-nfs-pm 10111/TCP",
        "adapter-pm-udp 10111/UDP",
        "adapter-nfs-udp 12049/UDP",
        "adapter-mdns 5353/UDP",
        "adapter-wsd 3702/UDP",
        "adapter-wsdmeta 5357/TCP",
    ]


@pytest.mark.parametrize(
    ("deploy", "own"),
    [
        (None, []),
        (DEPLOY, ["api 8080/TCP"]),
        (DEPLOY_WITH_METRICS, ["api 8080/TCP", "metrics 9090/TCP"]),
        (Deploy.model_validate({"api": {"port": 8443}}), ["api 8443/TCP"]),
    ],
    ids=["not ours", "api", "metrics", "another api port"],
)
def test_only_a_server_of_ours_has_ports_of_its_own(deploy: Deploy | None, own: list[str]) -> None:
    assert _ports(NFS, deploy=deploy) == [*own, "adapter-nfs 12049/TCP"]


def test_the_clients_port_is_nothing_to_the_container() -> None:
    assert _ports(NFS, deploy=None, settings=type_settings(servicePort=2049)) == ["adapter-nfs 12049/TCP"]


def test_a_port_that_was_taken_over_is_named_after_the_first_type_in_order() -> None:
    absent = DeclaredAdapter("nfs", 12445, State.ABSENT, 1)

    assert _ports(absent, SMB, deploy=None) == ["adapter-nfs 12445/TCP"]


def test_a_port_that_is_pinned_belongs_to_the_pinned_adapter() -> None:
    pinned = DeclaredAdapter("smb", 12049, State.PINNED)

    assert _ports(NFS, pinned, deploy=None) == ["adapter-smb 12049/TCP"]


def test_an_adapter_on_the_apis_port_gets_no_second_name_for_it() -> None:
    assert _ports(DeclaredAdapter("ftp", 8080, State.SERVING), SMB) == [
        "api 8080/TCP",
        "adapter-smb 12445/TCP",
    ]


def test_a_type_named_like_an_extra_keeps_its_data_port() -> None:
    adapters = (DeclaredAdapter("mdns", 9, State.SERVING), NFS)

    ports = container_ports(adapters, {"mdns": MINIMAL, "nfs": type_settings(extras={"mdns": True})}, None)

    assert [(port.name, port.port) for port in ports] == [("adapter-mdns", 9), ("adapter-nfs", 12049)]


@pytest.mark.parametrize("absences", [1, 2, 3])
@pytest.mark.parametrize("state", [State.ABSENT, State.KEPT])
def test_counting_an_absence_changes_no_port(absences: int, state: State) -> None:
    counted = DeclaredAdapter("nfs", 12049, state, absences)

    assert _ports(counted, SMB, settings=OPERATOR) == _ports(NFS, SMB, settings=OPERATOR)


@pytest.mark.parametrize(
    ("nfs", "smb"),
    [
        ((State.ABSENT, 2), (State.SERVING, 0)),
        ((State.ABSENT, 2), (State.ABSENT, 1)),
        ((State.KEPT, 1), (State.KEPT, 0)),
        ((State.DISABLED, 0), (State.SERVING, 0)),
        ((State.SERVING, 0), (State.ABSENT, 1)),
    ],
    ids=["counting on", "both absent", "silence", "switched off and kept", "given back"],
)
def test_nothing_that_is_counted_after_a_take_over_changes_a_port(
    nfs: tuple[State, int], smb: tuple[State, int]
) -> None:
    settings = type_settings(extras={"udp": True})
    taken_over = _ports(DeclaredAdapter("nfs", 12445, State.ABSENT, 1), SMB, settings=settings)

    later = (DeclaredAdapter("nfs", 12445, *nfs), DeclaredAdapter("smb", 12445, *smb))

    assert _ports(*later, settings=settings) == taken_over


def test_the_headless_service_carries_the_api_and_every_data_port_by_name() -> None:
    ports = container_ports((NFS, SMB), {"nfs": OPERATOR, "smb": OPERATOR}, DEPLOY_WITH_METRICS)

    headless = headless_ports(ports, (NFS, SMB), DEPLOY_WITH_METRICS)

    assert [(p.name, p.port, p.target, p.protocol) for p in headless] == [
        ("api", 8080, "api", "TCP"),
        ("adapter-nfs", 12049, "adapter-nfs", "TCP"),
        ("adapter-smb", 12445, "adapter-smb", "TCP"),
    ]


def test_frozen_ports_stay_out_of_the_pod_and_the_headless_service_finds_them_by_number() -> None:
    frozen = Deploy.model_validate({"metrics": {"enabled": True}, "freezePorts": True})
    ports = container_ports((NFS, SMB), {"nfs": OPERATOR, "smb": OPERATOR}, frozen)

    assert [port.name for port in template_ports(ports, frozen)] == ["api", "metrics"]
    assert [(p.name, p.port, p.target) for p in headless_ports(ports, (NFS, SMB), frozen)] == [
        ("api", 8080, "api"),
        ("adapter-nfs", 12049, 12049),
        ("adapter-smb", 12445, 12445),
    ]


def test_a_port_that_a_container_has_under_another_name_is_left_to_its_maker() -> None:
    nfs, smb = ContainerPort("adapter-nfs", 12049, "TCP"), ContainerPort("adapter-smb", 12445, "TCP")

    assert unnamed_by_others((nfs, smb), {"data=12049/TCP", "api=8080/TCP"}) == (smb,)
    assert unnamed_by_others((nfs, smb), {"adapter-nfs=12049/TCP", "data=12049/UDP"}) == (nfs, smb)
    assert unnamed_by_others((nfs,), ()) == (nfs,)
