"""Where clients find an adapter, and how they mount it."""

from typing import Any

import pytest

from dittoinfra.decide.endpoints import Endpoints, mount_commands, service_endpoints

INTERNAL = "media-adapter-nfs.files.svc:2049"


def service(kind: str, *addresses: str, name: str = "adapter-nfs", **port: int) -> dict[str, Any]:
    return {
        "metadata": {"name": "media-adapter-nfs", "namespace": "files"},
        "spec": {
            "type": kind,
            "ports": [{"name": "portmap", "port": 111}, {"name": name, "port": 2049, **port}],
        },
        "status": {"loadBalancer": {"ingress": [{"ip": address} for address in addresses]}},
    }


@pytest.mark.parametrize(
    ("live", "found", "awaits", "command"),
    [
        (
            service("LoadBalancer", "192.0.2.7", "2001:db8::7", nodePort=31000),
            Endpoints("LoadBalancer", INTERNAL, ("192.0.2.7:2049", "[2001:db8::7]:2049"), 31000),
            False,
            "mount -t nfs -o vers=4.0,port=2049 192.0.2.7:/EXPORT /mnt",
        ),
        (
            service("LoadBalancer", "2001:db8::7"),
            Endpoints("LoadBalancer", INTERNAL, ("[2001:db8::7]:2049",)),
            False,
            "mount -t nfs -o vers=4.0,port=2049 [2001:db8::7]:/EXPORT /mnt",
        ),
        (
            service("LoadBalancer", nodePort=31000),
            Endpoints("LoadBalancer", INTERNAL, (), 31000),
            True,
            "mount -t nfs -o vers=4.0,port=31000 NODE:/EXPORT /mnt",
        ),
        (
            service("NodePort", nodePort=31000),
            Endpoints("NodePort", INTERNAL, (), 31000),
            False,
            "mount -t nfs -o vers=4.0,port=31000 NODE:/EXPORT /mnt",
        ),
        (
            service("ClusterIP"),
            Endpoints("ClusterIP", INTERNAL),
            False,
            "mount -t nfs -o vers=4.0,port=2049 media-adapter-nfs.files.svc:/EXPORT /mnt",
        ),
    ],
)
def test_a_service_says_where(live: dict[str, Any], found: Endpoints, awaits: bool, command: str) -> None:
    assert service_endpoints(live, "nfs") == found
    assert found.awaits_address is awaits
    assert mount_commands("nfs", found) == (command,)


def test_a_service_without_the_adapter_s_port_leads_nowhere() -> None:
    assert service_endpoints(service("ClusterIP", name="other"), "nfs") is None
    assert service_endpoints({}, "nfs") is None


def test_shares_of_windows_are_named_as_their_clients_name_them() -> None:
    assert mount_commands("smb", Endpoints("LoadBalancer", None, ("[2001:db8::7]:445",))) == (
        "mount -t cifs -o port=445,username=USER //2001:db8::7/SHARE /mnt",
        "smbclient -p 445 -U USER //2001:db8::7/SHARE",
    )


def test_what_cannot_be_mounted_or_found_has_no_command() -> None:
    assert mount_commands("s3", Endpoints("ClusterIP", INTERNAL)) == ()
    assert mount_commands("nfs", Endpoints("ClusterIP", None)) == ()
