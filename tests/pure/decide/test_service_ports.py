"""The ports of an adapter's Service."""

import pytest

from dittoinfra.decide.exposure import service_ports
from dittoinfra.model import DeclaredAdapter, State
from dittoinfra.settings import TypeSettings
from tests.pure.decide.make import type_settings

NFS = DeclaredAdapter("nfs", 12049, State.SERVING)
SMB = DeclaredAdapter("smb", 12445, State.SERVING)
FTP = DeclaredAdapter("ftp", 21, State.SERVING)
EVERYTHING = {"portmapper": True, "udp": True, "mdns": True, "wsDiscovery": True}


def _ports(adapter: DeclaredAdapter, settings: TypeSettings) -> list[str]:
    """Ports as people write them: name port→target/protocol."""
    return [f"{p.name} {p.port}→{p.target}/{p.protocol}" for p in service_ports(adapter, settings)]


def test_the_minimal_preset_exposes_the_data_port_alone() -> None:
    assert _ports(NFS, type_settings()) == ["adapter-nfs 12049→12049/TCP"]


def test_the_operator_preset_is_what_the_operator_exposes_for_nfs() -> None:
    assert _ports(NFS, type_settings(preset="operator")) == [
        "adapter-nfs 12049→12049/TCP",
        "portmap 111→10111/TCP",
        "portmap-udp 111→10111/UDP",
        "adapter-nfs-udp 12049→12049/UDP",
        "mdns 5353→5353/UDP",
    ]


def test_the_operator_preset_is_what_the_operator_exposes_for_smb() -> None:
    assert _ports(SMB, type_settings(preset="operator")) == [
        "adapter-smb 12445→12445/TCP",
        "mdns 5353→5353/UDP",
        "wsd 3702→3702/UDP",
        "wsd-meta 5357→5357/TCP",
    ]


def test_the_operator_preset_of_any_other_type_is_its_data_port() -> None:
    assert _ports(FTP, type_settings(preset="operator")) == ["adapter-ftp 21→21/TCP"]


def test_the_service_port_is_the_clients_and_leads_to_the_adapters_own() -> None:
    settings = type_settings(servicePort=2049, extras={"udp": True})

    assert _ports(NFS, settings) == ["adapter-nfs 2049→12049/TCP", "adapter-nfs-udp 2049→12049/UDP"]


@pytest.mark.parametrize(
    ("adapter", "spoken"),
    [
        (NFS, ["adapter-nfs", "portmap", "portmap-udp", "adapter-nfs-udp", "mdns"]),
        (SMB, ["adapter-smb", "mdns", "wsd", "wsd-meta"]),
        (FTP, ["adapter-ftp", "adapter-ftp-udp", "mdns"]),
    ],
    ids=["nfs", "smb", "ftp"],
)
def test_an_extra_that_a_type_does_not_speak_is_left_out(adapter: DeclaredAdapter, spoken: list[str]) -> None:
    ports = service_ports(adapter, type_settings(extras=EVERYTHING))

    assert [port.name for port in ports] == spoken


@pytest.mark.parametrize(
    ("adapter", "extra", "without"),
    [
        (NFS, "portmapper", ["adapter-nfs", "adapter-nfs-udp", "mdns"]),
        (NFS, "udp", ["adapter-nfs", "portmap", "portmap-udp", "mdns"]),
        (NFS, "mdns", ["adapter-nfs", "portmap", "portmap-udp", "adapter-nfs-udp"]),
        (SMB, "mdns", ["adapter-smb", "wsd", "wsd-meta"]),
        (SMB, "wsDiscovery", ["adapter-smb", "mdns"]),
    ],
)
def test_a_single_extra_can_be_taken_from_the_preset(
    adapter: DeclaredAdapter, extra: str, without: list[str]
) -> None:
    ports = service_ports(adapter, type_settings(preset="operator", extras={extra: False}))

    assert [port.name for port in ports] == without


@pytest.mark.parametrize(
    ("adapter", "extra", "added"),
    [
        (NFS, "portmapper", ["portmap", "portmap-udp"]),
        (NFS, "udp", ["adapter-nfs-udp"]),
        (NFS, "mdns", ["mdns"]),
        (SMB, "mdns", ["mdns"]),
        (SMB, "wsDiscovery", ["wsd", "wsd-meta"]),
        (FTP, "udp", ["adapter-ftp-udp"]),
        (FTP, "mdns", ["mdns"]),
    ],
)
def test_a_single_extra_can_be_added_to_the_data_port(
    adapter: DeclaredAdapter, extra: str, added: list[str]
) -> None:
    ports = service_ports(adapter, type_settings(extras={extra: True}))

    assert [port.name for port in ports] == [f"adapter-{adapter.type}", *added]


def test_a_number_that_the_data_port_has_is_not_given_away_again() -> None:
    on_the_portmappers_port = DeclaredAdapter("nfs", 111, State.SERVING)

    assert _ports(on_the_portmappers_port, type_settings(extras={"portmapper": True})) == [
        "adapter-nfs 111→111/TCP",
        "portmap-udp 111→10111/UDP",
    ]


def test_a_long_type_gets_port_names_that_kubernetes_takes() -> None:
    webdav = DeclaredAdapter("webdav-over-https", 443, State.SERVING)

    names = [port.name for port in service_ports(webdav, type_settings(extras={"udp": True}))]

    assert len(set(names)) == 2
    assert all(len(name) == 15 and name.startswith("adapter-we-") for name in names)


def test_a_port_whose_cut_name_is_the_data_ports_is_left_out() -> None:
    # "adapter-gateway-77010" is cut to the same 15 characters with and without "-udp" behind it.
    gateway = DeclaredAdapter("gateway-77010", 443, State.SERVING)

    assert _ports(gateway, type_settings(extras={"udp": True, "mdns": True})) == [
        "adapter-ga-9acf 443→443/TCP",
        "mdns 5353→5353/UDP",
    ]
