"""What stops the first run of a stack: there is nothing to keep yet, and nothing could be declared. Pure."""

from collections.abc import Iterator, Sequence

from dittoinfra.decide.refusals import LoginRefused, NoServers, Refusal
from dittoinfra.model import ConfigurationSource, Denied, StackDecision
from dittoinfra.settings import ServerSettings
from dittoinfra.state import Memory


def first_run_refusals(
    decision: StackDecision,
    servers: Sequence[ServerSettings],
    memory: Memory,
    empty: ConfigurationSource | None,
) -> Iterator[Refusal]:
    """Why a stack that holds nothing must stop; `empty` is the configuration where it names no servers.

    A stack that holds something goes on without an answer. So does a new one where anything is declared: a
    server that the stack deploys, a pinned adapter, or the adapters of another server. So does a component:
    it does not know whether others of its program declare something.
    """
    if memory.of_component or memory.adapters or memory.servers or memory.objects:
        return
    if empty is not None:
        if not empty.intended:
            yield NoServers(empty)
        return
    refused = {
        server.name: outcome
        for server in servers
        if server.deploy is None
        and not decision.servers[server.name].adapters
        and isinstance(outcome := decision.servers[server.name].outcome, Denied)
    }
    if len(refused) == len(servers):
        # With `onUnreachable: fail` it is refused for that reason already.
        keep = {server.name for server in servers if server.on_unreachable == "keep"}
        yield from (LoginRefused(name, why) for name, why in refused.items() if name in keep)
