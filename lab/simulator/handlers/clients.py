"""The connected clients, for administrators."""

from lab.simulator.answers import JSON, Answer, ok, timestamp
from lab.simulator.api import Call
from lab.simulator.clients import Client


def list_clients(call: Call) -> Answer:
    more = call.server.version.tells_client_details
    listed = call.server.clients.listed()
    return ok([_client(client, more) for client in listed if _is_connected(call, client)])


def list_mounts(call: Call) -> Answer:
    listed = call.server.clients.listed()
    return ok([_mount(client, index) for client in listed for index in range(client.mounts)])


def list_durable_handles(call: Call) -> Answer:
    listed = call.server.clients.listed()
    cut_off = [client for client in listed if not _is_connected(call, client)]
    return ok([_handle(client, index) for client in cut_off for index in range(client.files)])


def drain_uploads(call: Call) -> Answer:
    del call
    return ok({"status": "drained", "duration": "42.5µs"})


def _is_connected(call: Call, client: Client) -> bool:
    """A server disconnects the clients of an adapter that it stops; mounts and files wait for them."""
    adapter = call.server.adapters.snapshot().get(client.protocol)
    return not client.lost and adapter is not None and adapter.enabled


def _client(client: Client, more: bool) -> JSON:
    record: dict[str, JSON] = {
        "client_id": f"{client.protocol}-{client.number}",
        "protocol": client.protocol,
        "address": client.address,
        "connected_at": timestamp(client.since),
        "last_activity": timestamp(client.since),
    }
    if not more:
        # The version of NFS is known from the first call of NFS on, and mounting is none.
        return record if client.protocol == "nfs" else {**record, "smb": {"session_id": client.number}}
    details: dict[str, JSON] = (
        {"version": "3", "auth_flavor": "", "uid": 0, "gid": 0}
        if client.protocol == "nfs"
        # Whatever was negotiated.
        else {"session_id": client.number, "dialect": "", "signed": False, "encrypted": False}
    )
    return {**record, "user": "", "shares": None, client.protocol: details}


def _mount(client: Client, index: int) -> JSON:
    return {
        "client_addr": client.address.partition(":")[0],
        "protocol": client.protocol,
        "share_name": "/export" if index == 0 else f"/export-{index}",
        "mounted_at": timestamp(client.since.replace(microsecond=0)),
    }


def _handle(client: Client, index: int) -> JSON:
    return {
        "id": f"{client.number}-{index}",
        "file_id": f"{client.number:016x}{index:016x}",
        "path": f"file-{index}",
        "share_name": "/export",
        "username": "someone",
        "is_v2": True,
        "created_at": timestamp(client.since.replace(microsecond=0)),
        "disconnected_at": timestamp(client.since.replace(microsecond=0)),
        "timeout_ms": 60_000,
        "remaining_ms": 60_000,
    }
