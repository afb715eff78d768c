"""The window of a port change, which clients that do not leave hold open."""

from lab.bed.dittofs import DittoFSServer, client_of
from lab.bed.process import free_ports
from tests.contract.dittofs.conftest import NewServer
from tests.contract.dittofs.subject import assert_problem


def test_an_adapter_on_its_way_has_its_new_port_and_does_not_listen(server: DittoFSServer) -> None:
    before = server.adapters()
    [port] = free_ports(1)
    moved = {"type": "nfs", "port": port, "enabled": True, "running": True}

    with server.moving("nfs", port), client_of(server.url, None) as client:
        runs = server.version.runs_while_stopping
        assert server.adapters() == {"nfs": moved | {"running": runs}, "smb": before["smb"]}
        ready = client.get("/health/ready").json()["data"]["adapters"]["types"]
        assert set(ready) == ({"nfs", "smb"} if runs else {"smb"})

    assert server.adapters() == {"nfs": moved, "smb": before["smb"]}


_ATTEMPTS = 5


def test_an_adapter_whose_clients_do_not_leave_in_time_moves_or_stays_without_a_listener(
    new_server: NewServer,
) -> None:
    with new_server(shutdown_timeout=1) as server:
        stuck = server.version.waits_for_listener
        for port in free_ports(_ATTEMPTS):
            with server.busy_clients():
                answer = server.ask("PUT", "/adapters/nfs", {"port": port})
                left = {"type": "nfs", "port": port, "enabled": True, "running": answer.is_success}
                assert server.adapters()["nfs"] == left
            # When its time is up, 0.31 closes the connections and looks once whether that was enough. On a
            # busy machine it looks late, finds the adapter stopped, and moves it: then it has to move again.
            if answer.is_success is not stuck:
                break

        if stuck:
            why = "adapter nfs did not confirm shutdown and still holds its socket"
            cause = f"Failed to update adapter: failed to restart adapter after update: {why}"
            assert_problem(answer, 500, "Internal Server Error", cause)
        else:
            assert answer.status_code == 200
        # Its clients are gone, and an administrator has to ask once more.
        assert server.adapters()["nfs"] == left
        server.enable("nfs")
        assert server.adapters()["nfs"] == left | {"running": True}
