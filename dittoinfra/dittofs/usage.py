"""Who uses servers: their clients, mounts and durable handles, which they show to administrators only."""

from collections import Counter
from collections.abc import Mapping

from dittoinfra.adapter_usage import Usage, UsageAnswer
from dittoinfra.dittofs.api_access import ApiAccess
from dittoinfra.dittofs.ask_servers import ask_servers, refused
from dittoinfra.dittofs.client import DittoFSClient
from dittoinfra.dittofs.parse import parse_protocols
from dittoinfra.model import Nonsense

CLIENTS = "/api/v1/clients"
MOUNTS = "/api/v1/mounts"
HANDLES = "/api/v1/durable-handles"

_HANDLES_OF = "smb"
"""Only SMB has durable handles, and their list names no protocol."""
_ADMINISTRATORS_ONLY = "log in as an administrator (api.username), or drop reportInUse and protectInUse"


def usages(servers: Mapping[str, ApiAccess], max_concurrent: int) -> Mapping[str, UsageAnswer]:
    """Who uses each of these servers. Never raises, and asks once."""
    return ask_servers(servers, _ask, max_concurrent)


async def _ask(client: DittoFSClient) -> UsageAnswer:
    counts: dict[str, Counter[str]] = {}
    for path in (CLIENTS, MOUNTS, HANDLES):
        reply = await client.get(path)
        if reply.status != 200:
            return refused(client, reply, _ADMINISTRATORS_ONLY)
        protocols = parse_protocols(reply.body, _HANDLES_OF if path == HANDLES else None)
        if protocols is None:
            return Nonsense(f"{reply.subject}: is no list of what it is asked for")
        counts[path] = Counter(protocols)
    types = {each for found in counts.values() for each in found}
    return {each: Usage(counts[CLIENTS][each], counts[MOUNTS][each], counts[HANDLES][each]) for each in types}
