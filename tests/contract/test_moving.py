"""The window of a port change, which clients that do not leave hold open."""

from tests.bed.dittofs import DittoFSServer, client_of
from tests.bed.process import free_ports


def test_an_adapter_on_its_way_has_its_new_port_and_does_not_run(server: DittoFSServer) -> None:
    before = server.adapters()
    [port] = free_ports(1)

    with server.moving("nfs", port), client_of(server.url, None) as client:
        moving = {"type": "nfs", "port": port, "enabled": True, "running": False}
        assert server.adapters() == {"nfs": moving, "smb": before["smb"]}
        assert client.get("/health/ready").json()["data"]["adapters"]["types"] == ["smb"]

    assert server.adapters() == {"nfs": moving | {"running": True}, "smb": before["smb"]}
